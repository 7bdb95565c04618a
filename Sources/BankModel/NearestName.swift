/// The known name with the same meaning (``sameMeaning``), or else the nearest by spelling; nil if none is near: at most a third of the
/// letters may differ (two at least, but never more than half). The name may come from outside, and have any length.
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    guard name.utf8.count <= 100 else { return nil }
    let known = Array(known)
    let plain = name.lowercased().replacing("_", with: "-")
    // A known name in another spelling is that name, whatever it means elsewhere.
    if let meant = sameMeaning[plain], !known.contains(plain), let found = meant.first(where: known.contains) { return found }
    let best = known.map { (name: $0, distance: editDistance(name, $0)) }.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= min(max(2, name.count / 3), name.count / 2) else { return nil }
    return best.name
}

/// Words of OAuth, of HTTP and of other tools, each with the names for the same thing here.
private let sameMeaning: [String: [String]] = [
    "insufficient-scope": ["scope-refused"], "forbidden": ["scope-refused"], "access-denied": ["scope-refused"],
    "unauthorized": ["no-credentials"], "unauthenticated": ["no-credentials"], "missing-token": ["no-credentials"],
    "invalid-token": ["token-rejected"], "token-invalid": ["token-rejected"], "token-revoked": ["token-rejected"],
    "expired-token": ["token-expired"], "sca-required": ["step-up"], "strong-authentication": ["step-up"],
    "too-many-requests": ["rate-limited"], "throttled": ["rate-limited"], "rate-limit": ["rate-limited"],
    "service-unavailable": ["maintenance"], "unavailable": ["maintenance"], "server-error": ["internal-error"],
    "invalid-request": ["bad-request"], "duplicate-key": ["key-mismatch"], "key-conflict": ["key-mismatch"],
    "insufficient-balance": ["insufficient-funds"], "invalid-cursor": ["cursor-expired"],
    "latency": ["delay"], "timeout": ["hang"], "drop": ["close"], "disconnect": ["close"], "http-error": ["status"],
    "malformed": ["corrupt"], "cut": ["truncate"], "throttle": ["bandwidth"], "dns": ["refuse"],
    "offline": ["refuse"], "unreachable": ["refuse"], "connection-refused": ["refuse"], "reset-peer": ["reset"],
    "limit-data": ["truncate"], "slicer": ["slow"], "connection-reset-by-peer": ["reset"], "empty-response": ["close"],
    "malformed-response-chunk": ["bad-chunk"], "random-data-then-close": ["garbage"],
    "lose-response": ["lose-reply"], "lost-response": ["lose-reply"], "lost-reply": ["lose-reply"],
    "payments": ["pay"], "sign-in": ["login"], "signin": ["login"], "sign-out": ["logout"],
]

/// The end of a message about a misspelt name: ``; did you mean `order`?``, or `otherwise` if no known name is near.
package func didYouMean(_ name: String, among known: some Sequence<String>, otherwise: @autoclosure () -> String = "") -> String {
    nearestName(to: name, among: known).map { "; did you mean `\($0)`?" } ?? otherwise()
}

/// A list of names for a message: `a, b or c`.
package func oneOf(_ names: some Sequence<String>) -> String {
    let names = Array(names)
    guard let last = names.last, names.count > 1 else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
}

/// The number of letters to change, add or delete, and of neighbours to swap: Levenshtein's distance, where a swap is one mistake.
private func editDistance(_ a: String, _ b: String) -> Int {
    let a = Array(a.utf8)
    let b = Array(b.utf8)
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for (row, letter) in a.enumerated() {
        var current = [row + 1]
        for (column, other) in b.enumerated() {
            let change = previous[column] + (letter == other ? 0 : 1)
            var distance = min(change, previous[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, letter == b[column - 1], a[row - 1] == other {
                distance = min(distance, beforePrevious[column - 1] + 1)
            }
            current.append(distance)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[b.count]
}

/// A count with its noun, whose plural ends in `s`: `1 case`, `2 cases`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// The values, each once, in the order in which they first come.
package func distinct<Value: Hashable>(_ values: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return values.filter { seen.insert($0).inserted }
}
