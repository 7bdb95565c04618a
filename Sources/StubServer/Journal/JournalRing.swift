import BankModel
import NIOCore
import Synchronization

/// A session's last exchanges: a ring of bounded count, under a budget of bytes that all sessions share.
struct JournalRing {
    private var records = CircularBuffer<ExchangeRecord>()
    private let capacity: Int
    private let budget: JournalBudget
    private(set) var nextSeq = 1
    /// How many were dropped to stay within bounds.
    private(set) var dropped = 0
    /// Raised by every change: whoever saw this number has seen all there is.
    private(set) var revision = 0

    init(capacity: Int, budget: JournalBudget) {
        (self.capacity, self.budget) = (capacity, budget)
    }

    /// The number of the record to be appended next.
    mutating func takeSeq() -> Int {
        defer { nextSeq += 1 }
        return nextSeq
    }

    /// Keeps a record, dropping the oldest of this session where count or bytes run out.
    mutating func append(_ record: ExchangeRecord) {
        revision += 1
        records.append(record)
        budget.add(record.cost)
        while records.count > capacity || (budget.isExceeded && records.count > 1) { dropFirst() }
    }

    /// Changes a record that is still there.
    mutating func amend(_ seq: Int, _ change: (inout ExchangeRecord) -> Void) {
        guard let index = index(of: seq) else { return }
        revision += 1
        let before = records[index].cost
        change(&records[index])
        budget.add(records[index].cost - before)
    }

    /// The record of that number, if it is still there.
    func record(_ seq: Int) -> ExchangeRecord? { index(of: seq).map { records[$0] } }

    private func index(of seq: Int) -> CircularBuffer<ExchangeRecord>.Index? {
        guard let first = records.first?.seq, seq >= first, seq - first < records.count else { return nil }
        return records.index(records.startIndex, offsetBy: seq - first)
    }

    /// Those with a number above `since`, oldest first.
    func entries(since: Int = 0) -> [JournalEntry] { records(since: since).map(\.entry) }

    /// Those with a number above `since` and below `before`, oldest first: their numbers have no gaps.
    func records(since: Int = 0, before: Int = .max) -> CircularBuffer<ExchangeRecord>.SubSequence {
        let first = oldest
        let from = since < first ? 0 : min(since - first + 1, records.count)
        let until = min(max(from, before - first), records.count)
        return records[records.index(records.startIndex, offsetBy: from)..<records.index(records.startIndex, offsetBy: until)]
    }

    /// The number of the oldest that is there; of the one to come, if there is none.
    var oldest: Int { records.first?.seq ?? nextSeq }

    mutating func removeAll() {
        revision += 1
        while !records.isEmpty { dropFirst() }
        dropped = 0
    }

    private mutating func dropFirst() {
        budget.add(-records.removeFirst().cost)
        dropped += 1
    }
}

/// The bytes that all journals of a server may take together.
final class JournalBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    func add(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    var isExceeded: Bool { used.load(ordering: .relaxed) > limit }
}
