package import BankCore
package import BankModel
package import Contracts
import Synchronization

/// What the journal tells: entries, verdict, changes.
extension BankSession {
    /// The exchanges after `since`, oldest first, and how many older ones were dropped.
    package func journal(since: Int = 0) -> (entries: [JournalEntry], dropped: Int) {
        let journal = inner.withLock { $0.journal }
        return (journal.entries(since: since), journal.dropped)
    }

    package func clearJournal() {
        changeJournal { $0.journal.removeAll() }
    }

    /// Requests that met no operation, each with the operations they nearly met.
    package func unmatched() -> [(entry: JournalEntry, nearest: [NearMiss])] {
        let (journal, router) = inner.withLock { ($0.journal, $0.state.prepared.router) }
        return journal.records().filter { $0.operation == nil && $0.method != nil }.map { record in
            let entry = record.entry
            return (entry, router.nearest(to: entry))
        }
    }

    /// The exchange of that number, with the operations it nearly met if it met none; nil if the journal has it not.
    package func exchange(_ seq: Int) -> (entry: JournalEntry, nearest: [NearMiss])? {
        let (record, router) = inner.withLock { ($0.journal.record(seq), $0.state.prepared.router) }
        guard let entry = record?.entry else { return nil }
        return (entry, entry.operation == nil && entry.method != nil ? router.nearest(to: entry) : [])
    }

    /// Calls back after every exchange that is recorded or ends, and when the journal is emptied, until cancelled.
    ///
    /// - Returns: the watcher's number.
    package func watchJournal(_ changed: @escaping @Sendable () -> Void) -> Int {
        inner.withLock { $0.watchers.add(changed) }
    }

    package func stopWatching(_ watcher: Int) { inner.withLock { $0.watchers.remove(watcher) } }

    /// A number that every change of the journal raises.
    package var journalRevision: Int { inner.withLock { $0.journal.revision } }

    /// Returns when that is so, the session has ended, the time is over or the task cancelled. It is asked now, and whenever the journal
    /// has changed.
    package func watchJournal(within limit: Duration, until isSo: @Sendable () -> Bool) async {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = watchJournal { change.yield() }
        defer { stopWatching(watcher) }
        if isSo() || isClosed { return }
        let timer = Task {
            try? await Task.sleep(for: limit)
            change.finish()
        }
        defer { timer.cancel() }
        for await _ in changes where isSo() || isClosed { return }
    }

    /// The methods that the bank has operations for at a target's path; none if it has no such path.
    package func methods(at target: String) -> [String] {
        inner.withLock { $0.state.prepared.router }.methods(at: String(target.prefix { $0 != "?" }))
    }

    /// What the session's journal, and nothing else, says so far of the client that was pointed at it.
    ///
    /// It is a look at the journal as it is now, and may be taken as often as one likes. Exchanges that have not ended are
    /// counted as under way; wait until there are none and the client is quiet before the verdict is believed.
    ///
    /// - Parameter suites: the suites whose rules are wanted, of `AttachedRule.suites`; empty: all. A name that is no suite's
    ///   has no rules; `AttachedRule.suites(named:)` reads and checks names that somebody typed.
    package func verdict(suites: [String] = []) -> AttachedReport {
        let (entries, dropped) = journal()
        return AttachedReport(session: id, bank: bankName, journal: entries, dropped: dropped, suites: suites)
    }

    // MARK: watching

    /// Changes the session, then calls back who watches its journal.
    ///
    /// - Parameter isChanged: whether the journal did change.
    func changeJournal<Result: Sendable>(
        _ body: (inout Inner) -> Result, where isChanged: (Result) -> Bool = { _ in true }
    ) -> Result {
        let (result, watchers) = inner.withLock { inner in
            let result = body(&inner)
            return (result, isChanged(result) ? inner.watchers.all : [])
        }
        watchers.forEach { $0() }
        return result
    }

    /// Those who watch a journal.
    struct Watchers: Sendable {
        private var watchers: [Int: @Sendable () -> Void] = [:]
        private var last = 0

        var isEmpty: Bool { watchers.isEmpty }

        /// All of them; mostly there is none.
        var all: [@Sendable () -> Void] { watchers.isEmpty ? [] : Array(watchers.values) }

        /// - Returns: the watcher's number.
        mutating func add(_ changed: @escaping @Sendable () -> Void) -> Int {
            last += 1
            watchers[last] = changed
            return last
        }

        mutating func remove(_ watcher: Int) { watchers[watcher] = nil }
    }
}

extension RequestRouter {
    /// The operations that an exchange's request nearly met.
    fileprivate func nearest(to entry: JournalEntry) -> [NearMiss] {
        nearMisses(
            BankRequest(entry.method ?? "", entry.path, query: entry.query, headers: entry.requestHeaders, body: entry.requestBody))
    }
}
