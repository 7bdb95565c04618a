/// How much one session may hold, so that no client can make it grow for ever: what would make it larger is refused from then on, and
/// what it holds stays readable until it is reset.
package struct SessionSize: Sendable, Hashable {
    /// Movements at most, and as many keys.
    package let payments: Int

    /// A gigabyte, about.
    package static let usual = SessionSize(payments: 200_000)
    package static let unlimited = SessionSize(payments: .max / 8)

    package init(payments: Int) { self.payments = payments }

    /// Rows that operations add: a payment adds one for itself and for each of the lists that show it, and one more for each when it
    /// settles.
    package var rows: Int { 6 * payments }

    /// Access and refresh tokens: a sign-in has one of each.
    package var tokens: Int { 2 * payments }

    /// Why a session takes nothing more.
    package var refusal: String {
        "the session holds as much as \(payments) payments, the most that --session-limit allows; reset it, or take a new one"
    }
}

extension SessionState {
    /// Whether the session takes no more payments, nor anything else that adds rows or keys.
    package func isFull(_ limit: SessionSize) -> Bool { isFull(limit, claims: 0) }

    /// Whether the session issues no more tokens.
    package func hasAllTokens(_ limit: SessionSize) -> Bool { tokens.tokens.count >= limit.tokens }

    /// Whether a request that is admitted must be refused, as it would add something for which there is no room. Its own key is
    /// claimed already, and does not count.
    package func refuses(_ ticket: Ticket, _ limit: SessionSize) -> Bool {
        let operation = ticket.match.prepared
        return operation.adds && isFull(limit, claims: ticket.keyID == nil ? 0 : 1) || operation.issues && hasAllTokens(limit)
    }

    private func isFull(_ limit: SessionSize, claims: Int) -> Bool {
        ledger.movements.count >= limit.payments || keys.records.count - claims >= limit.payments || rowCount >= limit.rows
    }
}

extension Operation {
    /// Whether it moves money, adds rows, or remembers a key.
    var adds: Bool { move != nil || insert != nil || key != nil }

    /// Whether it makes tokens.
    var issues: Bool {
        switch grant {
        case .password, .refresh: true
        case nil, .revoke: false
        }
    }
}
