package import BankModel

/// Values that testers enter to provoke an outcome, with that outcome.
package struct MagicValues: Sendable {
    /// By a payment's amount in minor units, in any currency.
    package var amounts: [Int64: MagicOutcome]
    /// By the payee's key as sent, or a text of its row.
    package var payees: [String: MagicOutcome] { didSet { lengths = MagicValues.lengths(of: payees) } }
    /// A bit for each length of a payee's word in bytes: bit 63 for all longer ones. Every text of a payee's row is looked up
    /// with every payment, and nearly none has the length of a magic word.
    private var lengths: UInt64

    package init(amounts: [Int64: MagicOutcome] = [:], payees: [String: MagicOutcome] = [:]) {
        self.amounts = amounts
        self.payees = payees
        lengths = MagicValues.lengths(of: payees)
    }

    /// The outcome of a payment to that payee; nil for a word that is not magic.
    func outcome(ofPayee word: String) -> MagicOutcome? {
        lengths & 1 << min(UInt64(word.utf8.count), 63) == 0 ? nil : payees[word]
    }

    private static func lengths(of payees: [String: MagicOutcome]) -> UInt64 {
        payees.keys.reduce(0) { $0 | 1 << min(UInt64($1.utf8.count), 63) }
    }

    package var isEmpty: Bool { amounts.isEmpty && payees.isEmpty }
}

package enum MagicOutcome: Sendable, Hashable {
    /// The dialect's response of that name; no money is moved.
    case errorResponse(DialectResponseName)
    /// Accepted now, rejected later.
    case rejected
}
