package import BankCore
package import BankModel
import Synchronization

/// What a tester does to a session from outside: tokens, rules, connections; and what is to be seen of it.
extension BankSession {
    // MARK: tokens

    /// Issues a token as if the customer had signed in.
    package func issueTokens(login: String?, scopes: [String]? = nil, lifetime: Duration? = nil) throws(TokenError) -> IssuedTokens {
        try inner.withLock { inner throws(TokenError) in
            let login = login ?? inner.state.bank.customers.first?.login ?? ""
            // What a plan lets expire by now was issued before this one.
            let now = inner.settle(clock)
            guard !inner.state.hasAllTokens(inner.limit) else { throw .sessionFull(inner.limit) }
            let issued = try inner.state.issueTokens(login: login, scopes: scopes, lifetime: lifetime, at: now)
            _ = inner.commit("a token of \(login)", at: now)
            return issued
        }
    }

    package func expireTokens(id: String? = nil) throws(TokenError) {
        try inner.withLock { inner throws(TokenError) in
            try inner.state.expireTokens(id: id, at: inner.state.goOn(machine: clock.now()))
        }
    }

    package func revokeTokens(id: String? = nil) throws(TokenError) {
        try inner.withLock { inner throws(TokenError) in try inner.state.revokeTokens(id: id) }
    }

    package func downscopeTokens(id: String? = nil, to scopes: [String] = []) throws(TokenError) {
        try inner.withLock { inner throws(TokenError) in try inner.state.downscopeTokens(id: id, to: scopes) }
    }

    /// All tokens ever issued since the last reset. Their texts are secrets: for scanning, never for showing.
    package var tokens: [TokenBook.Token] {
        Array(
            inner.withLock { inner in
                _ = inner.settle(clock)
                return inner.state.tokens
            }.tokens)
    }

    // MARK: journal and ledger

    /// The exchanges after `since`, oldest first, and how many older ones were dropped.
    package func journal(since: Int = 0) -> (entries: [JournalEntry], dropped: Int) {
        let journal = inner.withLock { $0.journal }
        return (journal.entries(since: since), journal.dropped)
    }

    package func clearJournal() {
        let watchers = inner.withLock { inner in
            inner.journal.removeAll()
            return inner.watchers.values.map(\.self)
        }
        watchers.forEach { $0() }
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

    /// Movements of money, in the order in which they were made.
    package var ledger: Ledger {
        inner.withLock { inner in
            _ = inner.settle(clock)
            return inner.state.ledger
        }
    }

    /// Calls back after every exchange that is recorded or ends, and when the journal is emptied, until cancelled.
    ///
    /// - Returns: the watcher's number.
    package func watchJournal(_ changed: @escaping @Sendable () -> Void) -> Int {
        inner.withLock { inner in
            inner.nextWatcher += 1
            inner.watchers[inner.nextWatcher] = changed
            return inner.nextWatcher
        }
    }

    package func stopWatching(_ watcher: Int) { inner.withLock { $0.watchers[watcher] = nil } }

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
}

extension RequestRouter {
    /// The operations that an exchange's request nearly met.
    fileprivate func nearest(to entry: JournalEntry) -> [NearMiss] {
        nearMisses(
            BankRequest(entry.method ?? "", entry.path, query: entry.query, headers: entry.requestHeaders, body: entry.requestBody))
    }
}
