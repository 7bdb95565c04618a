package import BankCore
package import BankModel
package import Faults
import Platform

/// A real bank behind a session, or the code of a test: it answers in place of the core, and the session's rules apply to the traffic.
package protocol Upstream: Sendable {
    /// Forwards a request, once.
    ///
    /// - Returns: the bank's response; one with 502 or 504 if there was none (RFC 9110 §15.6.3, §15.6.5).
    func response(to request: BankRequest) async -> UpstreamResponse

    /// The purposes of a request that matches no operation of the session's bank, for rules with a role.
    func roles(of request: BankRequest) -> [Role]
}

/// The response of a real bank.
package struct UpstreamResponse: Sendable {
    /// With the whole body, unless there is a rest.
    package var response: BankResponse
    /// The body, if it is too long to wait for; ``framing`` is then the way in which its end is marked.
    package var rest: (any UpstreamBody)?
    package var framing = OutgoingResponse.Framing.length(nil)
    package var responder: PassedExchange.Responder

    package init(
        _ response: BankResponse, rest: (any UpstreamBody)? = nil, framing: OutgoingResponse.Framing = .length(nil),
        responder: PassedExchange.Responder = .bank
    ) {
        self.response = response
        self.rest = rest
        self.framing = framing
        self.responder = responder
    }
}

/// A body that a real bank is still sending. It is read only as fast as pieces are asked for.
package protocol UpstreamBody: Sendable {
    /// The next piece, once it is there. Asked for again only after it was returned.
    func next() async -> UpstreamPiece

    /// Ends the exchange with the bank; does nothing after the last piece.
    func cancel()

    /// Whether it has no end of its own: a client that shuts its side does not wait for one, and is gone.
    var isEndless: Bool { get }
}

extension UpstreamBody {
    package var isEndless: Bool { false }
}

/// A part of a body that a real bank is still sending.
package enum UpstreamPiece: Sendable, Hashable {
    case bytes([UInt8])
    /// The body is complete.
    case end
    /// The bank ended the connection before the end of the body.
    case cut(isReset: Bool)
}

extension BankSession {
    /// Forwards all requests to a real bank from now on. The journal then stores no bodies: they may hold secrets that it cannot
    /// recognise.
    ///
    /// Rules that need the core's own state are rejected from then on: those that change a page or an old read, and those for one
    /// customer or token.
    ///
    /// - Parameter keepsMessages: whether exchanges are kept as they passed, secrets and all, for ``passed()``.
    package func setUpstream(_ upstream: any Upstream, keepsMessages: Bool = false) {
        inner.withLock { inner in
            inner.upstream = upstream
            inner.keepsMessages = keepsMessages
        }
    }

    /// The exchanges as they passed, oldest first, and the number of dropped ones; none unless they are kept.
    package func passed() -> (exchanges: [PassedExchange], dropped: Int) {
        let (records, dropped) = inner.withLock { (Array($0.journal.records()), $0.journal.dropped) }
        return (records.compactMap { record in record.messages.map { PassedExchange(record.entry, $0) } }, dropped)
    }

    /// Records that the real bank has ended its response before the end.
    package func noteCut(_ seq: Int) { changeJournal { $0.journal.amend(seq) { $0.messages?.isCut = true } } }

    /// Forwards a pending exchange to the upstream that answers it in place of the core.
    ///
    /// - Parameter answered: receives the response, on any thread, unless the task was cancelled.
    /// - Returns: the waiting for the response; nil if the core must answer.
    package func forward(_ plan: ResponsePlan, _ answered: @escaping @Sendable (UpstreamResponse) -> Void) -> Task<Void, Never>? {
        guard case .pending(let pending) = plan.execution, let upstream = pending.upstream else { return nil }
        let request = pending.asked.wire.request
        return Task {
            let response = await upstream.response(to: request)
            if Task.isCancelled { response.rest?.cancel() } else { answered(response) }
        }
    }
}
