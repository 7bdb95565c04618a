package import BankCore
package import BankModel
package import Contracts
import Faults
import Platform

/// The session's journal: entries, verdict, changes.
extension BankSession {
    /// The exchanges after `since`, oldest first, and the number of dropped ones.
    package func journal(since: Int = 0) -> (entries: [JournalEntry], dropped: Int) {
        let (records, dropped) = inner.withLock { (Array($0.journal.records(since: since)), $0.journal.dropped) }
        return (records.map(\.entry), dropped)
    }

    /// The exchanges so far, oldest first; each is converted when it is read.
    package var recorded: JournalRecords { inner.withLock { JournalRecords(records: Array($0.journal.records())) } }

    package func clearJournal() {
        changeJournal { $0.journal.removeAll() }
    }

    /// The requests that matched no operation.
    package var unmatched: UnmatchedExchanges {
        let (records, state) = inner.withLock { inner in
            (inner.journal.records().filter { $0.operation == nil && $0.method != nil }, inner.state)
        }
        return UnmatchedExchanges(
            records: JournalRecords(records: Array(records)), router: state.prepared.router, states: state.states)
    }

    /// The exchange with that number, with the nearest operations if it matched none; nil if it is not in the journal.
    package func exchange(_ seq: Int) -> (entry: JournalEntry, nearest: [NearMiss])? {
        let (record, state) = inner.withLock { ($0.journal.record(seq), $0.state) }
        guard let entry = record?.entry else { return nil }
        return (entry, entry.operation == nil && entry.method != nil ? state.prepared.router.nearest(to: entry, state.states) : [])
    }

    /// Calls back after every exchange that is recorded or ends, and when the journal is emptied, until ``stopWatching(_:)``.
    ///
    /// - Returns: the watcher's number.
    package func watchJournal(_ changed: @escaping @Sendable () -> Void) -> Int {
        inner.withLock { $0.watchers.add(changed) }
    }

    package func stopWatching(_ watcher: Int) { inner.withLock { $0.watchers.remove(watcher) } }

    /// A number raised by every change of the journal.
    package var journalRevision: Int { inner.withLock { $0.journal.revision } }

    /// Returns when the condition is true, the session has ended, the time is over or the task is cancelled. The condition is
    /// evaluated now and after every change of the journal.
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

    /// Returns once the exchanges that are under way now have ended, except those that a fault delays or holds, or after the time limit.
    ///
    /// A client may have its response before the operating system has confirmed to the server that it accepted it.
    package func waitForExchanges(within limit: Duration = .milliseconds(200)) async {
        let underWay = inner.withLock { $0.journal.records().filter(\.isUnderWay).map(\.seq) }
        guard !underWay.isEmpty else { return }
        await watchJournal(within: limit) {
            inner.withLock { inner in !underWay.contains { inner.journal.record($0)?.isUnderWay ?? false } }
        }
    }

    /// The methods of the bank's operations at a target's path; empty if it has no such path.
    package func methods(at target: String) -> [String] {
        inner.withLock { $0.state.prepared.router }.methods(at: String(target.prefix { $0 != "?" }))
    }

    /// The verdict on the client from the session's journal alone.
    ///
    /// It judges the journal as it is now, and may be called repeatedly. Exchanges that have not ended are counted as under way;
    /// the verdict is final once there are none and the client is quiet.
    ///
    /// - Parameters:
    ///   - suites: the suites whose rules apply, of `ClientRule.suites`; all if empty. An unknown name has no rules;
    ///     `ClientRule.suites(named:)` parses and validates user input.
    ///   - isSequential: whether the client sends one request at a time, each after it has read the response to the one before.
    package func verdict(suites: [String] = [], isSequential: Bool = false) -> JournalReport {
        let (entries, dropped) = journal()
        var report = JournalReport(
            session: id, bank: bankName, journal: entries, dropped: dropped, suites: suites, isSequential: isSequential)
        report.outage = effect(in: entries)
        report.judge(webhookAttempts, suites: suites)
        return report
    }

    /// The effect of the last outage on the app, as the journal shows it; nil if none was started, or none of its rules was applied.
    package var outageEffect: OutageEffect? { effect(in: journal().entries) }

    private func effect(in entries: [JournalEntry]) -> OutageEffect? {
        outage.flatMap { OutageEffect(of: $0.outage.name, Set($0.outage.rules.map(\.id)), in: entries) }
    }

    // MARK: watching

    /// Changes the session, then calls the watchers of its journal.
    ///
    /// - Parameter isChanged: whether the journal has changed.
    func changeJournal<Result: Sendable>(
        _ body: (inout LockedState) -> Result, where isChanged: (Result) -> Bool = { _ in true }
    ) -> Result {
        let (result, watchers) = inner.withLock { inner in
            let result = body(&inner)
            return (result, isChanged(result) ? inner.watchers.all : [])
        }
        watchers.forEach { $0() }
        return result
    }

    struct Watchers: Sendable {
        private var watchers: [Int: @Sendable () -> Void] = [:]
        private var last = 0

        var isEmpty: Bool { watchers.isEmpty }

        /// All callbacks; usually there are none.
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

/// Requests that matched no operation of a bank.
package struct UnmatchedExchanges: Sendable {
    package let records: JournalRecords
    fileprivate let router: RequestRouter
    fileprivate let states: [String: String]

    /// The operations nearest to one of them.
    package func nearest(to entry: JournalEntry) -> [NearMiss] { router.nearest(to: entry, states) }
}

extension RequestRouter {
    /// The operations nearest to an exchange's request.
    fileprivate func nearest(to entry: JournalEntry, _ states: [String: String]) -> [NearMiss] {
        nearMisses(
            BankRequest(entry.method ?? "", entry.path, query: entry.query, headers: entry.requestHeaders, body: entry.requestBody),
            states: states)
    }
}
