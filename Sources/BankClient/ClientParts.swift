import BankModel
import Foundation

/// The parts of a client, correctly assembled; change one, then build the client from them.
///
/// Every rule of the client lives in one of these parts behind a protocol, so that an app can supply its own store or clock,
/// and a test can put one wrong part among right ones.
package struct ClientParts: Sendable {
    package var adapter: any BankAdapter
    /// Makes the calls; holds transport, dialect, token keeper, body reader and the retry policy of reads.
    package var caller: BankCaller
    /// Signs in, refreshes and revokes by the bank's calls; nil if it has no call to sign in. Its requests carry no token.
    package var signing: (any SigningInBank)?
    /// Signs in on the bank's own page by authorization code; nil if it gives none.
    package var pageSignIn: PageSignIn?
    /// Signs in by a consent whose id is the credential; nil if the bank has no such consents.
    package var consentSignIn: ConsentSignIn?
    /// Has payments authorised on the bank's page; nil if no payment needs that.
    package var paymentPage: PageSignIn?
    package var store: any TokenStore
    package var outbox: any Outbox
    /// Caches good answers for times when the bank is unavailable; nil caches nothing.
    package var cache: (any DataCache)?
    /// Caches images for as long as the bank allows; nil caches nothing.
    package var images: FileImageCache?
    /// The bank's payment calls; nil if the bank does not pay.
    package var payments: (any PaymentCalls)?
    package var paymentRetry: RetryPolicy
    /// Asks for the state of a payment; nil if the bank does not report it.
    package var tracking: (any PaymentTracking)?
    /// How often a payment is asked after that has not ended.
    package var polling = RetryPolicy.polling
    /// Receives the bank's webhooks; nil receives none.
    package var receiver: ReceiverParts?
    /// Answers challenges; nil if the bank has none that can be answered.
    package var challenges: (any ChallengeAnswering)?
    /// Asks for rates of payments; nil if the bank offers none.
    package var quotes: (any QuotingBank)?
    /// Watches an account by the bank's stream of events; nil if the bank has none, or the transport cannot read one.
    package var stream: StreamParts?
    /// How long the bank remembers a key.
    package var keyWindow: KeyWindow
    /// Reads the rows to be rounded up; nil if the bank has no savings goals.
    package var roundUps: (any RoundUpBank)?
    /// The rules by which rows are rounded up.
    package var roundUpRules: RoundUpRules
    /// Reads the amounts that the user types.
    package var typedAmounts: any TypedAmountReading = TypedAmounts()
    /// A new idempotency key at each call.
    package var makeKey: @Sendable () -> String

    /// Assembles the parts for a bank.
    ///
    /// - Parameters:
    ///   - baseURL: the bank's address without a trailing slash.
    ///   - store: stores the token.
    ///   - outbox: stores payments.
    package init(
        adapter: any BankAdapter, baseURL: String, transport: any HTTPTransport, store: any TokenStore, outbox: any Outbox,
        clock: any ClientClock = SystemClock(), random: RandomSource = RandomSource()
    ) {
        self.adapter = adapter
        self.store = store
        self.outbox = outbox
        signing = adapter as? any SigningInBank
        if let bank = adapter as? any PageSigningBank {
            var page = PageSignIn(bank.app, random: random)
            page.makeParameters = { caller, addresses async throws(ClientFailure) in try await bank.pageParameters(caller, addresses) }
            pageSignIn = page
        }
        consentSignIn = (adapter as? any ConsentSigningBank).map { ConsentSignIn($0) }
        if let bank = adapter as? any PaymentConsentingBank {
            var page = PageSignIn(bank.payingApp, random: random)
            page.makeParameters = { _, _ in bank.paymentConsents.open().map { [$0.parameter] } ?? [] }
            paymentPage = page
        }
        let paying = adapter as? any PayingBank
        payments = paying?.payments
        keyWindow = KeyWindow(paying?.keyWindow)
        tracking = adapter as? any PaymentTracking
        challenges = adapter as? any ChallengeAnswering
        quotes = adapter as? any QuotingBank
        if let bank = adapter as? any StreamingBank, let transport = transport as? any StreamingTransport {
            stream = StreamParts(bank: bank, transport: transport)
        }
        paymentRetry = RetryPolicy()
        makeKey = { random.uuid() }
        roundUps = adapter as? any RoundUpBank
        roundUpRules = RoundUpRules(timeZone: roundUps?.timeZone ?? .gmt)
        caller = BankCaller(
            baseURL: baseURL, transport: transport, rules: adapter.rules, keeper: TokenKeeper(store: store), clock: clock, random: random)
        caller.conventions = adapter.conventions
        useStore(store)
    }

    /// Signs in on the bank's own page, in the bank's way; nil if it has none.
    package var signInFlow: (any SignInFlow)? {
        if let pageSignIn { return pageSignIn }
        return consentSignIn
    }

    /// Revokes tokens by the bank's call, wherever they came from; nil if it has none.
    var revoking: (any TokenRevokingBank)? {
        if let signing { return signing }
        return adapter as? any TokenRevokingBank
    }

    /// Replaces the token store and leaves everything else as it was.
    package mutating func useStore(_ store: any TokenStore) {
        self.store = store
        let renewing: (any TokenRenewingBank)?
        if let signing { renewing = signing } else { renewing = adapter as? any TokenRenewingBank }
        let refresher = renewing.map { BankRefresher(bank: $0, caller: caller) }
        caller.keeper = TokenKeeper(store: store, refresher: refresher)
    }

    /// The sender of payments, made of the other parts; nil if the bank does not pay.
    package func paymentSender() -> (any PaymentSending)? {
        payments.map { (calls) -> any PaymentSending in
            let attempts = PaymentAttempts(calls: calls, caller: caller, outbox: outbox, retry: paymentRetry)
            let sender = PaymentSender(outbox: outbox, attempts: attempts, keyWindow: keyWindow, makeKey: makeKey)
            if let bank = adapter as? any PaymentInitiatingBank {
                return InitiatedSender(base: sender, bank: bank, caller: caller, outbox: outbox)
            }
            guard let bank = adapter as? any PaymentConsentingBank else { return sender }
            return ConsentedSender(base: sender, bank: bank, caller: caller, outbox: outbox)
        }
    }
}

/// Refreshes a token by the bank's own call.
struct BankRefresher: TokenRefreshing {
    var bank: any TokenRenewingBank
    var caller: BankCaller

    func refresh(_ refresh: String) async throws(ClientFailure) -> Token {
        do throws(ClientFailure) { return try await bank.refresh(caller, refresh) } catch { throw error.hiding(refresh) }
    }

    func abandon(_ token: Token) async { try? await (bank as? any TokenRevokingBank)?.revoke(caller, token) }
}
