package import BankModel
package import DriverProtocol

/// One value of a view that is not as expected: the verdict and the try-out of a driver report it, each in its own words.
package struct ViewDifference: Sendable, Hashable {
    /// The path in the view: `transactions[3].amount`; empty for the whole view.
    package var path: String
    package var kind: Kind

    package enum Kind: Sendable, Hashable {
        /// A key is expected, and the view does not have it.
        case missing(expected: JSON)
        case value(expected: JSON, seen: JSON)
        /// The lists differ in length. Their common rows are compared one by one, as separate differences.
        case rows(expected: [JSON], seen: [JSON])
    }

    /// Every difference, in the order of the expected view, a list's length before its rows. Without a currency amounts are compared by
    /// value: nobody knows how many digits they have. A client may leave `optional` paths of keys out, unless `demand` names the key.
    package static func all(
        expected: JSON, seen: JSON, optional: Set<String>, demand: Set<String> = [], hasCurrency: Bool
    ) -> [ViewDifference] {
        Walk(optional: optional, demand: demand, hasCurrency: hasCurrency).differences(expected, seen, at: "", keys: "")
    }

    /// Whether one of a bank's expected views states a currency; true without expected views: amounts are compared as they are written.
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
                    let isOptional = optional.contains(keys)
                    // Many languages write null for what they do not have.
                    if let other = shown[key], !isOptional || other != .null {
                        return differences(value, other, at: path, keys: keys)
                    }
                    if isOptional, !demand.contains(key) { return [] }
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

/// The differences of views in the words of a verdict.
enum ViewComparison {
    /// `transactions[3].amount "-2.2" instead of "-2.20"`
    static func text(_ difference: ViewDifference) -> Phrase {
        let path = difference.path.isEmpty ? "data" : difference.path
        // The same member of another row is the same kind of difference.
        let location = Phrase(text: path, shape: path.replacing(#/\[[0-9]+\]/#, with: "[…]"))
        return switch difference.kind {
        case .missing(let expected): "no \(location) (expected \(clipped(expected.text, to: 80)))"
        case .value(let expected, let seen): "\(location) \(clipped(seen.text, to: 80)) instead of \(clipped(expected.text, to: 80))"
        case .rows(let expected, let seen): "\(counted(seen.count, "row")) in \(location) instead of \(expected.count)"
        }
    }

    /// The mistake behind differences that are all about amounts; nil if one is about something else. `12.3` is the amount `12.30`, written
    /// otherwise.
    static func mistake(behind differences: [ViewDifference]) -> Finding.Mistake? {
        var isOtherValue = false
        for difference in differences {
            guard case .value(let expected, let seen) = difference.kind,
                ["amount", "balance", "available", "saved"].contains(where: difference.path.hasSuffix)
            else { return nil }
            let wanted = expected.string.flatMap(JSONNumber.init)
            if wanted == nil || wanted != seen.string.flatMap(JSONNumber.init) { isOtherValue = true }
        }
        return differences.isEmpty ? nil : isOtherValue ? .amount : .digits
    }

    /// The view without the members that show its age.
    static func withoutAge(_ view: JSON) -> JSON {
        guard case .object(let object) = view else { return view }
        return .object(JSONObject(object.members.filter { !["stale", "as_of", "from_cache"].contains($0.key) }))
    }

    /// Whether the view has a value other than null at the path of keys, such as `accounts.balance`, in any row of the lists on the way.
    static func has(_ path: String, in view: JSON) -> Bool { has(path.split(separator: "."), in: view) }

    private static func has(_ path: [Substring], in view: JSON) -> Bool {
        if case .array(let rows) = view { return rows.contains { has(path, in: $0) } }
        guard let key = path.first else { return view != .null }
        return view[String(key)].map { has(Array(path.dropFirst()), in: $0) } ?? false
    }
}
