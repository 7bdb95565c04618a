import BankEngine
import BankModel
import Faults

/// How a request is answered, as decided from its head.
enum RequestRoute {
    case reject(WireRejection)
    /// A CORS preflight, with the headers that the browser wants to send; nil if it names none.
    case preflight(asked: String?)
    /// The session, and the target without the prefix of the session or bank.
    case session(BankSession, target: String)
}

extension WireContext {
    /// Routes a request of any protocol.
    ///
    /// - Parameters:
    ///   - body: empty if it has not come yet.
    ///   - header: returns the values of a header by its name in lower case.
    func route(
        method: String, target: String, authority: String?, body: [UInt8] = [], header: (String) -> [String]
    ) -> RequestRoute {
        let authorizations = header("authorization")
        if let rejection = WireRejection(authorizations: authorizations.count) { return .reject(rejection) }
        if configuration.corsOrigin != nil, method == "OPTIONS", !header("access-control-request-method").isEmpty {
            return .preflight(asked: header("access-control-request-headers").first)
        }
        let request = SessionChoice.Request(
            method: method, target: target, authority: authority, session: header("x-counterfoil-session").first,
            authorization: authorizations.first, body: body)
        switch choice.choose(request) {
        case .rejected(let rejection): return .reject(rejection)
        case .chosen(let session, let own):
            if method == "TRACE", let rejection = WireRejection(traceOf: session.methods(at: own)) { return .reject(rejection) }
            return .session(session, target: own)
        }
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
