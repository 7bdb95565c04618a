import BankModel

/// Compares the fields of a response with those that the server sent.
struct ProbeHeaders {
    private(set) var findings: [String] = []
    private(set) var tolerated: [String] = []

    /// Fields of one hop, which a path may add, change and remove (RFC 9110 §7.6.1), and Via, which it should add (§7.6.3).
    private static let ofHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "via",
    ]

    /// Fields that the server's wire adds to the response's own, at most once each. The journal does not have them.
    private static let ofWire: Set<String> = ["content-length", "date", "x-request-id"]

    init(sent: ProbeReceipt, came: [JournalEntry.Header]) {
        let own = Dictionary(grouping: sent.headers) { $0.name.lowercased() }
        let found = Dictionary(grouping: came) { $0.name.lowercased() }
        for name in own.keys.sorted() {
            compare(own[name] ?? [], found[name] ?? [])
        }
        for name in found.keys.sorted() where own[name] == nil {
            let lines = found[name] ?? []
            guard ProbeHeaders.ofWire.contains(name) else {
                note("\(lines[0].name) added", of: name)
                continue
            }
            if lines.count > 1 {
                note("\(lines[0].name) added", of: name)
            } else if name == "date", let date = sent.date, lines[0].value != date {
                note("\(lines[0].name) changed", of: name)
            }
        }
        if own["date"] == nil, found["date"] == nil { note("Date removed", of: "date") }
    }

    /// The lines of one field.
    private mutating func compare(_ sent: [JournalEntry.Header], _ came: [JournalEntry.Header]) {
        guard let line = sent.first else { return }
        if came.count != sent.count {
            note("\(line.name) \(came.count < sent.count ? "removed" : "added")", of: line.name)
        } else if !zip(sent, came).allSatisfy({ ProbeHeaders.isSame($0.value, $1.value) }) {
            note("\(line.name) changed", of: line.name)
        }
    }

    /// Whether a value is what the journal has of it: all, its beginning and `…` if it is long, or `[redacted]` in place of secrets.
    private static func isSame(_ sent: String, _ came: String) -> Bool {
        if sent.contains("[redacted]") { return true }
        return sent.hasSuffix("…") ? came == sent || came.hasPrefix(sent.dropLast()) : came == sent
    }

    private mutating func note(_ text: String, of name: String) {
        if ProbeHeaders.ofHop.contains(name.lowercased()) { tolerated.append(text) } else { findings.append(text) }
    }
}
