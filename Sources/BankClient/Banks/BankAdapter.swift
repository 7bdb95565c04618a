import BankModel
public import Foundation

/// How one bank is spoken to: its paths and shapes. What all banks have; the protocols below are what some have.
public protocol BankAdapter: Sendable {
    /// The bank's name, such as `roundup`.
    var name: String { get }
    /// How it says yes and no.
    var rules: any ReplyRules { get }
    /// True if its calls need a token.
    var usesTokens: Bool { get }
}

/// A bank that lists a customer's accounts.
public protocol AccountListing: BankAdapter {
    func accounts(_ caller: BankCaller) async throws(ClientFailure) -> Listing<Account>
}

/// A bank that tells what an account holds.
public protocol BalanceTelling: BankAdapter {
    /// - Parameter account: its id; nil means the first.
    func balance(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Balance
}

/// A bank that lists an account's transactions.
public protocol TransactionListing: BankAdapter {
    /// In the order in which they are shown.
    ///
    /// - Parameter account: its id; nil means the first.
    func transactions(_ caller: BankCaller, account: String?, _ period: Period) async throws(ClientFailure) -> Listing<Transaction>
}

/// A bank with savings goals.
public protocol GoalListing: BankAdapter {
    /// - Parameter account: its id; nil means the first.
    func goals(_ caller: BankCaller, account: String?) async throws(ClientFailure) -> Listing<Goal>
}

/// A bank that has pictures, which anybody may see.
public protocol ImageServing: BankAdapter {}

/// A bank that lists cash machines.
public protocol ATMListing: BankAdapter {
    func atms(_ caller: BankCaller) async throws(ClientFailure) -> Listing<ATM>
}

/// A bank that pays.
public protocol PayingBank: BankAdapter {
    var payments: any PaymentCalls { get }
    /// How long it remembers an idempotency key; nil: as long as the payment.
    var keyWindow: Duration? { get }
}

/// A bank with a call to sign in, perhaps with calls to renew and sign out; others are handed a token.
public protocol SigningInBank: BankAdapter {
    /// - Throws: ``ClientFailure`` `unauthorized` if name or password are wrong.
    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token
    /// - Throws: ``ClientFailure`` `unauthorized` if the refresh token is refused.
    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token
    /// Makes the tokens worthless at the bank.
    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure)
}

extension SigningInBank {
    /// For a bank without a call to renew tokens: its tokens end, then the person signs in again.
    public func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        throw ClientFailure(.unauthorized, "\(name) renews no tokens", mayHaveLeft: false)
    }

    /// For a bank without a call to sign out: the token is forgotten here and ends there by its age.
    public func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) {}
}

/// What an adapter needs besides the bank: how amounts and pages are read and where the person is.
public struct Reading: Sendable {
    public var amounts: any AmountReading
    /// The zone in which days are shown.
    public var timeZone: TimeZone
    /// How lists that come in pages are read.
    public var pages: any PageReading

    public init(
        amounts: any AmountReading = ExactAmounts(), timeZone: TimeZone = TimeZone(secondsFromGMT: 0) ?? .current,
        pages: any PageReading = Pages()
    ) {
        self.amounts = amounts
        self.timeZone = timeZone
        self.pages = pages
    }
}

/// The first account's id where none is named.
func accountID(_ named: String?, _ accounts: () async throws(ClientFailure) -> Listing<Account>) async throws(ClientFailure) -> String {
    if let named { return named }
    guard let first = try await accounts().rows.first else { throw ClientFailure(.notFound, "there is no account", mayHaveLeft: true) }
    return first.id
}

/// The value, or a failure that names what is missing in an answer.
func needed<Value>(_ value: Value?, _ what: String) throws(ClientFailure) -> Value {
    guard let value else { throw ClientFailure(.decode, "found no \(what) in the answer", mayHaveLeft: true) }
    return value
}
