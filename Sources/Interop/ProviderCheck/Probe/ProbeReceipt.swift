package import BankModel

/// The server's record of what it sent for one request: an entry of the journal, as the admin API shows it.
package struct ProbeReceipt: Sendable, Hashable {
    /// The status that the server sent; nil if no byte of a head was sent.
    package var status: Int?
    /// The receipt; `held` while the exchange is in progress.
    package var receipt: Receipt
    package var milliseconds: Int
    /// Whether the exchange was still in progress when the client gave up.
    package var wasOpen: Bool
    /// The value of Date, by the session's clock; nil if unknown.
    package var date: String?
    /// The response's own fields; values may be redacted.
    package var headers: [JournalEntry.Header]
    /// The first bytes of the response's body, before a fault cut it.
    package var body: String
    /// Why the fault did not act; nil if it did.
    package var unapplied: String?

    package init(
        status: Int? = 200, _ receipt: Receipt, milliseconds: Int = 0, wasOpen: Bool = false, date: String? = nil,
        headers: [JournalEntry.Header] = [], body: String = "", unapplied: String? = nil
    ) {
        self.status = receipt.headBytes > 0 ? status : nil
        self.receipt = receipt
        self.milliseconds = milliseconds
        self.wasOpen = wasOpen
        self.date = date
        self.headers = headers
        self.body = body
        self.unapplied = unapplied
    }

    /// Reads an entry.
    ///
    /// - Parameters:
    ///   - wasOpen: whether the exchange was in progress when the client gave up.
    ///   - skew: how far the fault moves Date.
    package init(_ entry: JSON, wasOpen: Bool, skew: Duration = .zero) {
        func count(_ key: String) -> Int { Int(entry["receipt"]?[key]?.int ?? 0) }
        let end = entry["receipt"]?["end"]?.string.flatMap { Receipt.End(rawValue: $0) } ?? .held
        let fault = entry["fault"]
        let isApplied = fault?["applied"]?.bool ?? false
        self.init(
            status: entry["status"]?.int.map { Int($0) },
            Receipt(
                headBytes: count("head_bytes"), bodyBytes: count("body_bytes"), rawBytes: count("raw_bytes"), unsent: count("unsent"),
                end: end),
            milliseconds: Int((entry["duration_us"]?.int ?? 0) / 1000), wasOpen: wasOpen,
            date: entry["at"]?.string.flatMap { Instant(rfc3339: $0) }.map { ($0 + skew).httpDate },
            headers: (entry["reply_headers"]?.array ?? []).compactMap { line in
                guard let parts = line.array, parts.count == 2, let name = parts[0].string, let value = parts[1].string else { return nil }
                return JournalEntry.Header(name, value)
            },
            body: entry["reply_body"]?.string ?? "",
            unapplied: isApplied ? nil : fault?["reason"]?.string ?? "no rule matched the request")
    }

    /// Whether the server sent nothing more and left the connection open, as far as the client can know.
    var isSilence: Bool { wasOpen || receipt.end == .held || receipt.end == .clientGone }

    /// The response in a few words.
    var words: String {
        if let status { return String(status) }
        if receipt.rawBytes > 0 { return "bytes that are not HTTP" }
        if isSilence { return ProbeObservation.End.silence.words }
        return receipt.end == .rst ? ProbeObservation.End.rst.words : ProbeObservation.End.fin.words
    }

    var json: JSON {
        [
            "status": status.map { .int($0) } ?? .null, "head_bytes": .int(receipt.headBytes), "body_bytes": .int(receipt.bodyBytes),
            "raw_bytes": .int(receipt.rawBytes), "end": .string(isSilence ? Receipt.End.held.rawValue : receipt.end.rawValue),
            "duration_ms": .int(milliseconds),
        ]
    }
}
