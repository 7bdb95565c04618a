package import BankModel
package import DriverProtocol

/// One place where a view is not as expected: what the judge and the try-out of a driver report, each in its own words.
package struct ViewDifference: Sendable, Hashable {
    /// The place in the view: `transactions[3].amount`; empty for the whole view.
    package var path: String
    package var kind: Kind

    package enum Kind: Sendable, Hashable {
        /// A key is expected, and the view does not have it.
        case missing(expected: JSON)
        case value(expected: JSON, seen: JSON)
        /// The lists differ in length. Their common rows are compared one by one, as differences of their own.
        case rows(expected: [JSON], seen: [JSON])
    }

    /// Every difference, in the order of the expected view: objects by the expected keys, lists row by row, amounts exact.
    /// A difference in length precedes those of the rows.
    ///
    /// - Parameters:
    ///   - optional: the keys that a client may leave out, as paths of keys.
    ///   - demand: the names of optional keys that are required here.
    ///   - hasCurrency: whether the bank states a currency. Without one nobody knows how many digits an amount has, and amounts are
    ///     compared by value: `24.5` is `24.50`.
    package static func all(
        expected: JSON, seen: JSON, optional: Set<String>, demand: Set<String> = [], hasCurrency: Bool
    ) -> [ViewDifference] {
        Walk(optional: optional, demand: demand, hasCurrency: hasCurrency).differences(expected, seen, at: "", keys: "")
    }

    /// Whether one of a bank's expected views states a currency; true of a bank without expected views, whose amounts are compared as
    /// they are written.
    package static func isCurrencyStated(in views: [DriverOperation: JSON]) -> Bool {
        views.isEmpty || views.values.contains(where: hasCurrency)
    }

    private static func hasCurrency(_ view: JSON) -> Bool {
        switch view {
        case .object(let object): object.members.contains { $0.key == "currency" || hasCurrency($0.value) }
        case .array(let rows): rows.contains(where: hasCurrency)
        default: false
        }
    }

    /// The keys of an operation's view that a client may leave out, as paths of keys.
    package static func optional(in operation: DriverOperation) -> Set<String> { ViewShape(of: operation).optionalPaths }

    private struct Walk {
        let optional: Set<String>
        let demand: Set<String>
        let hasCurrency: Bool

        func differences(_ expected: JSON, _ seen: JSON, at path: String, keys: String) -> [ViewDifference] {
            switch (expected, seen) {
            case (.object(let wanted), .object(let shown)):
                return wanted.members.flatMap { key, value -> [ViewDifference] in
                    let path = path.isEmpty ? key : "\(path).\(key)"
                    let keys = keys.isEmpty ? key : "\(keys).\(key)"
                    if let other = shown[key] { return differences(value, other, at: path, keys: keys) }
                    if optional.contains(keys), !demand.contains(key) { return [] }
                    return [ViewDifference(path: path, kind: .missing(expected: value))]
                }
            case (.array(let wanted), .array(let shown)):
                let rows = zip(wanted, shown).enumerated().flatMap { index, pair in
                    differences(pair.0, pair.1, at: "\(path)[\(index)]", keys: keys)
                }
                guard wanted.count != shown.count else { return rows }
                return [ViewDifference(path: path, kind: .rows(expected: wanted, seen: shown))] + rows
            default:
                let isSame = expected == seen || isSameAmount(expected, seen, keys)
                return isSame ? [] : [ViewDifference(path: path, kind: .value(expected: expected, seen: seen))]
            }
        }

        private func isSameAmount(_ expected: JSON, _ seen: JSON, _ keys: String) -> Bool {
            let key = keys.split(separator: ".").last.map(String.init) ?? ""
            guard !hasCurrency, ["amount", "balance", "available", "saved"].contains(key),
                let wanted = expected.string.flatMap(JSONNumber.init), let shown = seen.string.flatMap(JSONNumber.init)
            else { return false }
            return wanted == shown
        }
    }
}
