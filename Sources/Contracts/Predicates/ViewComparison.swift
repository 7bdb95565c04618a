import BankModel

/// The differences of views in the judge's words.
enum ViewComparison {
    /// `transactions[3].amount: expected "-2.20", seen "-2.2"`
    static func text(_ difference: ViewDifference) -> String {
        let place = difference.path.isEmpty ? "the view" : difference.path
        return switch difference.kind {
        case .missing(let expected): "\(place): expected \(clipped(expected.text, to: 80)), seen nothing"
        case .value(let expected, let seen): "\(place): expected \(clipped(expected.text, to: 80)), seen \(clipped(seen.text, to: 80))"
        case .rows(let expected, let seen): "\(place): expected \(expected.count) rows, seen \(seen.count)"
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
}
