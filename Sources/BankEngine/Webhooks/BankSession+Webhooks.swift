package import BankCore
package import BankModel
package import Contracts
import Platform

/// Webhooks of a session: their registration, and the deliveries, which are part of its state.
extension BankSession {
    /// Registers a receiver.
    ///
    /// - Returns: the webhook, and the secret that its receiver needs.
    package func register(_ receiver: WebhookPolicy.Receiver) throws(WebhookError) -> (webhook: Webhook, secret: String) {
        try BankSession.addressCheck(of: sender)(receiver.url)
        return try changeWebhooks { state, _ throws(WebhookError) in
            let webhook = try state.register(receiver)
            return (webhook, state.secret(of: webhook))
        }
    }

    /// The check of addresses that are registered: that of the session's sender; without one there is no right address.
    static func addressCheck(of sender: (any WebhookSender)?) -> @Sendable (String) throws(WebhookError) -> Void {
        { url throws(WebhookError) in
            guard let sender else { throw .address("this server sends no webhooks") }
            try sender.check(url)
        }
    }

    /// Removes a webhook; its pending deliveries are not sent.
    package func removeWebhook(_ id: String) throws(WebhookError) {
        try changeWebhooks { state, _ throws(WebhookError) in try state.removeWebhook(id) }
    }

    /// Replaces the secret of a webhook.
    package func rotateSecret(of id: String) throws(WebhookError) -> (webhook: Webhook, secret: String) {
        try changeWebhooks { state, now throws(WebhookError) in
            let webhook = try state.rotateSecret(of: id, at: now)
            return (webhook, state.secret(of: webhook))
        }
    }

    /// Gives the next deliveries of a webhook a fault.
    package func add(_ fault: DeliveryFault, times: Int, to id: String) throws(WebhookError) -> Webhook {
        try changeWebhooks { state, _ throws(WebhookError) in try state.add(fault, times: times, to: id) }
    }

    /// Sends a finished delivery again; without an event, all that failed.
    ///
    /// - Returns: how many.
    package func resend(_ id: String, event: String?) throws(WebhookError) -> Int {
        try changeWebhooks { state, now throws(WebhookError) in try state.resend(id, event: event, at: now) }
    }

    /// The webhooks and their deliveries.
    package var webhooks: WebhookBook { settledState.webhooks }

    /// Whether a delivery is being sent, or is due now.
    package var isDelivering: Bool {
        inner.withLock { inner in
            let now = inner.processDueEvents(clock)
            let room = Dictionary(inner.state.webhooks.webhooks.map { ($0.number, 1) }) { first, _ in first }
            return inner.traffic.isSending || !inner.state.webhooks.due(at: now, room: room, under: [:]).isEmpty
        }
    }

    /// A webhook, and its secret.
    package func webhookWithSecret(_ id: String) throws(WebhookError) -> (webhook: Webhook, secret: String) {
        try inner.withLock { inner throws(WebhookError) in
            let webhook = try inner.state.webhook(id)
            return (webhook, inner.state.secret(of: webhook))
        }
    }

    /// The public keys with which receivers check a JWS or a JWT.
    package var webhookKeys: JSON { inner.withLock { inner in inner.state.webhookKeys(at: inner.processDueEvents(clock)) } }

    /// Every attempt of each delivery, in order, for the judge of receivers.
    package var webhookAttempts: [WebhookAttempt] {
        let state = inner.withLock { $0.state }
        guard let usual = state.bank.webhooks?.signature else { return [] }
        return state.webhooks.deliveries.flatMap { delivery in
            let signature = state.webhooks.webhook(delivery.webhook)?.receiver.signature ?? usual
            return delivery.attempts.map { attempt in
                WebhookAttempt(
                    webhook: "webhook-\(delivery.webhook)", event: delivery.event.id, fault: attempt.fault?.rawValue,
                    status: attempt.status, tookTooLong: attempt.tookTooLong, isTimestamped: signature == .timestamped,
                    clockOffset: attempt.clockOffset)
            }
        }
    }

    private func changeWebhooks<Result: Sendable>(
        _ body: (inout SessionState, Instant) throws(WebhookError) -> Result
    ) throws(WebhookError) -> Result {
        try change("webhook") { inner, now throws(WebhookError) in try body(&inner.state, now) }
    }

    // MARK: sending

    /// Sends what streams wait for, and the deliveries that are due, and calls itself when the next one is.
    package func deliver() {
        wakeStreams()
        guard let sender else { return }
        let (messages, ticket, resets) = inner.withLock { inner in
            let (messages, ticket) = inner.takeDue(clock, timer) { [weak self] in self?.deliver() }
            return (messages, ticket, inner.traffic.resets)
        }
        for (delivery, message) in messages {
            Task { await self.send(delivery, message, sender, after: ticket, since: resets) }
        }
    }

