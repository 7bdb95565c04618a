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
        case login, logout, status, accounts, balance, transactions, atms, goals, image, pay, resume
    }

    /// What this bank offers.
    public var operations: Set<Operation> {
        let bank = parts.adapter
        var offered: Set<Operation> = [.status]
        if bank.usesTokens { offered.formUnion([.login, .logout]) }
        if bank is any AccountListing { offered.insert(.accounts) }
        if bank is any BalanceTelling { offered.insert(.balance) }
        if bank is any TransactionListing { offered.insert(.transactions) }
        if bank is any ATMListing { offered.insert(.atms) }
        if bank is any GoalListing { offered.insert(.goals) }
        if bank is any ImageServing { offered.insert(.image) }
        if sender != nil { offered.formUnion([.pay, .resume]) }
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

    public func accounts() async throws(ClientFailure) -> Listing<Account> {
        guard let bank = parts.adapter as? any AccountListing else { throw notOffered(.accounts) }
        return try await bank.accounts(parts.caller)
    }

    /// - Parameter account: its id; nil means the first.
    public func balance(of account: String? = nil) async throws(ClientFailure) -> Balance {
        guard let bank = parts.adapter as? any BalanceTelling else { throw notOffered(.balance) }
        return try await bank.balance(parts.caller, account: account)
    }

    /// In the order in which they are shown.
    public func transactions(of account: String? = nil, _ period: Period = Period()) async throws(ClientFailure) -> Listing<Transaction> {
        guard let bank = parts.adapter as? any TransactionListing else { throw notOffered(.transactions) }
        return try await bank.transactions(parts.caller, account: account, period)
    }

    public func atms() async throws(ClientFailure) -> Listing<ATM> {
        guard let bank = parts.adapter as? any ATMListing else { throw notOffered(.atms) }
        return try await bank.atms(parts.caller)
    }

    /// - Parameter account: its id; nil means the first.
    public func goals(of account: String? = nil) async throws(ClientFailure) -> Listing<Goal> {
        guard let bank = parts.adapter as? any GoalListing else { throw notOffered(.goals) }
        return try await bank.goals(parts.caller, account: account)
    }

    /// - Parameter path: from the bank's address on, such as `/icons/harbour.png`.
    public func image(_ path: String) async throws(ClientFailure) -> Image {
        guard let bank = parts.adapter as? any ImageServing else { throw notOffered(.image) }
        return try await bank.image(parts.caller, path: path)
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

    private func notOffered(_ operation: Operation) -> ClientFailure {
        ClientFailure(.nothingToDo, "\(parts.adapter.name) has no \(operation.rawValue)", mayHaveLeft: false)
    }
}
