package import BankModel

/// Values that testers type where people type theirs, and what they then get.
package struct MagicValues: Sendable {
    /// By a payment's amount in minor units, whatever its currency.
    package var amounts: [Int64: MagicOutcome]
    /// By the payee's key as it was sent, or a text of its row.
    package var payees: [String: MagicOutcome]

    package init(amounts: [Int64: MagicOutcome] = [:], payees: [String: MagicOutcome] = [:]) {
        (self.amounts, self.payees) = (amounts, payees)
    }

    package var isEmpty: Bool { amounts.isEmpty && payees.isEmpty }
}

/// What comes of a magic value.
package enum MagicOutcome: Sendable, Hashable {
    /// The dialect's reply of that name; nothing is moved.
    case refused(DialectReplyName)
    /// Accepted now, rejected later.
    case rejected
}
