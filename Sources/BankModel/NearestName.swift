/// The known name nearest to a misspelt one; nil if none is near: at most a third of the letters may differ (two at least,
/// but never more than half).
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    let best = known.map { (name: $0, distance: editDistance(name, $0)) }.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= min(max(2, name.count / 3), name.count / 2) else { return nil }
    return best.name
}

/// The end of a message about a misspelt name: ``; did you mean `order`?``.
///
/// - Parameter otherwise: the end if no known name is near.
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
