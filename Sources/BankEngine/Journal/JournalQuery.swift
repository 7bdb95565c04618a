package import BankModel
package import Faults
import Platform

/// A query of a journal: which entries, and whether to wait for them.
package struct JournalQuery: Sendable {
    /// Only entries with a number above this.
    package var since = 0
    /// Only entries with a number below this.
    package var before = Int.max
    /// The maximum number of entries; the oldest win.
    package var limit = Int.max
    /// The maximum number of entries; the newest win.
    package var last = Int.max
    package var status: Int?
    package var operation: String?
    /// Leaves out headers, bodies and digests.
    package var isBrief = false
    /// Waits until the journal's revision differs from this; nil if the query does not wait.
    package var revision: Int?
    /// The maximum time for which the query waits; nil if it does not.
    package var wait: Duration?

    package init() {}

    /// The longest wait: proxies may close an idle connection after 30 s.
    package static let longestWait = Duration.seconds(25)
    /// How long a query that waits gathers changes behind the first, unless it is brief.
    static let batchTime = Duration.milliseconds(20)
}

/// Recorded exchanges, each of which becomes a ``JournalEntry`` only when it is read.
package struct JournalRecords: Sendable, RandomAccessCollection {
    let records: [ExchangeRecord]

    package var startIndex: Int { 0 }
    package var endIndex: Int { records.count }
    package subscript(index: Int) -> JournalEntry { records[index].entry }

    /// Those with a request: others are connections that a rule was applied to before it.
    package var withRequest: JournalRecords { JournalRecords(records: records.filter { $0.method != nil }) }

    /// The exchanges that the selector matches; none if it is nil.
    package func matching(_ selector: RuleSelector?) -> JournalRecords {
        JournalRecords(records: selector.map { selector in records.filter { selector.matches($0.facts) } } ?? [])
    }

    /// Those that have not ended, and that no fault delays or holds.
    package var underWay: JournalRecords { JournalRecords(records: records.filter(\.isUnderWay)) }
}

/// The result of a query.
package struct JournalPage: Sendable {
    /// Oldest first.
    package let records: JournalRecords
    /// The ``JournalQuery/revision`` for the next query.
    package let revision: Int
    /// The number of the oldest entry in the journal; of the next one, if it is empty.
    package let oldest: Int
    package let dropped: Int
    /// The ``JournalQuery/since`` for the next query.
    package let next: Int
}

extension BankSession {
    /// Returns the entries that a query matches, after its wait. Cancelling the task ends the wait.
    ///
    /// - Throws: ``SessionError`` if the session has ended meanwhile.
    package func journal(_ query: JournalQuery) async throws(SessionError) -> JournalPage {
        if let wait = query.wait, let revision = query.revision {
            await watchJournal(within: wait) { journalRevision != revision }
            // One response for a batch of exchanges: whole entries are long.
            if !query.isBrief { try? await Task.sleep(for: JournalQuery.batchTime) }
        }
        await waitForExchanges()
        if isClosed { throw .unknown(id) }
        return inner.withLock { $0.journal.page(query) }
    }
}

extension JournalRing {
    /// The result of a query; examines only as many records as needed.
    func page(_ query: JournalQuery) -> JournalPage {
        let all = records(since: query.since, before: query.before)
        func fits(_ record: ExchangeRecord) -> Bool {
            (query.status.map { $0 == record.status } ?? true) && (query.operation.map { $0 == record.operation?.name } ?? true)
        }
        var wanted: [ExchangeRecord]
        var isCut = false
        if query.last < .max {
            wanted = all.lazy.reversed().filter(fits).prefix(query.last).reversed()
        } else {
            wanted = Array(all.lazy.filter(fits).prefix(query.limit == .max ? .max : query.limit + 1))
            isCut = wanted.count > query.limit
        }
        wanted = Array(wanted.prefix(query.limit))
        return JournalPage(
            records: JournalRecords(records: wanted), revision: revision, oldest: oldest, dropped: dropped,
            next: (isCut ? wanted.last : all.last)?.seq ?? query.since)
    }
}
