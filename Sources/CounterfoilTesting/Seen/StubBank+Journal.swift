import BankEngine
import BankModel
import StubServer

extension StubBank {
    /// The exchanges so far, oldest first, at most the last 10,000. Exchanges that matched no operation or are still in progress are
    /// included.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public var journal: [Exchange] { get throws(StubBankError) { try live().journal().entries.map(Exchange.init) } }

    /// Deletes the exchanges so far: ``expect(_:sequential:within:)`` checks only later ones.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func clearJournal() throws(StubBankError) { try live().clearJournal() }

    /// Waits for an exchange: for example, a UI test taps a button and waits for the app's request.
    ///
    /// ```swift
    /// let payment = try await bank.waitForExchange { $0.roles.contains(.pay) }
    /// ```
    ///
    /// An exchange that is already in the journal is returned at once. The exchange may be in progress, without a status:
    /// ``waitUntilIdle(within:)`` waits for its end.
    ///
    /// - Parameters:
    ///   - limit: the longest wait, in real time.
    ///   - matches: returns true for the wanted exchange.
    /// - Returns: the first exchange in the journal that matches.
    /// - Throws: ``StubBankError/Code/noExchange`` if none matched in time, with the last lines of the journal; or
    ///   ``StubBankError/Code/ended``.
    public func waitForExchange(
        within limit: Duration = .seconds(30), where matches: @escaping @Sendable (Exchange) -> Bool
    ) async throws(StubBankError) -> Exchange {
        try await wait(limit) { $0.contains { matches(Exchange($0)) } }
        let journal = try journal
        if let met = journal.first(where: matches) { return met }
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
        let open = try live().journal().entries.filter { !$0.hasEnded }
        guard open.isEmpty else {
            throw StubBankError(
                .stillInProgress,
                "found \(open.count == 1 ? "an exchange" : "\(open.count) exchanges") in progress after \(limit), expected none:"
                    + open.map { "\n  \(Exchange($0))" }.joined())
        }
    }

    /// Returns when the journal meets the condition, or after the time limit.
    func wait(_ limit: Duration, until isMet: @Sendable ([JournalEntry]) -> Bool) async throws(StubBankError) {
        let session = try live()
        await session.watchJournal(within: limit) { isMet(session.journal().entries) }
    }
}

extension JournalEntry {
    /// True if the response was sent, or its fault was carried out.
    var hasEnded: Bool { durationMicroseconds != nil }
}
