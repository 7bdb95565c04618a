import BankModel

/// The limit of one session, so that no client can make it grow without end: a command that would exceed it is rejected, and
/// the content remains readable until the session is reset.
package struct SessionSize: Sendable, Hashable {
    /// The largest number of movements, and of keys.
    package let payments: Int

    /// About 500 megabytes with texts as short as those of apps.
    package static let usual = SessionSize(payments: 200_000)
    package static let unlimited = SessionSize(payments: .max / 16)

    package init(payments: Int) { self.payments = payments }

    /// The limit of rows that operations add: a payment adds one for itself and for each of the lists that show it, one more
    /// for each when it settles, and two more when it is authorised before.
    package var rows: Int { 12 * payments }

    /// The limit of bytes of the texts of these rows, and of those of the requests that challenges hold: a client may send texts of 1 MiB.
    package var bytes: Int { payments > .max / 4000 ? .max : max(8 << 20, 4000 * payments) }

    /// The limit of tokens: a sign-in has an access and a refresh token.
    package var tokens: Int { 2 * payments }

    /// The reason for a rejection.
    package var rejection: String {
        "the session is full: --session-limit \(payments) bounds its payments, keys, rows, texts, tokens and challenges; "
            + "reset it, or use a new session"
    }
}

extension SessionState {
    /// Whether the session accepts no further payments, nor anything else that adds rows or keys.
    ///
    /// - Parameter claims: the number of claimed keys that do not count.
    package func isFull(_ limit: SessionSize, claims: Int = 0) -> Bool {
        ledger.movements.count >= limit.payments || keys.records.count - claims >= limit.payments
            || rows.count >= limit.rows || rows.textBytes >= limit.bytes
    }

    /// Whether the session issues no further tokens, and begins no further sign-in.
    package func hasAllTokens(_ limit: SessionSize) -> Bool {
        tokens.tokens.count >= limit.tokens || authorizations.all.count >= limit.tokens
    }

    /// Whether the session begins no further challenge.
    private func hasAllChallenges(_ limit: SessionSize) -> Bool {
        challenges.all.count >= limit.tokens || challenges.heldBytes >= limit.bytes
    }

    /// Whether an admitted request must be rejected, as it would exceed the limit. Its own key is claimed already, and does
    /// not count.
    package func rejects(_ ticket: Ticket, _ limit: SessionSize) -> Bool {
        let operation = ticket.match.operation
        return operation.adds && isFull(limit, claims: ticket.keyID == nil ? 0 : 1) || operation.issues && hasAllTokens(limit)
            || (operation.stepUp != nil && challengePolicy != nil || operation.decoupled != nil) && hasAllChallenges(limit)
    }
}

extension Operation {
    /// Whether it moves money, changes rows, or remembers a key.
    var adds: Bool { changesRows || key != nil }

    /// Whether it issues tokens, or begins a sign-in that may.
    var issues: Bool { issuesTokens || signIn != nil }
}
