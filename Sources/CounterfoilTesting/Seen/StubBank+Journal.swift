import BankEngine
import BankModel
import StubServer

extension StubBank {
    /// The exchanges so far, oldest first, at most the last 10,000. Exchanges that matched no operation or are still in progress are
    /// included. After the bank's end, those that it had then.
    public var journal: Journal { Journal(recorded) }

    /// The exchanges of a bank as they were at one moment. Each is converted when it is read.
    public struct Journal: RandomAccessCollection, Sendable {
        private let records: JournalRecords

        init(_ records: JournalRecords) { self.records = records }

        /// The position of the oldest exchange.
        public var startIndex: Int { 0 }
        /// The position after the newest exchange.
        public var endIndex: Int { records.count }
        /// The exchange at a position.
        public subscript(position: Int) -> Exchange { Exchange(records[position]) }

        /// The exchanges that a selection matches: `bank.journal.matching(.role(.pay))`. No other exchange is converted.
        public func matching(_ exchanges: Exchanges) -> Journal { Journal(records.matching(try? exchanges.selector)) }
    }

    /// Deletes the exchanges so far: ``require(_:sequential:within:)`` and its like check only later ones.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func clearJournal() throws(StubBankError) { try live().clearJournal() }

    /// Waits for an exchange: for example, a UI test taps a button and waits for the app's request.
    ///
    /// ```swift
    /// let payment = try await bank.waitForExchange(.role(.pay))
    /// ```
    ///
    /// An exchange that is already in the journal is returned at once. The exchange may be in progress, without a status:
    /// ``waitUntilIdle(within:)`` waits for its end.
    ///
    /// - Parameters:
    ///   - exchanges: the exchanges that are wanted; all by default.
    ///   - limit: the longest wait, in real time.
    ///   - matches: returns true for the wanted exchange among them.
    /// - Returns: the first exchange in the journal that matches.
    /// - Throws: ``StubBankError/Code/noExchange`` if none matched in time, with the last lines of the journal; or
    ///   ``StubBankError/Code/ended``.
    public func waitForExchange(
        _ exchanges: Exchanges = Exchanges(), within limit: Duration = .seconds(30),
        where matches: @escaping @Sendable (Exchange) -> Bool = { _ in true }
    ) async throws(StubBankError) -> Exchange {
        let selector = try? exchanges.selector
        try await wait(limit) { Journal($0.matching(selector)).contains(where: matches) }
        let journal = journal
        if let met = journal.matching(exchanges).first(where: matches) { return met }
        let lines = journal.suffix(20).map { "\n  \($0)" }.joined()
        throw StubBankError(
            .noExchange,
            "found no such exchange after \(limit), expected one; "
                + (journal.isEmpty ? "the bank received no request" : "the end of the journal:\(lines)"))
    }

    /// Waits until no exchange is in progress and the journal has every response.
    ///
    /// A client may receive its response before the journal records that it was sent.
    ///
    /// - Parameter limit: the longest wait, in real time.
    /// - Throws: ``StubBankError/Code/stillInProgress`` if exchanges are still in progress, with their lines of the journal; or
    ///   ``StubBankError/Code/ended``.
    public func waitUntilIdle(within limit: Duration = .seconds(30)) async throws(StubBankError) {
        try await wait(limit) { $0.allSatisfy(\.hasEnded) }
        let open = journal.filter { $0.duration == nil }
        guard open.isEmpty else {
            throw StubBankError(
                .stillInProgress,
                "found \(open.count == 1 ? "an exchange" : "\(open.count) exchanges") in progress after \(limit), expected none:"
                    + open.map { "\n  \($0)" }.joined())
        }
    }

    /// Returns when the journal meets the condition, or after the time limit.
    func wait(_ limit: Duration, until isMet: @Sendable (JournalRecords) -> Bool) async throws(StubBankError) {
        let session = try live()
        await session.watchJournal(within: limit) { isMet(session.recorded) }
    }
}

extension JournalEntry {
    /// True if the response was sent, or its fault was carried out.
    var hasEnded: Bool { durationMicroseconds != nil }
}
