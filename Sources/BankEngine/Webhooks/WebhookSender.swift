package import BankCore

/// Sends webhooks over the network, which the engine does not do itself.
package protocol WebhookSender: Sendable {
    /// Checks an address before it is registered.
    ///
    /// - Throws: ``WebhookError/address(_:)`` with the reason.
    func check(_ url: String) throws(WebhookError)

    /// Sends a message once, within a few seconds. Redirects are not followed.
    func send(_ message: WebhookMessage) async -> WebhookOutcome
}

/// How an attempt to send ended.
package enum WebhookOutcome: Sendable, Hashable {
    case status(Int)
    /// Without a response, with the reason.
    case failed(String)
    /// The receiver got it, and did not answer in time.
    case silent
}

/// What a session is sending.
struct WebhookTraffic: Sendable {
    /// The deliveries that are being sent, by webhook.
    private(set) var sending: [Int: Set<Int>] = [:]
    /// How often the session was reset: the numbers of deliveries begin again.
    private(set) var resets = 0
    /// Until when a webhook gets nothing because its last attempt failed, in nanoseconds of the monotonic clock. Then it gets one delivery at a
    /// time, until it accepts one.
    private var resting: [Int: Int64] = [:]
    /// The call at the time when something is due next, and how it is cancelled.
    private var alarm: (mono: Int64, cancel: @Sendable () -> Void)?

    /// The maximum number of deliveries that one webhook gets at once.
    private static let most = 4
    /// How long a webhook rests after a failed attempt, in nanoseconds: a dead receiver costs ten attempts a second.
    private static let rest: Int64 = 100_000_000

    mutating func begin(_ delivery: Delivery) { sending[delivery.webhook, default: []].insert(delivery.number) }

    /// Whether a delivery is being sent whose sending began after that many resets.
    func isSending(_ delivery: Delivery, since resets: Int) -> Bool {
        resets == self.resets && sending[delivery.webhook]?.contains(delivery.number) == true
    }

    mutating func end(_ number: Int, of webhook: Int, failed: Bool, mono: Int64) {
        sending[webhook]?.remove(number)
        if sending[webhook]?.isEmpty == true { sending[webhook] = nil }
        resting[webhook] = failed ? mono + WebhookTraffic.rest : nil
    }

    /// Forgets the rests of webhooks that were removed.
    mutating func forgetRests(exceptOf webhooks: [Int: Int]) { resting = resting.filter { webhooks[$0.key] != nil } }

    /// Whether anything is being sent.
    var isSending: Bool { !sending.isEmpty }

    /// How many deliveries a webhook can get now.
    func room(of webhook: Int, mono: Int64) -> Int {
        let count = sending[webhook]?.count ?? 0
        guard let until = resting[webhook] else { return max(0, WebhookTraffic.most - count) }
        return until > mono || count > 0 ? 0 : 1
    }

    /// The time until a webhook's rest is over, in nanoseconds; nil if none rests.
    func untilRested(mono: Int64) -> Int64? { resting.values.filter { $0 > mono }.min().map { $0 - mono } }

    /// Arranges a call, unless there will be one earlier.
    ///
    /// - Parameter wait: in nanoseconds.
    mutating func call(_ again: @escaping @Sendable () -> Void, in wait: Int64, mono: Int64, _ timer: (any SessionTimer)?) {
        if let alarm, alarm.mono > mono, alarm.mono <= mono + wait { return }
        cancelCall()
        // Slightly late, so that what it is for is due by then.
        alarm = timer.map { (mono + wait, $0.schedule(after: .nanoseconds(wait) + .microseconds(100), again)) }
    }

    /// Cancels the call that was arranged.
    mutating func cancelCall() {
        alarm?.cancel()
        alarm = nil
    }

    /// Forgets what is being sent: the session was reset.
    mutating func removeAll() {
        sending = [:]
        resting = [:]
        resets += 1
    }
}
