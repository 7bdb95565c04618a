import BankImport
import BankModel

/// The notes of an import, for people: notes of one reason are grouped, and of many locations the first few are listed.
struct ImportWarningList {
    private var reasons: [(text: String, locations: [ImportWarning])] = []

    /// The number of locations shown for one reason; `--json` lists all.
    private static let most = 5

    /// - Parameter warnings: in the order of the files; reasons come in the order of their first locations.
    init(_ warnings: [ImportWarning]) {
        var known: [String: Int] = [:]
        for location in warnings {
            let text = "\(location.reason) (\(location.effect.words))"
            if let reason = known[text] {
                reasons[reason].locations.append(location)
            } else {
                known[text] = reasons.count
                reasons.append((text, [location]))
            }
        }
    }

    /// A reason with one location is one line; otherwise its locations follow below it.
    var lines: [String] {
        reasons.flatMap { text, locations -> [String] in
            if locations.count == 1 { return locations.map(\.description) }
            var lines: [String] = ["\(locations.count) times: \(text):"]
            for location in locations.prefix(ImportWarningList.most) { lines.append("    \(location.whereAndWhat)") }
            let rest = locations.count - ImportWarningList.most
            if rest > 0 { lines.append("    and \(counted(rest, "more location")); --json lists all") }
            return lines
        }
    }
}
