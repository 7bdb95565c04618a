package import BankModel
import DequeModule

/// A session's records of keyed writes.
package struct IdempotencyBook: Sendable {
    /// One key of one customer, for one operation or for all.
    package struct ID: Sendable, Hashable {
        package let customer: String?
        /// Nil if a key is shared by all of the customer's operations.
        package let operation: String?
        package let key: String
    }

    /// A key that was used. A reference: a growing book of a hundred thousand keys then moves little memory.
    package final class Record: Sendable {
        /// The fingerprint of the first request.
        let fingerprint: Fingerprint
        /// The beginning of its window: the instant of the first request's execution; until then, that of the claim.
        package let since: Instant
        /// Nil while the first request is in flight.
        package let stored: Stored?

        init(fingerprint: Fingerprint, since: Instant, stored: Stored?) {
            self.fingerprint = fingerprint
            self.since = since
            self.stored = stored
        }
    }

    /// The result of a key's first request.
    package struct Stored: Sendable {
        package let response: BankResponse
        /// The table and key of the row that it added.
        let row: (table: String, key: String)?
    }

    struct Fingerprint: Sendable {
        let method: String
        let path: String
        let query: String?
        let body: Body

        enum Body: Sendable {
            /// The bytes as sent: a repeat nearly always has the same bytes, and only a different one is parsed.
            case whole([UInt8])
            /// The bytes from a state file: the values of secret fields are blank, and are not compared.
            case blanked([UInt8])
            /// In the policy's order; nil for a missing field.
            case fields([JSON?])
        }

        /// Whether a repeat makes the same request.
        ///
        /// - Parameter byValue: compares JSON bodies by value. Selected fields always are.
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
    /// The keys in the order of their first use; dropped ones remain until the list is compacted.
    private var uses: Deque<FirstUse> = []
    /// The keys whose first requests are in flight.
    private var claimed: Set<ID> = []
    /// Whether `uses` is in order: an image lists the keys by name.
    private var isInOrder = true

    private struct FirstUse {
        let id: ID
        let since: Instant
    }

    package init() {}

    /// The known keys, in the order of their first use, those of one instant by name.
    ///
    /// - Parameters:
    ///   - last: the number of newest keys; no others are examined, except those of one instant with the oldest of them.
    ///   - end: leaves out the keys first used at that instant or before, unless they are in flight; nil leaves out none.
    package func known(last: Int = .max, after end: Instant? = nil) -> [(id: ID, record: Record)] {
        var found: [(id: ID, record: Record)] = []
        var seen: Set<ID> = []
        for use in (isInOrder ? uses : sortedUses).reversed() {
            if found.count >= last, found.last?.record.since != use.since { break }
            guard let record = records[use.id], record.since == use.since, !record.isOver(end), seen.insert(use.id).inserted
            else { continue }
            found.append((use.id, record))
        }
        return found.sorted { ($0.record.since, $0.id.key) < ($1.record.since, $1.id.key) }.suffix(last)
    }

    private var sortedUses: Deque<FirstUse> {
        Deque(uses.filter { records[$0.id]?.since == $0.since }.sorted { $0.since < $1.since })
    }

    enum Claim {
        case new
        case replay(Stored)
        case inFlight
        case mismatch
    }

    /// Claims a key: creates a record in flight, or returns the existing one. Evicts expired records.
    ///
    /// - Parameters:
    ///   - byValue: compares JSON bodies by value.
    ///   - window: the time for which a key is remembered after the execution of its first request; nil if forever.
    mutating func claim(_ id: ID, _ fingerprint: Fingerprint, byValue: Bool, window: Duration?, at now: Instant) -> Claim {
        let end = window.map { now + (.zero - $0) }
        if let end { forget(until: end) }
        if let record = records[id], !record.isOver(end) {
            guard record.fingerprint.matches(fingerprint, byValue: byValue) else { return .mismatch }
            return record.stored.map(Claim.replay) ?? .inFlight
        }
        records[id] = Record(fingerprint: fingerprint, since: now, stored: nil)
        claimed.insert(id)
        append(FirstUse(id: id, since: now))
        return .new
    }

    /// The record of a claimed key once its result is known; nil if it was not claimed.
    ///
    /// - Parameter now: the instant of the execution, at which the window begins: otherwise a request held for longer than
    ///   the window would be forgotten with its execution, and executed again when it is repeated.
    func record(_ stored: Stored, under id: ID, at now: Instant) -> Record? {
        records[id].map { Record(fingerprint: $0.fingerprint, since: now, stored: stored) }
    }

    /// Stores the record of a key.
    mutating func store(_ record: Record, under id: ID) {
        let before = records.updateValue(record, forKey: id)
        if before?.since != record.since { append(FirstUse(id: id, since: record.since)) }
        if record.stored == nil { claimed.insert(id) } else { claimed.remove(id) }
    }

    private mutating func append(_ use: FirstUse) {
        if let last = uses.last, use.since < last.since { isInOrder = false }
        uses.append(use)
        // Dropped keys are few, except in an attack: compacting at twice the length makes the cost of a use constant.
        guard uses.count > 2 * records.count + 64 else { return }
        uses = Deque(uses.filter { records[$0.id]?.since == $0.since })
    }

    /// Removes the record of a key.
    mutating func forget(_ id: ID) {
        records[id] = nil
        claimed.remove(id)
        if uses.last?.id == id { uses.removeLast() }
    }

    /// Removes a claim that was not executed, or whose result is not stored; a stored result remains.
    mutating func drop(_ id: ID) {
        if let record = records[id], record.stored == nil { forget(id) }
    }

    /// Removes all claims that are not executed.
    mutating func dropClaims() { for id in claimed { drop(id) } }

    /// Evicts keys first used at that instant or before; a key in flight, and those after it, wait for its end.
    private mutating func forget(until end: Instant) {
        if !isInOrder { (uses, isInOrder) = (sortedUses, true) }
        while let first = uses.first, first.since <= end {
            if let record = records[first.id], record.since == first.since {
                guard record.isOver(end) else { break }
                records[first.id] = nil
            }
            uses.removeFirst()
        }
    }
}

extension IdempotencyBook.Record {
    /// Whether it was first used at that instant or before; a key in flight has not expired.
    fileprivate func isOver(_ end: Instant?) -> Bool {
        guard let end, stored != nil else { return false }
        return since <= end
    }
}
