import BankEngine
import BankModel
import StubServer

extension StubBank {
    /// Every exchange so far, oldest first; of more than 10,000 the last. Also those that met no operation, and those that are
    /// still under way.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public var journal: [Exchange] { get throws(StubBankError) { try live().journal().entries.map(Exchange.init) } }

    /// Forgets the exchanges so far: what ``expect(_:within:)`` judges begins here.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func clearJournal() throws(StubBankError) { try live().clearJournal() }

    /// Waits for an exchange, also one that is already there: a UI test taps, and then waits for what the tap makes the app do.
    ///
    /// ```swift
    /// let payment = try await bank.exchange { $0.roles.contains(.pay) }
    /// ```
    ///
    /// It may be under way still, and then has no status yet: ``settled(within:)`` waits for its end.
    ///
    /// - Parameters:
    ///   - limit: how long to wait at most, in real time.
    ///   - matches: which one is meant.
    /// - Returns: the first in the journal that is meant.
    /// - Throws: ``StubBankError/Code/noExchange`` if none has come, with the lines of the journal; or
    ///   ``StubBankError/Code/ended``.
    public func exchange(
        within limit: Duration = .seconds(30), where matches: @escaping @Sendable (Exchange) -> Bool
    ) async throws(StubBankError) -> Exchange {
        try await wait(limit) { $0.contains { matches(Exchange($0)) } }
        let journal = try journal
        if let met = journal.first(where: matches) { return met }
        let lines = journal.suffix(20).map { "\n  \($0)" }.joined()
        throw StubBankError(
            .noExchange,
            "found no such exchange after \(limit), expected one; "
                + (journal.isEmpty ? "the bank was sent no request at all" : "the last of the journal:\(lines)"))
    }

    /// Returns when no exchange is under way: the bank has written down what it has sent.
    ///
    /// A client may have its reply before the bank has noted that it was sent.
    ///
    /// - Parameter limit: how long to wait at most, in real time.
    /// - Throws: ``StubBankError/Code/notSettled`` if something is under way still, with its line of the journal; or
    ///   ``StubBankError/Code/ended``.
    public func settled(within limit: Duration = .seconds(30)) async throws(StubBankError) {
        try await wait(limit) { $0.allSatisfy(\.hasEnded) }
        let open = try live().journal().entries.filter { !$0.hasEnded }
        guard open.isEmpty else {
            throw StubBankError(
                .notSettled,
                "found \(open.count == 1 ? "an exchange" : "\(open.count) exchanges") under way after \(limit), expected none:"
                    + open.map { "\n  \(Exchange($0))" }.joined())
        }
    }

    /// Returns when the journal is as wanted, or the time is over.
    func wait(_ limit: Duration, until isMet: @Sendable ([JournalEntry]) -> Bool) async throws(StubBankError) {
        let session = try live()
        await session.watchJournal(within: limit) { isMet(session.journal().entries) }
    }
}

extension JournalEntry {
    /// The reply was sent, or its fault carried out.
    var hasEnded: Bool { durationMicroseconds != nil }
}
