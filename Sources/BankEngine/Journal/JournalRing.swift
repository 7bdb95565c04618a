import BankCore
import BankModel
import DequeModule
import Platform

/// A session's last exchanges: of bounded count, under a budget of bytes that all sessions share.
struct JournalRing {
    /// Oldest first; their numbers have no gaps.
    private var all: Deque<ExchangeRecord> = []
    private let capacity: Int
    private let share: JournalShare
    private(set) var nextSeq = 1
    /// The number of records dropped to stay within bounds.
    private(set) var dropped = 0
    /// Raised by every change: an equal number means an unchanged journal.
    private(set) var revision = 0

    init(capacity: Int, budget: JournalBudget) {
        self.capacity = capacity
        share = JournalShare(of: budget)
    }

    /// Reserves the number of the next record.
    mutating func takeSeq() -> Int {
        defer { nextSeq += 1 }
        return nextSeq
    }

    /// Appends a record; drops the oldest of this session if it has too many, or more than its share of bytes.
    mutating func append(_ record: ExchangeRecord) {
        revision += 1
        share.add(record.cost)
        all.append(record)
        while all.count > capacity || (share.isExceeded && all.count > 1) { dropFirst() }
    }

    /// Changes a record that is still there.
    ///
    /// - Returns: what `change` returns; nil if the record is not there.
    @discardableResult
    mutating func amend<Result>(_ seq: Int, _ change: (inout ExchangeRecord) -> Result) -> Result? {
        guard let index = index(of: seq) else { return nil }
        revision += 1
        let before = all[index].cost
        defer { share.add(all[index].cost - before) }
        return change(&all[index])
    }

    /// The record of that number, if it is still there.
    func record(_ seq: Int) -> ExchangeRecord? { index(of: seq).map { all[$0] } }

    private func index(of seq: Int) -> Int? {
        guard let first = all.first, seq >= first.seq, seq - first.seq < all.count else { return nil }
        return seq - first.seq
    }

    /// The records with a number above `since` and below `before`, oldest first.
    func records(since: Int = 0, before: Int = .max) -> Deque<ExchangeRecord>.SubSequence {
        let first = oldest
        let from = since < first ? 0 : min(since - first + 1, all.count)
        return all[from..<min(max(from, before - first), all.count)]
    }

    /// The number of the oldest record; of the next one, if there is none.
    var oldest: Int { all.first?.seq ?? nextSeq }

    mutating func removeAll() {
        revision += 1
        share.add(-all.reduce(0) { $0 + $1.cost })
        all = []
        dropped = 0
    }

    private mutating func dropFirst() {
        guard let first = all.popFirst() else { return }
        share.add(-first.cost)
        dropped += 1
    }
}

/// The limit of bytes that all journals of a server share.
package final class JournalBudget: Sendable {
    private let limit: Int
    private let state = Locked((used: 0, shares: 0))

    package init(limit: Int) { self.limit = limit }

    func add(_ bytes: Int) { state.withLock { $0.used += bytes } }

    /// What each session may use in bytes, while all together exceed the limit; nil while they do not.
    var share: Int? { state.withLock { $0.used > limit ? limit / max(1, $0.shares) : nil } }

    func open() { state.withLock { $0.shares += 1 } }

    /// - Parameter bytes: those that the share still uses.
    func close(_ bytes: Int) {
        state.withLock { state in
            state.shares -= 1
            state.used -= bytes
        }
    }
}

/// One session's part of a budget.
final class JournalShare: Sendable {
    private let budget: JournalBudget
    private let used = Locked(0)

    init(of budget: JournalBudget) {
        self.budget = budget
        budget.open()
    }

    deinit { budget.close(used.withLock { $0 }) }

    func add(_ bytes: Int) {
        used.withLock { $0 += bytes }
        budget.add(bytes)
    }

    /// Whether this session must drop records: all sessions together exceed the limit, and this one has more than an equal share. One that
    /// is busy costs another none of its records.
    var isExceeded: Bool { budget.share.map { share in used.withLock { $0 > share } } ?? false }
}
