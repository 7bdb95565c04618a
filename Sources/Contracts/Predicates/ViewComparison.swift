import BankModel

/// The differences of views in the judge's words.
enum ViewComparison {
    /// `transactions[3].amount "-2.2" instead of "-2.20"`
    static func text(_ difference: ViewDifference) -> Phrase {
        let path = difference.path.isEmpty ? "data" : difference.path
        // The same member of another row is the same kind of difference.
        let place = Phrase(text: path, shape: path.replacing(#/\[[0-9]+\]/#, with: "[…]"))
        return switch difference.kind {
        case .missing(let expected): "no \(place) (expected \(clipped(expected.text, to: 80)))"
        case .value(let expected, let seen): "\(place) \(clipped(seen.text, to: 80)) instead of \(clipped(expected.text, to: 80))"
        case .rows(let expected, let seen): "\(counted(seen.count, "row")) in \(place) instead of \(expected.count)"
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
}
