package import BankModel

/// The time for which a bank remembers an idempotency key. A key sent after it starts a new payment.
package struct KeyWindow: Sendable, Hashable {
    /// Counted from the key's first arrival at the bank, such as 24 h; nil if as long as the bank remembers the payment.
    package var length: Duration?
    /// Subtracted at both ends: for the attempts themselves and for inaccurate clocks.
    package var margin: Duration = .seconds(300)

    package init(_ length: Duration?) { self.length = length }

    /// Whether a key may still be sent as the same payment.
    ///
    /// A key from the future means that the clock was set back: its age is unknown, and it may not be sent.
    /// - Parameter sent: the earliest time at which the key may have reached the bank; nil if it has not.
    package func allows(_ sent: Instant?, now: Instant) -> Bool {
        guard let length, let sent else { return true }
        let age = now - sent
        return age >= .zero - margin && age < length - margin
    }
}
