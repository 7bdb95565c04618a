package import BankCore

/// A real bank behind a session: it answers in place of the core, and the session's rules strike what passes.
package protocol Upstream: Sendable {
    /// Sends a request on, once.
    ///
    /// - Returns: its reply; where there was none, one with 502 or 504 (RFC 9110 §15.6.3, §15.6.5).
    func reply(to request: BankRequest) async -> Reply
}

extension BankSession {
    /// Lets a real bank answer from now on; the journal then keeps no bodies, which may hold secrets that nobody here knows.
    ///
    /// What needs the core's own state is refused from then on: rules that change what a page or an old read shows, and those for
    /// one customer or token.
    package func forward(to upstream: any Upstream) { inner.withLock { $0.upstream = upstream } }

    /// Asks the real bank for the reply to an exchange that waits to be executed.
    ///
    /// - Parameter answered: gets the reply, on any thread.
    /// - Returns: false if there is no real bank: the core is to answer.
    package func forward(_ delivery: Delivery, _ answered: @escaping @Sendable (Reply) -> Void) -> Bool {
        guard let pending = delivery.pending, let upstream = inner.withLock({ $0.upstream }) else { return false }
        let request = pending.exchange.wire.request
        Task { answered(await upstream.reply(to: request)) }
        return true
    }
}
