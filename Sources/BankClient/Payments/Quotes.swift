package import BankModel
import Synchronization

/// A rate that the bank offers for a payment, for a time.
package struct PaymentQuote: Sendable, Hashable {
    /// The bank's id, which the payment names.
    package var id: String
    /// As the bank has sent it.
    package var rate: String
    /// As the bank has sent it; nil if it sets no time.
    package var expires: String?
}

/// The ids of the quotes that the signed-in customer was shown last, by payment intent.
final class ShownQuotes: Sendable {
    private let all = Mutex<[String: String]>([:])

    subscript(intent: String) -> String? {
        get { all.withLock { $0[intent] } }
        set { all.withLock { $0[intent] = newValue } }
    }

    func forget() { all.withLock { $0 = [:] } }
}

extension BankClient {
    /// Asks for the rate of a payment. The intent's payment names this quote from now on, and no other: one that the bank rejects as
    /// expired is not replaced until the user has seen another.
    ///
    /// - Parameter target: the currency that the payee gets.
    package func quote(_ intent: String, for amount: Money, in target: Currency) async throws(ClientFailure) -> PaymentQuote {
        guard let bank = parts.quotes else { throw notOffered(.quote) }
        let quote = try await bank.quote(parts.caller, for: amount, in: target)
        shownQuotes[intent] = quote.id
        return quote
    }
}
