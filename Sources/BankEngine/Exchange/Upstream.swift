package import BankCore

/// A real bank behind a session: it answers in place of the core, and the session's rules apply to the traffic.
package protocol Upstream: Sendable {
    /// Forwards a request, once.
    ///
    /// - Returns: the bank's response; one with 502 or 504 if there was none (RFC 9110 §15.6.3, §15.6.5).
    func reply(to request: BankRequest) async -> Reply
}

extension BankSession {
    /// Forwards all requests to a real bank from now on. The journal then stores no bodies: they may hold secrets that it cannot
    /// recognise.
    ///
    /// Rules that need the core's own state are rejected from then on: those that change a page or an old read, and those for one
    /// customer or token.
    package func forward(to upstream: any Upstream) { inner.withLock { $0.upstream = upstream } }

    /// Forwards a pending exchange to the real bank.
    ///
    /// - Parameter answered: receives the reply, on any thread.
    /// - Returns: false if there is no real bank and the core must answer.
    package func forward(_ plan: ReplyPlan, _ answered: @escaping @Sendable (Reply) -> Void) -> Bool {
        guard let pending = plan.pending, let upstream = inner.withLock({ $0.upstream }) else { return false }
        let request = pending.asked.wire.request
        Task { answered(await upstream.reply(to: request)) }
        return true
    }
}
