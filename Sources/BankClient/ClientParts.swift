import BankModel
import Foundation

/// The parts of a client, put together in the right way; change one, then build the client from them.
///
/// Every rule of the client lives in one of these parts behind a protocol, so that an app can bring its own store or
/// clock, and a test can put one wrong part among right ones.
public struct ClientParts: Sendable {
    public var adapter: any BankAdapter
    /// Makes the calls; holds transport, dialect, token keeper, body reader and the patience of reads.
    public var caller: BankCaller
    /// Signs in, renews and signs out by the bank's own calls, if it has such. Its requests carry no token.
    public var signing: (any SigningInBank)?
    public var store: any TokenStore
    public var outbox: any Outbox
    /// Where good answers are kept for times when the bank cannot be had; nil keeps none.
    public var cache: (any DataCache)?
    /// Where pictures are kept as long as the bank allows; nil keeps none.
    public var images: (any ImageCache)?
    /// How the bank is asked to pay; nil if it does not.
    public var payments: (any PaymentCalls)?
    public var paymentRetry: RetryPolicy
    /// How long the bank remembers a key.
    public var keyWindow: KeyWindow
    /// Reads what a round-up is made of; nil if the bank has no savings goals.
    public var roundUps: (any RoundUpBank)?
    /// What of it is rounded up.
    public var roundUpRules: RoundUpRules
    /// A new idempotency key at each call.
    public var makeKey: @Sendable () -> String

    /// The right parts for a bank.
    ///
    /// - Parameters:
    ///   - baseURL: the bank's address without a trailing slash.
    ///   - store: where the token is kept.
    ///   - outbox: where payments are kept.
    public init(
        adapter: any BankAdapter, baseURL: String, transport: any HTTPTransport, store: any TokenStore, outbox: any Outbox,
        clock: any ClientClock = SystemClock(), random: RandomSource = RandomSource()
    ) {
        self.adapter = adapter
        self.store = store
        self.outbox = outbox
        signing = adapter as? any SigningInBank
        let paying = adapter as? any PayingBank
        payments = paying?.payments
        keyWindow = KeyWindow(paying?.keyWindow)
        paymentRetry = RetryPolicy()
        makeKey = { random.uuid() }
        roundUps = adapter as? any RoundUpBank
        roundUpRules = RoundUpRules(timeZone: roundUps?.timeZone ?? .gmt)
        caller = BankCaller(
            baseURL: baseURL, transport: transport, rules: adapter.rules, keeper: TokenKeeper(store: store), clock: clock, random: random)
        useStore(store)
    }

    /// Keeps the token in another store, everything else as it was.
    public mutating func useStore(_ store: any TokenStore) {
        self.store = store
        let refresher = signing.map { BankRefresher(bank: $0, caller: caller) }
        caller.keeper = TokenKeeper(store: store, refresher: refresher)
    }

    /// The part that pays, made of the others; nil if the bank does not pay.
    public func paymentSender() -> (any PaymentSending)? {
        payments.map { calls in
            let attempts = PaymentAttempts(calls: calls, caller: caller, outbox: outbox, retry: paymentRetry)
            return PaymentSender(outbox: outbox, attempts: attempts, keyWindow: keyWindow, makeKey: makeKey)
        }
    }
}

/// Renews a token by the bank's own call.
struct BankRefresher: TokenRefreshing {
    var bank: any SigningInBank
    var caller: BankCaller

    func refresh(_ refresh: String) async throws(ClientFailure) -> Token {
        do throws(ClientFailure) { return try await bank.refresh(caller, refresh) } catch { throw error.hiding(refresh) }
    }

    func abandon(_ token: Token) async { try? await bank.revoke(caller, token) }
}
