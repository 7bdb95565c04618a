import BankImport
import BankModel

/// The notes of an import, for people: notes of one reason are grouped, and of many locations the first few are listed.
struct ImportWarningList {
    private var reasons: [(text: String, places: [ImportWarning])] = []

    /// The number of locations shown for one reason; `--json` lists all.
    private static let most = 5

    /// - Parameter warnings: in the order of the files; reasons come in the order of their first locations.
    init(_ warnings: [ImportWarning]) {
        var known: [String: Int] = [:]
        for place in warnings {
            let text = "\(place.reason) (\(place.effect.words))"
            if let reason = known[text] {
                reasons[reason].places.append(place)
            } else {
                known[text] = reasons.count
                reasons.append((text, [place]))
            }
        }
    }

    /// A reason with one location is one line; otherwise its locations follow below it.
    var lines: [String] {
        reasons.flatMap { text, places -> [String] in
            if places.count == 1 { return places.map(\.description) }
            var lines: [String] = ["\(places.count) times: \(text):"]
            for place in places.prefix(ImportWarningList.most) { lines.append("    \(place.whereAndWhat)") }
            let rest = places.count - ImportWarningList.most
            if rest > 0 { lines.append("    and \(counted(rest, "more place")); --json lists all") }
            return lines
        }
    }
}
