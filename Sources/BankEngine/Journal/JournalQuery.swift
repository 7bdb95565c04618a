package import BankModel

/// Which entries of a journal somebody wants, and whether to wait for them.
package struct JournalQuery: Sendable {
    /// Those with a number above this.
    package var since = 0
    /// Those with a number below this.
    package var before = Int.max
    /// The first so many of them, oldest first.
    package var limit = Int.max
    /// The last so many of them.
    package var last = Int.max
    package var status: Int?
    package var operation: String?
    /// Without headers, bodies and digests.
    package var isBrief = false
    /// The answer comes when the journal is at another revision than this.
    package var revision: Int?
    /// How long that is waited for; nil: not at all.
    package var wait: Duration?

    package init() {}

    /// The longest wait: what stands between may cut a silent connection after half a minute.
    package static let longestWait = Duration.seconds(25)
}

/// What a query found.
package struct JournalPage: Sendable {
    /// Oldest first.
    package let entries: [JournalEntry]
    /// What ``JournalQuery/revision`` is to be next time.
    package let revision: Int
    /// The number of the oldest entry that the journal still has; of the one to come, if it is empty.
    package let oldest: Int
    package let dropped: Int
    /// What ``JournalQuery/since`` is to be next time.
    package let next: Int
}

extension BankSession {
    /// The entries that are wanted, once it is time. A task that is cancelled waits no longer.
    ///
    /// - Throws: ``SessionError`` if the session has ended meanwhile.
    package func journal(_ query: JournalQuery) async throws(SessionError) -> JournalPage {
        if let wait = query.wait, let revision = query.revision {
            await watchJournal(within: wait) { journalRevision != revision }
        }
        if isClosed { throw .unknown(id) }
        // Looked through when the session is free again.
        return inner.withLock { $0.journal }.page(query)
    }
}

extension JournalRing {
    /// The records that a query finds, from the newest on if it wants the last; looks at no more than it must.
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
            entries: wanted.map(\.entry), revision: revision, oldest: oldest, dropped: dropped,
            next: (isCut ? wanted.last : all.last)?.seq ?? query.since)
    }
}
