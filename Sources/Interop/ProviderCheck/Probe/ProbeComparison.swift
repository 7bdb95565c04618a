import BankModel
package import Faults

/// Compares what arrived with what the server reports as sent.
package struct ProbeComparison {
    private let sent: ProbeReceipt
    private let came: ProbeObservation
    private let effects: Set<FaultEffect>
    private var findings: [String] = []
    private var tolerated: [String] = []

    /// The result for one request.
    package struct Result: Sendable, Hashable {
        package var verdict: ProbeVerdict
        /// Differences that a path may make: fields of one hop, and another spelling of the head.
        package var tolerated: [String] = []
    }

    /// - Parameters:
    ///   - attempts: the entries that the journal has for the one request, in order.
    ///   - came: what the client saw.
    ///   - effects: what the kind has besides its receipt.
    package static func result(of attempts: [ProbeReceipt], came: ProbeObservation, effects: Set<FaultEffect> = []) -> Result {
        guard let sent = attempts.first else {
            return Result(verdict: .swallowed("the request never reached the server; the client saw \(came.words)"))
        }
        guard attempts.count == 1 else {
            return Result(verdict: .swallowed("\(attempts.count) attempts reached the server for 1 request; the client saw \(came.words)"))
        }
        if let reason = sent.unapplied { return Result(verdict: .notProbed(reason)) }
        if came.isTooLong {
            let count = sent.receipt.headBytes + sent.receipt.bodyBytes + sent.receipt.rawBytes
            let most = counted(ProbeObservation.mostBytes, "byte")
            guard count <= ProbeObservation.mostBytes else {
                return Result(verdict: .notProbed("the response has \(counted(count, "byte")), of which the probe reads \(most)"))
            }
            return Result(verdict: .altered(["over \(most) instead of \(count)"]))
        }
        var comparison = ProbeComparison(sent: sent, came: came, effects: effects)
        comparison.compare()
        return Result(verdict: comparison.findings.isEmpty ? .arrives : .altered(comparison.findings), tolerated: comparison.tolerated)
    }

    private init(sent: ProbeReceipt, came: ProbeObservation, effects: Set<FaultEffect>) {
        self.sent = sent
        self.came = came
        self.effects = effects
    }

    private mutating func compare() {
        // Another response, or none, differs in everything else as well.
        guard came.response.status == sent.status else { return findings.append("\(came.words) instead of \(sent.words)") }
        if sent.status == nil {
            compareBytes()
        } else {
            compareBody()
            compareHead()
            compareAround()
        }
        compareEnd()
        compareTimes()
    }

    /// Bytes that are not HTTP.
    private mutating func compareBytes() {
        guard came.byteCount != sent.receipt.rawBytes else { return }
        findings.append(
            sent.receipt.rawBytes == 0
                ? "\(came.words) instead of \(sent.words)"
                : "\(counted(came.byteCount, "byte")) instead of \(sent.receipt.rawBytes) that are not HTTP")
    }

    private mutating func compareBody() {
        let response = came.response
        if effects.contains(.cutsResponse), response.isWhole { findings.append("arrived complete instead of truncated") }
        if !effects.contains(.cutsResponse), !response.isWhole { findings.append("arrived truncated instead of complete") }
        let count = sent.receipt.bodyBytes - sent.receipt.unsent
        if response.body.count < count || response.body.count > sent.receipt.bodyBytes {
            findings.append("a body of \(counted(response.body.count, "byte")) instead of \(sent.receipt.bodyBytes)")
        } else if isBodyKnown, !Array(sent.body.utf8).starts(with: response.body) {
            findings.append("the body changed")
        }
        if effects.contains(.addsTrailers), response.trailers.isEmpty { findings.append("trailers removed") }
    }

    /// Whether the journal has the bytes of the body: not if it is longer than it stores, compressed or redacted.
    private var isBodyKnown: Bool {
        sent.body.utf8.count >= came.response.body.count && !sent.body.contains("[redacted]")
            && !sent.headers.contains { $0.name.lowercased() == "content-encoding" }
    }

    private mutating func compareHead() {
        let response = came.response
        guard response.hasWholeHead else {
            if response.headBytes != sent.receipt.headBytes {
                findings.append("a head of \(counted(response.headBytes, "byte")) instead of \(sent.receipt.headBytes)")
            }
            return
        }
        let fields = ProbeHeaders(sent: sent, came: response.headers)
        findings += fields.findings
        tolerated += fields.tolerated
        if fields.findings.isEmpty, fields.tolerated.isEmpty, response.headBytes != sent.receipt.headBytes {
            tolerated.append("a head of \(counted(response.headBytes, "byte")) instead of \(sent.receipt.headBytes)")
        }
    }

    /// Bytes before and after the response.
    private mutating func compareAround() {
        let count = came.response.interimBytes + came.response.surplusBytes
        let expected = effects.contains(.addsBytes) ? sent.receipt.rawBytes : 0
        guard count != expected else { return }
        findings.append("\(counted(count, "byte")) around the response instead of \(expected)")
    }

    private mutating func compareEnd() {
        switch (sent.isSilence ? nil : sent.receipt.end, came.end) {
        case (nil, .silence), (.rst, .rst), (.fin, .fin): break
        case (nil, let end): findings.append("\(end.name) instead of silence")
        case (.rst, let end): findings.append("\(end.name) instead of RST")
        // A response that is complete needs no end of the connection, and one may follow it.
        case (_, .fin) where came.response.isWhole: break
        case (_, .silence) where came.response.isWhole: tolerated.append("the connection stayed open after the response")
        case (.fin, let end): findings.append("\(end.name) instead of FIN")
        case (_, let end): findings.append("\(end.name) instead of a connection that stays open")
        }
    }

    private mutating func compareTimes() {
        guard let first = came.first, let last = came.last else { return }
        let spread = Int((last - first).nanoseconds / 1_000_000)
        if effects.contains(.spreadsBody), spread < sent.milliseconds / 2 { findings.append("arrived immediately instead of slowly") }
        let late = Int(last.nanoseconds / 1_000_000) - sent.milliseconds
        if !sent.isSilence, late >= 1000 { tolerated.append("the last byte came \(late) ms after the server sent it") }
    }
}

extension ProbeObservation.End {
    /// The end as a protocol names it.
    fileprivate var name: String {
        switch self {
        case .fin: "FIN"
        case .rst: "RST"
        case .silence: "silence"
        case .refused: "no connection"
        }
    }
}

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
            if lines.count > 1 || !ProbeHeaders.ofWire.contains(name) {
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
