package import BankModel

/// The options of checking a provider.
package struct ProviderOptions: Sendable {
    /// Values of the paths' parameters that no response contains, by the parameter's name or `operation.parameter`.
    package var known: [String: String]
    /// How many requests are made of one operation, pages not counted.
    package var samples: Int
    /// The login, or an access token.
    package var credentials: Credentials?
    /// Something may be changed at the provider.
    package var allowsWrites: Bool
    /// The payment to make, if writes are allowed.
    package var payment: PaymentOrder?
    /// The now by which ranges of dates are asked for.
    package var now: Instant
    /// A fresh idempotency key, a UUID.
    package var newKey: @Sendable () -> String
    /// Hears what will be changed at the provider, before it is.
    package var announce: @Sendable (String) -> Void

    package init(
        known: [String: String] = [:], samples: Int = 3, credentials: Credentials? = nil, allowsWrites: Bool = false,
        payment: PaymentOrder? = nil, now: Instant, newKey: @escaping @Sendable () -> String, announce: @escaping @Sendable (String) -> Void
    ) {
        self.known = known
        self.samples = samples
        self.credentials = credentials
        self.allowsWrites = allowsWrites
        self.payment = payment
        self.now = now
        self.newKey = newKey
        self.announce = announce
    }

    package enum Credentials: Sendable {
        case token(String)
        case login(user: String, password: String)

        /// The secret part, which must not be printed.
        var secret: String {
            switch self {
            case .token(let text): text
            case .login(_, let password): password
            }
        }
    }

    /// The accounts and amount of the payment.
    package struct PaymentOrder: Sendable {
        /// As the bank's operation names an account.
        package var from: String
        package var to: String
        package var amount: Money

        package init(from: String, to: String, amount: Money) {
            self.from = from
            self.to = to
            self.amount = amount
        }
    }
}
