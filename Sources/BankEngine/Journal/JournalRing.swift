import BankCore
import BankModel
import Synchronization

/// A session's last exchanges: a ring of bounded count, under a budget of bytes that all sessions share.
///
/// A copy shares the records and is cheap, so readers search a copy outside the session's lock.
struct JournalRing {
    /// A ring once it has its full length: the oldest record is at `start`. Unused slots are blank.
    private var slots = ChunkedArray<ExchangeRecord>()
    private var start = 0
    private var count = 0
    private let capacity: Int
    private let budget: JournalBudget
    private(set) var nextSeq = 1
    /// The number of records dropped to stay within bounds.
    private(set) var dropped = 0
    /// Raised by every change: an equal number means an unchanged journal.
    private(set) var revision = 0

    init(capacity: Int, budget: JournalBudget) {
        self.capacity = capacity
        self.budget = budget
    }

    /// Reserves the number of the next record.
    mutating func takeSeq() -> Int {
        defer { nextSeq += 1 }
        return nextSeq
    }

    /// Appends a record; drops the oldest of this session if count or bytes are exceeded.
    mutating func append(_ record: consuming ExchangeRecord) {
        var old: [ExchangeRecord] = []
        append(record, dropping: &old)
    }

    /// As ``append(_:)``.
    ///
    /// - Parameter old: receives the dropped records: freeing them takes longer than dropping them, so the caller does it outside
    ///   the lock.
    mutating func append(_ record: consuming ExchangeRecord, dropping old: inout [ExchangeRecord]) {
        revision += 1
        budget.add(record.cost)
        if count == capacity, count > 0 { old.append(dropFirst()) }
        if count == slots.count {
            if start > 0 { slots = ChunkedArray(Array(slots[start...]) + Array(slots[..<start])) }
            start = 0
            slots.append(record)
        } else {
            slots[place(count)] = record
        }
        count += 1
        while count > capacity || (budget.isExceeded && count > 1) { old.append(dropFirst()) }
    }

    /// Changes a record that is still there.
    mutating func amend(_ seq: Int, _ change: (inout ExchangeRecord) -> Void) {
        guard let place = place(of: seq) else { return }
        revision += 1
        let before = slots[place].cost
        change(&slots[place])
        budget.add(slots[place].cost - before)
    }

    /// The record of that number, if it is still there.
    func record(_ seq: Int) -> ExchangeRecord? { place(of: seq).map { slots[$0] } }

    /// The slot of the record of that age, counted from the oldest.
    private func place(_ age: Int) -> Int { (start + age) % slots.count }

    private func place(of seq: Int) -> Int? {
        guard count > 0, seq >= slots[start].seq, seq - slots[start].seq < count else { return nil }
        return place(seq - slots[start].seq)
    }

    /// The entries with a number above `since`, oldest first.
    func entries(since: Int = 0) -> [JournalEntry] { records(since: since).map(\.entry) }

    /// The records with a number above `since` and below `before`, oldest first: their numbers have no gaps.
    func records(since: Int = 0, before: Int = .max) -> some BidirectionalCollection<ExchangeRecord> {
        let first = oldest
        let from = since < first ? 0 : min(since - first + 1, count)
        let until = min(max(from, before - first), count)
        return (from..<until).lazy.map { slots[place($0)] }
    }

    /// The number of the oldest record; of the next one, if there is none.
    var oldest: Int { count > 0 ? slots[start].seq : nextSeq }

    mutating func removeAll() {
        revision += 1
        while count > 0 { dropFirst() }
        slots = ChunkedArray()
        start = 0
        dropped = 0
    }

    @discardableResult
    private mutating func dropFirst() -> ExchangeRecord {
        var first = ExchangeRecord.blank
        swap(&first, &slots[start])
        budget.add(-first.cost)
        start = (start + 1) % slots.count
        count -= 1
        dropped += 1
        return first
    }
}

/// The limit of bytes that all journals of a server share.
package final class JournalBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    func add(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    var isExceeded: Bool { used.load(ordering: .relaxed) > limit }
}
