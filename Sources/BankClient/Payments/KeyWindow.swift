public import BankModel

/// How long a bank remembers an idempotency key. Sent again later, the same key is to the bank a new payment.
public struct KeyWindow: Sendable, Hashable {
    /// Counted from when the key first reached the bank, such as 24 h; nil: as long as it remembers the payment.
    public var length: Duration?
    /// Kept from both ends: for the attempts themselves and for clocks that are a little off.
    public var margin: Duration

    public init(_ length: Duration?, margin: Duration = .seconds(300)) {
        self.length = length
        self.margin = margin
    }

    /// Whether a key may still be sent as the same payment.
    ///
    /// A key from the future says that the clock was put back: its age is not known then, and it may not.
    /// - Parameter sent: when it may first have reached the bank; nil: it has not.
    public func allows(_ sent: Instant?, now: Instant) -> Bool {
        guard let length, let sent else { return true }
        let age = now - sent
        return age >= .zero - margin && age < length - margin
    }
}
