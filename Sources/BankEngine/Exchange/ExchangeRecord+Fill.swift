import BankCore
import BankModel
import Faults

extension ExchangeRecord {
    /// The request in a few words, for the state file: no secrets.
    var summary: String { "\(operation?.name ?? "no operation")\(customer.map { " of \($0)" } ?? "")\(key.map { " under \($0)" } ?? "")" }
}

extension BankSession.Inner {
    /// Fills in what the record keeps of request and reply, secrets taken out.
    ///
    /// - Parameter sending: nil if the session does not reply.
    mutating func record(_ record: inout ExchangeRecord, _ request: BankRequest, _ sending: Sending? = nil) {
        let redaction = Redaction(state, presented: record.token)
        record.target = redaction.target(record.target)
        record.key = record.key.map(redaction.text)
        record.requestHeaders = HeaderList(requestHeaders.redacted(request.headers, redaction))
        // The names of a real bank's secrets are unknown.
        record.requestBody = upstream == nil ? redaction.body(request.body.kept, of: .request) : []
        if record.bodyDigest == nil, record.requestBody != request.body { record.bodyDigest = ExchangeRecord.digest(request.body) }
        record.cost += record.requestHeaders.cost + record.requestBody.count
        if let sending { self.record(reply: sending, &record, redaction) }
    }

    /// Fills in what the record keeps of the reply, in place of an earlier one.
    mutating func record(reply sending: Sending, _ record: inout ExchangeRecord) {
        self.record(reply: sending, &record, Redaction(state))
    }

    private mutating func record(reply sending: Sending, _ record: inout ExchangeRecord, _ redaction: Redaction) {
        guard sending.reaches(.head) || sending.steps.contains(.halfHead) else { return }
        record.status = sending.status
        record.cost -= record.replyHeaders.cost + record.replyBody.count
        record.replyHeaders = replyHeaders.list(of: sending.headers, redaction)
        if upstream == nil { record.replyBody = redaction.body(sending.shownBody.kept, of: .reply) }
        record.cost += record.replyHeaders.cost + record.replyBody.count
    }

    /// The `Date` header for an instant of the session's clock.
    mutating func dateText(_ now: Instant) -> String {
        let shown = now + state.clock.skew
        if shown.seconds != date.second { date = (shown.seconds, shown.httpDate) }
        return date.text
    }

    /// A request's id: from the session's seed and the exchange's number.
    func requestID(_ seq: Int) -> String {
        "req-" + hexadecimal(SeededGenerator.hash(state.seed, UInt64(state.epoch), UInt64(seq)))
    }
}

/// Request headers without a secret, by their place in the head: those of the next request are nearly always the same.
///
/// A header that redaction left as it was holds nothing that is shaped like a token or named like a secret, which no later state
/// of the session changes.
struct HarmlessHeaders: Sendable {
    /// The bound on the memory: longer heads and headers are redacted anew each time.
    private static let places = 32
    private static let longestBytes = 256

    private var harmless: [JournalEntry.Header] = []
    /// A header with a token as it came, and as journals keep it: the same again while its token has the same id.
    private var credential: (header: JournalEntry.Header, label: String, redacted: JournalEntry.Header)?

    /// The headers as journals keep them.
    mutating func redacted(_ headers: [JournalEntry.Header], _ redaction: Redaction) -> [JournalEntry.Header] {
        headers.enumerated().map { place, header in
            if place < harmless.count, harmless[place] == header { return harmless[place] }
            if let credential, credential.header == header, credential.label == redaction.presented { return credential.redacted }
            let redacted = redaction.header(header)
            if let label = redaction.presented, header.name.isHeaderName("authorization") { credential = (header, label, redacted) }
            guard redacted == header, header.name.utf8.count + header.value.utf8.count <= HarmlessHeaders.longestBytes else {
                return redacted
            }
            if place < harmless.count {
                harmless[place] = header
            } else if place == harmless.count, place < HarmlessHeaders.places {
                harmless.append(header)
            }
            return header
        }
    }
}

/// The headers of the last reply that was recorded: those of the next are nearly always the same, and share them.
struct LastHeaders: Sendable {
    /// A huge head is no reason for a huge journal: so much is kept of a value, and so much of all.
    private static let keptValueBytes = 1024
    private static let keptBytes = 8 * 1024

    private var sent: [JournalEntry.Header] = []
    private var list = HeaderList.empty

    /// The headers as journals keep them.
    mutating func list(of headers: [JournalEntry.Header], _ redaction: Redaction) -> HeaderList {
        if headers == sent { return list }
        var room = LastHeaders.keptBytes
        let kept = headers.map { header in
            let short = header.shortened(to: Swift.min(LastHeaders.keptValueBytes, Swift.max(0, room)))
            room -= short.value.utf8.count
            return redaction.header(short)
        }
        // A redacted value is not cached: a token that becomes known later is redacted differently.
        guard kept == headers else { return HeaderList(kept) }
        sent = headers
        list = HeaderList(kept)
        return list
    }
}

extension [UInt8] {
    /// As much of a body as the journal keeps.
    var kept: [UInt8] {
        count <= JournalEntry.storedBodyBytes ? self : Array(prefix(JournalEntry.storedBodyBytes))
    }
}

extension JournalEntry.Header {
    /// The header with its value cut to at most `bytes` bytes.
    fileprivate func shortened(to bytes: Int) -> JournalEntry.Header {
        guard value.utf8.count > bytes else { return self }
        return JournalEntry.Header(name, String(decoding: value.utf8.prefix(Swift.max(0, bytes)), as: UTF8.self) + "…")
    }
}

extension ExchangeRecord {
    /// Records the outcome of a reply.
    mutating func note(_ reply: Reply) {
        committed = reply.committed
        replayed = reply.replayed
        self.reply = reply.name
    }

    /// Appends a rule's effect, applied or not; nil adds nothing.
    mutating func note(_ fault: FaultRecord?) {
        if let fault { faults.append(fault) }
    }
}
