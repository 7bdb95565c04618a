import BankCore
import BankModel
import Faults

extension ExchangeRecord {
    /// The request in a few words, for the state file: no secrets.
    var summary: String { "\(operation?.name ?? "no operation")\(customer.map { " of \($0)" } ?? "")\(key.map { " under \($0)" } ?? "")" }
}

extension BankSession.Inner {
    /// Fills in what the record keeps of request and response, secrets taken out.
    ///
    /// - Parameter sending: nil if the session does not response.
    mutating func record(_ record: inout ExchangeRecord, _ request: BankRequest, _ sending: Sending? = nil) {
        let redaction = Redaction(state, presented: record.token)
        let target = record.target
        record.target = redaction.target(record.target)
        record.key = record.key.map(redaction.text)
        record.requestHeaders = HeaderList(request.headers.map(redaction.header))
        // The names of a real bank's secrets are unknown.
        record.requestBody = upstream == nil ? redaction.body(request.body.kept, of: .request) : []
        if record.bodyDigest == nil, record.requestBody != request.body { record.bodyDigest = ExchangeRecord.digest(request.body) }
        record.cost += record.requestHeaders.cost + record.requestBody.count
        if keepsMessages {
            record.messages = .init(target: target, requestHeaders: request.headers, requestBody: request.body)
            record.cost += HeaderList(request.headers).cost + request.body.count
        }
        if let sending { self.record(response: sending, &record, redaction) }
    }

    /// Fills in what the record keeps of the response, in place of an earlier one.
    mutating func record(response sending: Sending, _ record: inout ExchangeRecord) {
        self.record(response: sending, &record, Redaction(state))
    }

    private mutating func record(response sending: Sending, _ record: inout ExchangeRecord, _ redaction: Redaction) {
        guard sending.reaches(.head) || sending.steps.contains(.halfHead) else { return }
        record.status = sending.status
        record.cost -= record.responseHeaders.cost + record.responseBody.count
        record.responseHeaders = HeaderList(sending.headers.kept.map(redaction.header))
        if upstream == nil { record.responseBody = redaction.body(sending.shownBody.kept, of: .response) }
        record.cost += record.responseHeaders.cost + record.responseBody.count
        guard record.messages != nil else { return }
        record.messages?.responseHeaders = sending.headers
        record.messages?.responseBody = sending.steps.contains(.rest) ? nil : sending.mayHaveBody ? sending.shownBody : []
        record.cost += HeaderList(sending.headers).cost + (record.messages?.responseBody?.count ?? 0)
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

extension [JournalEntry.Header] {
    /// As much of a response's headers as the journal keeps: a huge head is not a reason for a huge journal.
    fileprivate var kept: [JournalEntry.Header] {
        let mostOfValue = 1024
        var room = 8 * 1024
        return map { header in
            let short = header.shortened(to: Swift.min(mostOfValue, Swift.max(0, room)))
            room -= short.value.utf8.count
            return short
        }
    }
}

extension [UInt8] {
    /// As much of a body as the journal keeps.
    var kept: [UInt8] { count <= JournalEntry.storedBodyBytes ? self : Array(prefix(JournalEntry.storedBodyBytes)) }
}

extension JournalEntry.Header {
    /// The header with its value cut to at most `bytes` bytes.
    fileprivate func shortened(to bytes: Int) -> JournalEntry.Header {
        guard value.utf8.count > bytes else { return self }
        return JournalEntry.Header(name, String(decoding: value.utf8.prefix(Swift.max(0, bytes)), as: UTF8.self) + "…")
    }
}

extension ExchangeRecord {
    /// Records the outcome of a response.
    mutating func note(_ response: BankResponse) {
        committed = response.committed
        replayed = response.replayed
        self.response = response.name
    }

    /// Appends a rule's effect, applied or not; nil adds nothing.
    mutating func note(_ fault: FaultRecord?) {
        if let fault { faults.append(fault) }
    }
}
