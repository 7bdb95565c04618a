import BankModel
package import DriverProtocol

/// A client of one bank for one user, assembled from ``ClientParts``.
///
/// Every call throws ``ClientFailure``, whose `error` is of a closed list; `unauthorized` means that the user must sign
/// in again, and that the old token is gone.
package struct BankClient: Sendable {
    let parts: ClientParts
    let sender: (any PaymentSending)?
    private let offline: OfflineReader
    private let receiver: WebhookReceiver?
    let challenges = OpenChallenges()
    let shownQuotes = ShownQuotes()
    let openWatch = OpenWatch()

    package init(_ parts: ClientParts) { self.init(parts, sender: parts.paymentSender()) }

    /// - Parameter sender: sends payments; nil if the bank does not pay.
    package init(_ parts: ClientParts, sender: (any PaymentSending)?) {
        var parts = parts
        parts.caller.tagged = parts.cache.map { TaggedAnswers(cache: $0, clock: parts.caller.clock) }
        self.parts = parts
        self.sender = sender
        let caller = parts.caller
        receiver = parts.receiver.map { WebhookReceiver($0, clock: caller.clock) }
        offline = OfflineReader(cache: parts.cache, keeper: caller.keeper, usesTokens: parts.adapter.usesTokens, clock: caller.clock)
    }

    /// The operations that this bank supports.
    package var operations: Set<DriverOperation> {
        let bank = parts.adapter
        var offered: Set<DriverOperation> = [.status]
        if bank.usesTokens { offered.formUnion([.login, .logout]) }
        if parts.signInFlow != nil { offered.formUnion([.authorizeBegin, .authorizeFinish]) }
        if bank is any AccountListing { offered.insert(.accounts) }
        if bank is any BalanceReporting { offered.insert(.balance) }
        if bank is any TransactionListing { offered.insert(.transactions) }
        if bank is any ATMListing { offered.insert(.atms) }
        if bank is any GoalListing { offered.insert(.goals) }
        if bank is any ImageServing { offered.insert(.image) }
        if bank is any ConsentListing { offered.formUnion([.consents, .consentRevoke]) }
        if parts.challenges != nil { offered.insert(.challengeAnswer) }
        if sender != nil { offered.formUnion([.pay, .resume]) }
        if sender != nil, parts.quotes != nil { offered.insert(.quote) }
        if sender != nil, parts.roundUps != nil { offered.insert(.roundUp) }
        if receiver != nil { offered.insert(.events) }
        if parts.stream != nil { offered.insert(.watch) }
        if sender != nil, parts.tracking != nil { offered.insert(.paymentStatus) }
        return offered
    }

    // MARK: signing in

    /// Signs in by the bank's call. If that fails, nobody is signed in: a customer who was before is signed out.
    package func signIn(user: String, password: String) async throws(ClientFailure) {
        guard let bank = parts.signing else { throw notOffered(.login) }
        var token: Token
        do throws(ClientFailure) { token = try await bank.signIn(parts.caller, user: user, password: password) } catch {
            // The token is never used again, even if it cannot be removed from the disk; the reason to report is the bank's.
            forgetWhatIsOpen()
            _ = try? await parts.caller.keeper.signOut()
            throw error.hiding(password)
        }
        try await store(token, of: Owner.named(user, of: parts))
    }

    /// Begins a sign-in on the bank's page. If a payment or a challenge of the signed-in customer waits for them there, its page is opened.
    ///
    /// What was open before has ended: the return from it does not answer what is opened now.
    ///
    /// - Returns: the address to open in a browser.
    package func beginSignIn() async throws(ClientFailure) -> String {
        guard let page = parts.signInFlow else { throw notOffered(.authorizeBegin) }
        leavePages()
        if let payment = await openedPayment() { return try await payment.begin(parts.caller) }
        if let initiated = await openedInitiation() { return initiated }
        if let challenged = await openedChallenge() { return challenged }
        return try await page.begin(parts.caller)
    }

    /// Whether a token can be read. If not, only a sign-in helps.
    var hasToken: Bool {
        get async { (try? await parts.caller.keeper.current()) != nil }
    }

    /// No page of the bank is open; what awaits the customer there still does.
    private func leavePages() {
        parts.signInFlow?.abandon()
        parts.paymentPage?.abandon()
        challenges.leavePage()
        (parts.adapter as? any PaymentInitiatingBank)?.initiations.close()
    }

    /// Finishes a sign-in on the bank's page, with the address that the app was opened with.
    ///
    /// If the answer is an error, or its code gives no token, nobody is signed in. An address that is not the answer to the sign-in in
    /// progress changes nothing: anybody can open the app with one.
    ///
    /// - Returns: whether a customer is signed in. After the page of a payment or a challenge nobody is if the bank has rejected the token
    ///   meanwhile.
    /// - Throws: ``ClientFailure`` `cancelled` if the customer has denied access.
    @discardableResult
    package func finishSignIn(_ address: String) async throws(ClientFailure) -> Bool {
        guard let page = parts.signInFlow else { throw notOffered(.authorizeFinish) }
        if try await finishRequest(address) { return try await status().signedIn }
        let signedIn: SignedIn
        do throws(SignInFailure) { signedIn = try await page.finish(address, parts.caller) } catch {
            if let unused = error.unused { try? await parts.revoking?.revoke(parts.caller, unused) }
            if !error.isForeign {
                forgetWhatIsOpen()
                _ = try? await parts.caller.keeper.signOut()
            }
            throw error.failure
        }
        let owner = signedIn.customer.map { Owner.named($0, of: parts) } ?? Owner.unnamed(token: signedIn.token.access, of: parts)
        try await store(signedIn.token, of: owner)
        return true
    }

    /// Ends the visit of the page of a payment or a challenge.
    ///
    /// - Returns: false if none is open.
    private func finishRequest(_ address: String) async throws(ClientFailure) -> Bool {
        if let payment = parts.paymentPage, payment.isInProgress {
            try await finishPayment(address, on: payment)
            return true
        }
        if try await finishInitiation(address) { return true }
        return try finishChallenge(address)
    }

    /// Signs in with a token got elsewhere. No request is sent.
    ///
    /// - Parameter customer: a name of the token's customer that stays the same from one token to the next; the bank does not
    ///   send it. Without a name each token counts as a separate customer: cached data is not shown under the next token,
    ///   and a payment begun under one token is not finished under the next.
    package func signIn(token: String, of customer: String? = nil) async throws(ClientFailure) {
        guard !token.isEmpty else { throw ClientFailure(.unauthorized, "the token is empty", mayHaveLeft: false) }
        let owner = customer.map { Owner.named($0, of: parts) } ?? Owner.unnamed(token: token, of: parts)
        try await store(Token(access: token), of: owner)
    }

    private func store(_ token: Token, of owner: String) async throws(ClientFailure) {
        var token = token
        token.owner = owner
        forgetWhatIsOpen()
        try await parts.caller.keeper.signIn(token)
        offline.signedIn(as: owner)
    }

    /// Forgets what the customer has begun: it is not the next one's.
    private func forgetWhatIsOpen() {
        challenges.forget()
        shownQuotes.forget()
        openWatch.close()
        parts.paymentPage?.abandon()
        (parts.adapter as? any PaymentConsentingBank)?.paymentConsents.forget()
        (parts.adapter as? any PaymentInitiatingBank)?.initiations.forget()
    }

    /// True if signing in needs name and password rather than a token.
    package var signsInByCall: Bool { parts.signing != nil }

    /// Removes the token, all cached data and all cached images, then revokes the token. The device is signed out whatever
    /// the bank answers.
    ///
    /// - Throws: ``ClientFailure`` `unavailable` if something could not be removed from the disk. It is never used again, and
    ///   the token was revoked all the same.
    package func signOut() async throws(ClientFailure) {
        forgetWhatIsOpen()
        let (keeper, before) = (parts.caller.keeper, try? await parts.caller.keeper.current())
        var failure: ClientFailure?
        do throws(ClientFailure) { try offline.signedOut() } catch { failure = error }
        var token = before
        do throws(ClientFailure) { token = try await keeper.signOut() ?? before } catch { failure = error }
        do throws(ClientFailure) { try offline.signedOut() } catch { failure = error }
        // Images are public, but they show which of them this customer has viewed.
        do throws(StorageError) { try parts.images?.removeAll() } catch {
            failure = ClientFailure(.unavailable, "cached images could not be removed: \(error)", mayHaveLeft: false)
        }
        if let token, let bank = parts.revoking { try? await bank.revoke(parts.caller, token) }
        if let failure { throw failure }
    }

    /// Returns whether a customer is signed in, and how often a new sign-in had to be requested. Sends no request.
    package func status() async throws(ClientFailure) -> (signedIn: Bool, prompts: Int) {
        let keeper = parts.caller.keeper
        guard parts.adapter.usesTokens else { return (true, await keeper.prompts) }
        let signedIn: Bool
        do throws(ClientFailure) { signedIn = try await keeper.current() != nil } catch {
            guard error.error == .unauthorized else { throw error }
            signedIn = false
        }
        return (signedIn, await keeper.prompts)
    }

    // MARK: reading. If the bank is unavailable, the last response is returned, marked by `asOf`.

    package func accounts() async throws(ClientFailure) -> Listing<Account> {
        guard let bank = parts.adapter as? any AccountListing else { throw notOffered(.accounts) }
        return try await offline.read(["accounts"]) { () async throws(ClientFailure) in try await bank.accounts(parts.caller) }
    }

    /// - Parameter account: its id; nil means the first account.
    package func balance(of account: String? = nil) async throws(ClientFailure) -> Balance {
        guard let bank = parts.adapter as? any BalanceReporting else { throw notOffered(.balance) }
        return try await offline.read(["balance", account]) { () async throws(ClientFailure) in
            try await bank.balance(parts.caller, account: account)
        }
    }

    /// The rows come in the order in which they are shown.
    package func transactions(of account: String? = nil, _ period: Period = Period()) async throws(ClientFailure) -> Listing<Transaction> {
        guard let bank = parts.adapter as? any TransactionListing else { throw notOffered(.transactions) }
        let question = ["transactions", account, period.from?.rfc3339(.nanoseconds), period.to?.rfc3339(.nanoseconds)]
        do throws(ClientFailure) {
            let listing = try await offline.read(question) { () async throws(ClientFailure) in
                try await bank.transactions(parts.caller, account: account, period)
            }
            if listing.asOf == nil { challenges.settle(read: question) }
            return listing
        } catch {
            challenges.note(error, for: "", read: question)
            throw error
        }
    }

    package func atms() async throws(ClientFailure) -> Listing<ATM> {
        guard let bank = parts.adapter as? any ATMListing else { throw notOffered(.atms) }
        return try await offline.read(["atms"]) { () async throws(ClientFailure) in try await bank.atms(parts.caller) }
    }

    /// - Parameter account: its id; nil means the first account.
    package func goals(of account: String? = nil) async throws(ClientFailure) -> Listing<Goal> {
        guard let bank = parts.adapter as? any GoalListing else { throw notOffered(.goals) }
        return try await offline.read(["goals", account]) { () async throws(ClientFailure) in
            try await bank.goals(parts.caller, account: account)
        }
    }

    /// - Parameter path: the path at the bank's address, such as `/icons/harbour.png`.
    package func image(_ path: String) async throws(ClientFailure) -> Image {
        guard let bank = parts.adapter as? any ImageServing else { throw notOffered(.image) }
        return try await CachedImageReader(cache: parts.images, clock: parts.caller.clock).read(path, of: bank, by: parts.caller)
    }

    // MARK: paying

    /// Pays once per intent, however often it is called. See ``PaymentSending``.
    package func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        guard let sender else { throw notOffered(.pay) }
        var order = order
        order.quote = shownQuotes[intent]
        return try await noting(intent) { () async throws(ClientFailure) in try await sender.pay(intent, order) }
    }

    /// Finishes a payment begun earlier, in this run or a previous one.
    package func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt {
        guard let sender else { throw notOffered(.resume) }
        return try await noting(intent) { () async throws(ClientFailure) in try await sender.resume(intent) }
    }

    // MARK: webhooks

    /// Shows what the receiver of webhooks has acted on; it listens from the first call on. See ``WebhookReceiver``.
    package func events(secret: String?, isHeld: Bool) throws(ClientFailure) -> WebhookReceiver.Report {
        guard let receiver else { throw notOffered(.events) }
        return try receiver.report(secret: secret, isHeld: isHeld)
    }

    func notOffered(_ operation: DriverOperation) -> ClientFailure {
        ClientFailure(.nothingToDo, "the bank \(parts.adapter.name) does not support \(operation.rawValue)", mayHaveLeft: false)
    }
}
