import BankModel

/// What a session remembers of keyed writes.
package struct IdempotencyBook: Sendable {
    /// One key of one customer for one operation.
    package struct ID: Sendable, Hashable {
        package let customer: String?
        package let operation: String
        package let key: String
    }

    /// A key that was used.
    package struct Record: Sendable {
        /// What was asked for under it: method, path, query and body.
        let fingerprint: Fingerprint
        let since: Instant
        /// Nil while the first request is being executed.
        var stored: Reply?
    }

    struct Fingerprint: Sendable, Hashable {
        let path: String
        let query: String?
        let body: [UInt8]
    }

    package private(set) var records: [ID: Record] = [:]

    package init() {}

    enum Claim {
        case new
        case replay(Reply)
        case inFlight
        case mismatch
    }

    /// Claims a key: makes a record in flight, or says what stands under it.
    mutating func claim(_ id: ID, _ fingerprint: Fingerprint, window: Duration?, at now: Instant) -> Claim {
        if let record = records[id], !record.isOver(window, at: now) {
            guard record.fingerprint == fingerprint else { return .mismatch }
            guard var reply = record.stored else { return .inFlight }
            reply.replayed = true
            return .replay(reply)
        }
        records[id] = Record(fingerprint: fingerprint, since: now, stored: nil)
        return .new
    }

    /// What stands under a claimed key once its result is known; nil if nobody claimed it.
    func record(_ reply: Reply, under id: ID) -> Record? {
        guard var record = records[id] else { return nil }
        record.stored = reply
        return record
    }

    /// Keeps what is known under a key.
    mutating func keep(_ record: Record, under id: ID) { records[id] = record }

    /// Forgets all that is known under a key.
    mutating func forget(_ id: ID) { records[id] = nil }

    /// Forgets a claim that was not executed, or whose result is not kept; a stored result stays.
    mutating func drop(_ id: ID) { if records[id]?.stored == nil { records[id] = nil } }

    /// Forgets all claims that are not executed.
    mutating func dropClaims() { records = records.filter { $0.value.stored != nil } }

    /// Takes over the claims of another book that are not executed.
    mutating func takeClaims(of other: IdempotencyBook) {
        for (id, record) in other.records where record.stored == nil && records[id] == nil { records[id] = record }
    }
}

extension IdempotencyBook.Record {
    func isOver(_ window: Duration?, at now: Instant) -> Bool {
        guard let window, stored != nil else { return false }
        return now >= since + window
    }
}
