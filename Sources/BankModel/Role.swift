/// The purpose of an operation, across banks.
package enum Role: String, Sendable, CaseIterable {
    case login, refresh, logout, accounts, balance, transactions, atms, pay, goals, image
    /// One payment, as it now stands.
    case paymentStatus = "payment_status"
    /// A rate for a payment, for a time.
    case quote
}
