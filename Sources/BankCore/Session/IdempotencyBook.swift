package import BankModel

/// What a session remembers of keyed writes.
package struct IdempotencyBook: Sendable {
    /// One key of one customer, for one operation or for all. A reference, as are the records: a book of a hundred thousand keys that
    /// grows moves little.
    package final class ID: Sendable, Hashable {
        package let customer: String?
        /// Nil where a key is one for all of the customer's operations.
        package let operation: String?
        package let key: String
        /// Hashed once: every command looks its key up five times.
        private let hash: Int

        package init(customer: String?, operation: String?, key: String) {
            (self.customer, self.operation, self.key) = (customer, operation, key)
            var hasher = Hasher()
            hasher.combine(customer)
            hasher.combine(operation)
            hasher.combine(key)
            hash = hasher.finalize()
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

        package static func == (a: ID, b: ID) -> Bool {
            a === b || a.hash == b.hash && a.key == b.key && a.operation == b.operation && a.customer == b.customer
        }
    }

    /// A key that was used.
    package final class Record: Sendable {
        /// What was asked for under it.
        let fingerprint: Fingerprint
        let since: Instant
        /// Nil while the first request is being executed.
        let stored: Stored?

        init(fingerprint: Fingerprint, since: Instant, stored: Stored?) {
            (self.fingerprint, self.since, self.stored) = (fingerprint, since, stored)
        }
    }

    /// What a key remembers of its first request.
    package struct Stored: Sendable {
        package let reply: Reply
        /// The table and key of the row that it added.
        let row: (table: String, key: String)?
    }

    struct Fingerprint: Sendable {
        let method: String
        let path: String
        let query: String?
        let body: Body

        enum Body: Sendable {
            /// As it was sent: a repeat nearly always has the same bytes, and only one that has others is parsed.
            case whole([UInt8])
            /// As a state file has it: of secret fields the values are gone, and count no more.
            case blanked([UInt8])
            /// In the policy's order; nil for a field that was not there.
            case fields([JSON?])
        }

        /// Whether a repeat asks for the same.
        ///
        /// - Parameter byValue: compares JSON bodies by value. Chosen fields always are.
        func matches(_ other: Fingerprint, byValue: Bool) -> Bool {
            guard method == other.method, path == other.path else { return false }
            guard query == other.query || query != nil && query == other.query.flatMap(SecretFields.blanked) else { return false }
            return switch (body, other.body) {
            case (.blanked(let a), .whole(let b)): Fingerprint.isSame(a, SecretFields.blanked(b) ?? b, byValue: byValue)
            case (.blanked(let a), .blanked(let b)): Fingerprint.isSame(a, b, byValue: byValue)
            case (.whole(let a), .whole(let b)): Fingerprint.isSame(a, b, byValue: byValue)
            case (.fields(let a), .fields(let b)): a.map { $0?.canonical } == b.map { $0?.canonical }
            default: false
            }
        }

        private static func isSame(_ a: [UInt8], _ b: [UInt8], byValue: Bool) -> Bool { byValue ? JSON.isSameBody(a, b) : a == b }
    }

    package private(set) var records: [ID: Record] = [:]
    /// The keys in the order of their first use; those since dropped stand in it until it is tidied.
    private var uses: [(id: ID, since: Instant)] = []
    /// Where in `uses` the oldest stands.
    private var oldest = 0

    package init() {}

    /// A key and what came of it, for showing.
    package struct Use: Sendable, Hashable {
        package let customer: String?
        /// Nil where a key is one for all of the customer's operations.
        package let operation: String?
        package let key: String
        package let since: Instant
        /// Of the reply that is remembered; nil while the first request is being executed.
        package let status: Int?
    }

    /// The keys that are known, in the order of their first use.
    package var known: [Use] {
        records.map { id, record in
            Use(customer: id.customer, operation: id.operation, key: id.key, since: record.since, status: record.stored?.reply.status)
        }.sorted { ($0.since, $0.key) < ($1.since, $1.key) }
    }

    enum Claim {
        case new
        case replay(Stored)
        case inFlight
        case mismatch
    }

    /// Claims a key: makes a record in flight, or says what stands under it. Forgets what is over by now.
    ///
    /// - Parameters:
    ///   - byValue: compares JSON bodies by value.
    ///   - window: how long a key is remembered after its first use; nil: for ever.
    mutating func claim(_ id: ID, _ fingerprint: Fingerprint, byValue: Bool, window: Duration?, at now: Instant) -> Claim {
        let end = window.map { now + (.zero - $0) }
        if let end { forget(until: end) }
        if let record = records[id], !record.isOver(end) {
            guard record.fingerprint.matches(fingerprint, byValue: byValue) else { return .mismatch }
            return record.stored.map(Claim.replay) ?? .inFlight
        }
        records[id] = Record(fingerprint: fingerprint, since: now, stored: nil)
        if window != nil { uses.append((id, now)) }
        return .new
    }

    /// What stands under a claimed key once its result is known; nil if nobody claimed it.
    func record(_ stored: Stored, under id: ID) -> Record? {
        records[id].map { Record(fingerprint: $0.fingerprint, since: $0.since, stored: stored) }
    }

    /// Keeps what is known under a key.
    mutating func keep(_ record: Record, under id: ID) {
        if IdempotencyBook.put(record, in: &records[id]) { uses.append((id, record.since)) }
    }

    /// Puts a record in its place, with one look-up of its key.
    ///
    /// - Returns: whether that is the key's first use at that instant.
    private static func put(_ record: Record, in place: inout Record?) -> Bool {
        defer { place = record }
        return place?.since != record.since
    }

    /// Forgets all that is known under a key.
    mutating func forget(_ id: ID) { records[id] = nil }

    /// Forgets a claim that was not executed, or whose result is not kept; a stored result stays.
    mutating func drop(_ id: ID) {
        if let record = records[id], record.stored == nil { records[id] = nil }
    }

    /// Forgets all claims that are not executed.
    mutating func dropClaims() { records = records.filter { $0.value.stored != nil } }

    /// Takes over the claims of another book that are not executed.
    mutating func takeClaims(of other: IdempotencyBook) {
        for (id, record) in other.records where record.stored == nil && records[id] == nil {
            records[id] = record
            uses.append((id, record.since))
        }
    }

    /// Forgets keys used first at that instant or before; a key in flight, and those after it, wait for its end.
    private mutating func forget(until end: Instant) {
        while oldest < uses.count, uses[oldest].since <= end {
            let (id, since) = uses[oldest]
            if let record = records[id], record.since == since {
                guard record.isOver(end) else { break }
                records[id] = nil
            }
            oldest += 1
        }
        // Tidied when it is twice too long, so that a claim costs the same whatever was used before it.
        guard uses.count > 2 * records.count + 64 else { return }
        uses = uses[oldest...].filter { records[$0.id]?.since == $0.since }
        oldest = 0
    }
}

extension IdempotencyBook.Record {
    /// Whether it was used first at that instant or before; one in flight is not over.
    fileprivate func isOver(_ end: Instant?) -> Bool {
        guard let end, stored != nil else { return false }
        return since <= end
    }
}
