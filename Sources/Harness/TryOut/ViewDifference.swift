package import BankModel
package import DriverProtocol

/// One place where a view is not as expected.
package struct ViewDifference: Sendable, Hashable {
    /// `transactions[3].amount`
    package var path: String
    /// As JSON; nil: nothing stands there.
    package var expected: String?
    package var shown: String?

    /// All places, in the order of the expected view: objects by the keys expected, lists row by row. Keys that a client may
    /// leave out may be missing.
    package static func all(expected: JSON, shown: JSON, of operation: DriverOperation) -> [ViewDifference] {
        Comparison(optional: ViewShape(of: operation).optionalPaths).differences(expected, shown, path: "", keys: "")
    }

    private struct Comparison {
        let optional: Set<String>

        func differences(_ expected: JSON, _ shown: JSON?, path: String, keys: String) -> [ViewDifference] {
            guard let shown else {
                return optional.contains(keys) ? [] : [ViewDifference(path: path, expected: expected.text, shown: nil)]
            }
            switch (expected, shown) {
            case (.object(let wanted), .object(let seen)):
                return wanted.members.flatMap { key, value in
                    differences(
                        value, seen[key], path: path.isEmpty ? key : "\(path).\(key)", keys: keys.isEmpty ? key : "\(keys).\(key)")
                }
            case (.array(let wanted), .array(let seen)):
                let rows = zip(wanted, seen).enumerated().flatMap { index, pair in
                    differences(pair.0, pair.1, path: "\(path)[\(index)]", keys: keys)
                }
                let missing = wanted.enumerated().dropFirst(seen.count).map { index, row in
                    ViewDifference(path: "\(path)[\(index)]", expected: row.text, shown: nil)
                }
                let more = seen.enumerated().dropFirst(wanted.count).map { index, row in
                    ViewDifference(path: "\(path)[\(index)]", expected: nil, shown: row.text)
                }
                return rows + missing + more
            default: return expected == shown ? [] : [ViewDifference(path: path, expected: expected.text, shown: shown.text)]
            }
        }
    }
}
