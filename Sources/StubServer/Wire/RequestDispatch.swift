import BankEngine
import BankModel
import Faults

/// A request of any protocol, as far as it has come.
struct ReceivedRequest {
    let method: String
    /// As sent, with the prefix of a session or bank.
    let target: String
    /// The host of the address that was asked; nil without one.
    let authority: String?
    let headers: [JournalEntry.Header]
    var body: [UInt8] = []
    /// When the head was read, by the monotonic clock.
    let mono: Int64
}

/// Hands the requests of one connection to their sessions, in one way for all protocols.
struct RequestDispatch {
    let context: WireContext
    let connection: ChannelConnection
    let line: WireLine

    /// Answers a complete request.
    ///
    /// - Returns: the response, and the session that answered; nil for none.
    /// - Throws: the rejection of a request that no session gets.
    func answer(_ request: ReceivedRequest) throws(WireRejection) -> (plan: ResponsePlan, session: BankSession?) {
        switch try route(request, body: request.body) {
        case .preflight(let asked): return (ResponsePlan(preflightFor: asked, date: context.clock.now().httpDate), nil)
        case .session(let session, let target): return (session.handle(wire(request, target)), session)
        }
    }

    /// Answers a request whose body has not come, if a rule demands it; nil if the whole request must be read.
    func answerEarly(_ request: ReceivedRequest) -> (plan: ResponsePlan, session: BankSession)? {
        guard case .session(let session, let target) = try? route(request), session.mayAnswerEarly else { return nil }
        return session.handleEarly(wire(request, target)).map { ($0, session) }
    }

    /// Has the session of a request whose rest will not come record it.
    ///
    /// - Parameter rejection: the response to it; nil if its client was gone.
    func recordIncomplete(_ request: ReceivedRequest, _ rejection: WireRejection?) {
        guard case .session(let session, let target) = try? route(request) else { return }
        session.noteIncomplete(wire(request, target), status: rejection?.status)
    }

    /// What answers a request, as decided from its head.
    private enum Route {
        /// A CORS preflight, with the headers that the browser wants to send; nil if it names none.
        case preflight(asked: String?)
        /// The session, and the target without the prefix of the session or bank.
        case session(BankSession, target: String)
    }

    /// - Parameter body: empty if it has not come yet.
    /// - Throws: the rejection of a request that no session gets.
    private func route(_ request: ReceivedRequest, body: [UInt8] = []) throws(WireRejection) -> Route {
        let (method, target, headers) = (request.method, request.target, request.headers)
        let authorizations = headers.filter { $0.name.isHeaderName("authorization") }
        if let rejection = WireRejection(target: target) ?? WireRejection(authorizations: authorizations.count) { throw rejection }
        if context.configuration.corsOrigin != nil, method == "OPTIONS", headers.value(of: "access-control-request-method") != nil {
            return .preflight(asked: headers.value(of: "access-control-request-headers"))
        }
        let asked = SessionChoice.Request(
            method: method, target: target, authority: request.authority, session: headers.value(of: "x-counterfoil-session"),
            authorization: authorizations.first?.value, body: body)
        switch context.choice.choose(asked) {
        case .rejected(let rejection): throw rejection
        case .chosen(let session, let own):
            if method == "TRACE", let rejection = WireRejection(traceOf: session.methods(at: own)) { throw rejection }
            return .session(session, target: own)
        }
    }

    /// The request as its session gets it.
    private func wire(_ request: ReceivedRequest, _ target: String) -> WireRequest {
        WireRequest(
            method: request.method, target: target, headers: request.headers, body: request.body, on: connection, mono: request.mono,
            line: line, sentTarget: request.target, authority: request.authority)
    }
}

extension ResponsePlan {
    /// Rejects a request before any session gets it.
    ///
    /// - Parameter endsConnection: whether the connection ends after it, as for a request of HTTP/1.1 whose end is not known.
    init(_ rejection: WireRejection, date: String, endsConnection: Bool) {
        var outgoing = OutgoingResponse(status: rejection.status, headers: rejection.headers, body: rejection.body)
        if endsConnection { outgoing.steps.append(.close) }
        self.init(outgoing, date: date)
    }

    /// Answers a CORS preflight request (Fetch §3.2.2).
    ///
    /// - Parameter asked: the headers that the browser wants to send; nil if it names none.
    init(preflightFor asked: String?, date: String) {
        let headers: [JournalEntry.Header] = [
            .init("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
            .init("Access-Control-Allow-Headers", asked ?? "Authorization, Content-Type, Idempotency-Key"),
            .init("Access-Control-Max-Age", "600"),
        ]
        self.init(OutgoingResponse(status: 204, headers: headers, body: [], mayHaveBody: false), date: date)
    }
}