    /// Sends one message, after the change that it announces is durable, and records the attempt unless the session was reset.
    private func send(
        _ delivery: Delivery, _ message: WebhookMessage, _ sender: any WebhookSender, after ticket: CommitTicket?, since resets: Int
    ) async {
        // If it could not be stored it was undone.
        try? await ticket?.wait()
        let began = clock.monotonic()
        let isWanted = inner.withLock { $0.isToSend(message, of: delivery) }
        let outcome = isWanted ? await sender.send(message) : nil
        inner.withLock { inner in
            guard inner.traffic.isSending(delivery, since: resets) else { return }
            let mono = clock.monotonic()
            guard let outcome, inner.state.webhooks.delivery(delivery.number)?.event.id == message.event else {
                inner.traffic.end(delivery.number, of: delivery.webhook, failed: false, mono: mono)
                return
            }
            let now = inner.processDueEvents(clock)
            var attempt = Delivery.Attempt(at: now, milliseconds: Int((mono - began) / 1_000_000))
            switch outcome {
            case .status(let status): attempt.status = status
            case .failed(let reason): attempt.failure = reason
            case .silent: (attempt.failure, attempt.tookTooLong) = ("the response took too long", true)
            }
            attempt.clockOffset = Int((now - clock.now()).components.seconds)
            let isRejected = !attempt.isAccepted && !(delivery.fault?.isPreceding ?? false)
            inner.traffic.end(delivery.number, of: delivery.webhook, failed: isRejected, mono: mono)
            inner.state.attempted(delivery.number, attempt)
            _ = inner.commit("webhook \(message.event)", at: now)
        }
        checkpointIfDue()
        deliver()
    }
}

extension BankSession.LockedState {
    /// Whether a webhook may get something now or later.
    var hasWebhookTraffic: Bool {
        !state.webhooks.webhooks.isEmpty
            && (state.webhooks.isWaiting || state.nextDue != nil)
    }

    /// Whether a webhook can get something now. If none can, the end of what is being sent or of a rest delivers again.
    func canDeliver(mono: Int64) -> Bool {
        hasWebhookTraffic && state.webhooks.webhooks.contains { traffic.room(of: $0.number, mono: mono) > 0 }
    }

    /// Whether a message that was taken is still to be sent: its change may be undone meanwhile, its webhook removed, or the session ended.
    fileprivate func isToSend(_ message: WebhookMessage, of delivery: Delivery) -> Bool {
        guard !isClosed, let present = state.webhooks.delivery(delivery.number) else { return false }
        return present.event.id == message.event && present.next != nil
    }

    /// Takes the deliveries that can be sent now.
    ///
    /// - Parameter again: is called when the next one may be due.
    /// - Returns: the deliveries with their messages, and the ticket to wait for before they are sent.
    fileprivate mutating func takeDue(
        _ clock: MachineClock, _ timer: (any SessionTimer)?, again: @escaping @Sendable () -> Void
    ) -> (messages: [(Delivery, WebhookMessage)], ticket: CommitTicket?) {
        guard !isClosed else { return ([], nil) }
        let mono = clock.monotonic()
        var room: [Int: Int] = [:]
        for webhook in state.webhooks.webhooks { room[webhook.number] = traffic.room(of: webhook.number, mono: mono) }
        traffic.forgetRests(exceptOf: room)
        let rest = traffic.untilRested(mono: mono)
        guard hasWebhookTraffic, room.values.contains(where: { $0 > 0 }) else {
            // The end of what is being sent calls again; that of a rest must, even if nothing waits when it begins.
            if let rest { traffic.call(again, in: rest, mono: mono, timer) }
            return ([], nil)
        }
        let now = processDueEvents(clock)
        let due = state.webhooks.due(at: now, room: room, under: traffic.sending)
        var messages: [(Delivery, WebhookMessage)] = []
        for delivery in due {
            guard let message = state.message(of: delivery, at: now) else { continue }
            traffic.begin(delivery)
            messages.append((delivery, message))
        }
        var wait = rest
        // What is due now and was not taken waits for the end of something that is being sent, or of a rest.
        let next = [state.nextDue, state.webhooks.nextAttempt(after: now)].compactMap { $0 }.min()
        if state.clock.mode == .running, let next, next > now {
            wait = min(wait ?? .max, min((next - now).nanoseconds, 86_400_000_000_000))
        }
        if let wait { traffic.call(again, in: wait, mono: mono, timer) }
        return (messages, log?.pending)
    }
}
