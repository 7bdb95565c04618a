import BankModel
import DriverProtocol

/// Compares a view with what is expected: objects by the keys listed, arrays element by element, amounts exact.
struct ViewComparison {
    /// Keys a client may leave out, as paths of keys.
    let optional: Set<String>
    /// The optional keys that are required here.
    let demand: Set<String>

    /// Each difference as `transactions[3].amount: expected "-2.20", seen "-2.2"`.
    func differences(expected: JSON, seen: JSON) -> [String] { compare(expected, seen, at: "", keys: "") }

    private func compare(_ expected: JSON, _ seen: JSON, at path: String, keys: String) -> [String] {
        switch (expected, seen) {
        case (.object(let wanted), .object(let shown)):
            return wanted.members.flatMap { key, value -> [String] in
                let path = path.isEmpty ? key : "\(path).\(key)"
                let keys = keys.isEmpty ? key : "\(keys).\(key)"
                if let other = shown[key] { return compare(value, other, at: path, keys: keys) }
                if optional.contains(keys), !demand.contains(key) { return [] }
                return ["\(path): expected \(clipped(value.text, to: 80)), seen nothing"]
            }
        case (.array(let wanted), .array(let shown)):
            let rows = zip(wanted, shown).enumerated().flatMap { index, pair in
                compare(pair.0, pair.1, at: "\(path)[\(index)]", keys: keys)
            }
            guard wanted.count != shown.count else { return rows }
            return ["\(path): expected \(wanted.count) rows, seen \(shown.count)"] + rows
        case let (wanted, shown) where wanted == shown: return []
        default:
            return ["\(path.isEmpty ? "the view" : path): expected \(clipped(expected.text, to: 80)), seen \(clipped(seen.text, to: 80))"]
        }
    }

    /// The view without what says how old it is.
    static func withoutAge(_ view: JSON) -> JSON {
        guard case .object(let object) = view else { return view }
        return .object(JSONObject(object.members.filter { !["stale", "as_of", "from_cache"].contains($0.key) }))
    }

    /// Whether the view has a value at the path of keys, in any row of the lists on the way.
    static func has(_ path: ArraySlice<String>, in view: JSON) -> Bool {
        if case .array(let rows) = view { return rows.contains { has(path, in: $0) } }
        guard let key = path.first else { return true }
        return view[key].map { has(path.dropFirst(), in: $0) } ?? false
    }

    /// The keys of a view that a client may leave out.
    static func optional(in operation: DriverOperation) -> Set<String> { ViewShape(of: operation).optionalPaths }
}
