import BankModel

/// A client of one bank for one person: the whole of it, put together from ``ClientParts``.
///
/// Every call throws ``ClientFailure``, whose `error` is of a closed list; `unauthorized` means that the person must sign
/// in again, and that the old token is gone.
public struct BankClient: Sendable {
    private let parts: ClientParts
    private let sender: (any PaymentSending)?

    public init(_ parts: ClientParts) { self.init(parts, sender: parts.paymentSender()) }

    /// - Parameter sender: pays; nil if the bank does not.
    public init(_ parts: ClientParts, sender: (any PaymentSending)?) { (self.parts, self.sender) = (parts, sender) }

    /// What can be asked of this client.
    public enum Operation: String, Sendable, CaseIterable {
        case login, logout, status, accounts, balance, transactions, atms, pay, resume
        case roundUp = "round_up"
    }

    /// What this bank offers.
    public var operations: Set<Operation> {
        var offered: Set<Operation> = [.accounts, .balance, .transactions, .status]
        if parts.adapter.usesTokens { offered.formUnion([.login, .logout]) }
        if parts.adapter is any ATMListing { offered.insert(.atms) }
        if sender != nil { offered.formUnion([.pay, .resume]) }
        if sender != nil, parts.roundUps != nil { offered.insert(.roundUp) }
        return offered
    }

    // MARK: who is signed in

    /// Signs in by the bank's call.
    public func signIn(user: String, password: String) async throws(ClientFailure) {
        guard let bank = parts.signing else { throw notOffered(.login) }
        try await parts.caller.keeper.signIn(try await bank.signIn(parts.caller, user: user, password: password))
    }

    /// Signs in with a token got elsewhere. No request is sent.
    public func signIn(token: String) async throws(ClientFailure) {
        guard !token.isEmpty else { throw ClientFailure(.unauthorized, "the token is empty", mayHaveLeft: false) }
        try await parts.caller.keeper.signIn(Token(access: token))
    }

    /// True if signing in needs name and password rather than a token.
    public var signsInByCall: Bool { parts.signing != nil }

    /// Forgets the token, then tells the bank. The device is signed out whatever the bank answers.
    public func signOut() async throws(ClientFailure) {
        guard let token = try await parts.caller.keeper.signOut(), let bank = parts.signing else { return }
        try? await bank.revoke(parts.caller, token)
    }

    /// Whether somebody is signed in, and how often somebody had to be asked to sign in again. No request is sent.
    public func status() async throws(ClientFailure) -> (signedIn: Bool, prompts: Int) {
        let signedIn = try await parts.caller.keeper.current() != nil
        return (signedIn || !parts.adapter.usesTokens, await parts.caller.keeper.prompts)
    }

    // MARK: reading

    public func accounts() async throws(ClientFailure) -> Listing<Account> { try await parts.adapter.accounts(parts.caller) }

    /// - Parameter account: its id; nil means the first.
    public func balance(of account: String? = nil) async throws(ClientFailure) -> Balance {
        try await parts.adapter.balance(parts.caller, account: account)
    }

    /// In the order in which they are shown.
    public func transactions(of account: String? = nil, _ period: Period = Period()) async throws(ClientFailure) -> Listing<Transaction> {
        try await parts.adapter.transactions(parts.caller, account: account, period)
    }

    public func atms() async throws(ClientFailure) -> Listing<ATM> {
        guard let bank = parts.adapter as? any ATMListing else { throw notOffered(.atms) }
        return try await bank.atms(parts.caller)
    }

    // MARK: paying

    /// Pays once for the intent, however often it is called. See ``PaymentSending``.
    public func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        guard let sender else { throw notOffered(.pay) }
        return try await sender.pay(intent, order)
    }

    /// Finishes a payment begun before, in this run or an earlier one.
    public func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt {
        guard let sender else { throw notOffered(.resume) }
        return try await sender.resume(intent)
    }

    /// Moves to a savings goal what is missing from each purchase of the last seven days to the next whole unit of money.
    /// Once for the intent: asked again, it goes on with the amount worked out the first time. See ``RoundUpRules``.
    ///
    /// - Parameters:
    ///   - account: whose purchases, and who pays; nil means the first.
    ///   - goal: its id; nil means the first.
    /// - Throws: ``ClientFailure``; `nothingToDo` if all purchases were of whole units, `notFound` without a goal, `rejected`
    ///   if the purchases are in several currencies: no money moves then. Otherwise as ``pay(_:_:)``.
    public func roundUp(_ intent: String, account: String? = nil, goal: String? = nil) async throws(ClientFailure) -> RoundUp {
        guard let sender, let bank = parts.roundUps else { throw notOffered(.roundUp) }
        let plan = RoundUpPlan(bank: bank, caller: parts.caller, rules: parts.roundUpRules)
        let paid = try await sender.pay(intent) { () async throws(ClientFailure) in try await plan.order(account: account, goal: goal) }
        return RoundUp(amount: paid.order.amount, payment: paid.receipt.id)
    }

    private func notOffered(_ operation: Operation) -> ClientFailure {
        ClientFailure(.nothingToDo, "\(parts.adapter.name) has no \(operation.rawValue)", mayHaveLeft: false)
    }
}
