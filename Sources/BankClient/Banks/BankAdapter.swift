package import BankModel
package import Foundation

/// A bank's API: its paths and shapes. The members are common to all banks; the protocols below are optional abilities.
package protocol BankAdapter: Sendable {
    /// The bank's name, such as `roundup`.
    var name: String { get }
    /// The rules that turn its answers into verdicts.
    var rules: any ResponseRules { get }
    /// True if its calls need a token.
    var usesTokens: Bool { get }
    /// The headers by which it recognises a customer and a request.
    var conventions: RequestConventions { get }
}

extension BankAdapter {
    /// The default for a bank with bearer tokens.
    package var conventions: RequestConventions { RequestConventions() }
}

/// A bank that lists a customer's accounts.
package protocol AccountListing: BankAdapter {
    func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account>
}

/// A bank that reports an account's balance.
package protocol BalanceReporting: BankAdapter {
    /// - Parameter account: its id; nil means the first account.
    func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance
}

/// A bank that lists an account's transactions.
package protocol TransactionListing: BankAdapter {
    /// The rows come in the order in which they are shown.
    ///
    /// - Parameter account: its id; nil means the first account.
    func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
}

/// A bank with savings goals.
package protocol GoalListing: BankAdapter {
    /// - Parameter account: its id; nil means the first account.
    func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal>
}

/// A bank that serves public images.
package protocol ImageServing: BankAdapter {}

/// A bank that lists cash machines.
package protocol ATMListing: BankAdapter {
    func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM>
}

/// A bank that accepts payments.
package protocol PayingBank: BankAdapter {
    var payments: any PaymentCalls { get }
    /// How long the bank remembers an idempotency key; nil if as long as the payment.
    var keyWindow: Duration? { get }
}

/// A bank that reports the state of a payment.
package protocol PaymentTracking: BankAdapter {
    /// - Parameter id: the bank's id for the payment.
    /// - Throws: ``ClientFailure``: `outcomeUnknown` if the bank names a state that this client does not know.
    func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State
}

/// A bank that offers rates for payments in other currencies.
package protocol QuotingBank: BankAdapter {
    /// - Parameter target: the currency that the payee gets.
    func quote(_ caller: BankCaller, for amount: Money, in target: Currency) async throws(ClientFailure) -> PaymentQuote
}

/// A bank with a call to renew tokens.
package protocol TokenRenewingBank: BankAdapter {
    /// - Throws: ``ClientFailure`` `unauthorized` if the refresh token is rejected.
    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token
}

/// A bank with a call to revoke tokens.
package protocol TokenRevokingBank: BankAdapter {
    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure)
}

/// A bank with a call to sign in, and perhaps calls to refresh and to revoke. Other banks require a token from elsewhere.
package protocol SigningInBank: TokenRenewingBank, TokenRevokingBank {
    /// - Throws: ``ClientFailure`` `unauthorized` if the name or the password is wrong.
    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token
}

extension SigningInBank {
    /// The default for a bank that cannot refresh tokens: they expire, and the customer signs in again.
    package func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        throw ClientFailure(.unauthorized, "the bank \(name) cannot refresh tokens", mayHaveLeft: false)
    }

    /// The default for a bank that cannot revoke tokens: the token is removed here, and expires there.
    package func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) {}
}

extension TokenRevokingBank {
    /// RFC 7009 §2.1: revokes the refresh token first, as it could issue new access tokens.
    func revoke(_ caller: BankCaller, _ token: Token, at path: String) async throws(ClientFailure) {
        for (text, hint) in [(token.refresh, "refresh_token"), (token.access, "access_token")] {
            guard let text else { continue }
            let answer = try await caller.exchange(.form(path, [("token", text), ("token_type_hint", hint)]))
            if answer.verdict.error != nil { throw caller.failure(answer) }
        }
    }
}

/// The settings of an adapter besides the bank: how amounts and pages are read, and the customer's time zone.
package struct Reading: Sendable {
    package var amounts: any AmountReading
    /// The zone in which days are shown.
    package var timeZone: TimeZone
    /// Reads lists that come in pages.
    package var pages: any PageReading

    package init(
        amounts: any AmountReading = ExactAmounts(), timeZone: TimeZone = TimeZone(secondsFromGMT: 0) ?? .current,
        pages: any PageReading = Pages()
    ) {
        self.amounts = amounts
        self.timeZone = timeZone
        self.pages = pages
    }
}

/// The given id; the first account's if it is nil.
func accountID(_ named: String?, _ accounts: () async throws(ClientFailure) -> Listing<Account>) async throws(ClientFailure) -> String {
    if let named { return named }
    guard let first = try await accounts().rows.first else {
        throw ClientFailure(.notFound, "found no account, expected at least one", mayHaveLeft: true)
    }
    return first.id
}

/// The value. Throws a failure that names the missing part of a response if it is nil.
func needed<Value>(_ value: Value?, _ what: String) throws(ClientFailure) -> Value {
    guard let value else { throw ClientFailure(.decode, "found no \(what) in the response", mayHaveLeft: true) }
    return value
}
