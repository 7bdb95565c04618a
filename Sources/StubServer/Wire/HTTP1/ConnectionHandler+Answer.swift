import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers a complete request.
    func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ mono: Int64) {
        switch route(head, body: body) {
        case .reject(let rejection): reject(rejection)
        case .preflight(let asked): send(ResponsePlan(preflightFor: asked, date: context.clock.now().httpDate))
        case .session(let session, let target):
            send(session.handle(wire(head, body: body, target, mono)), of: session)
        }
    }

    /// Has the session of a request whose rest will not come record it.
    func recordIncomplete(_ rejection: WireRejection? = nil) {
        guard let half = state.takeAbandoned(), case .session(let session, let target) = route(half.head) else { return }
        session.noteIncomplete(wire(half.head, body: half.body, target, half.mono), status: rejection?.status)
    }

    /// Routes a request; by its head alone if its body is empty or has not come.
    private func route(_ head: HTTPRequestHead, body: [UInt8] = []) -> RequestRoute {
        context.route(
            method: head.method.rawValue, target: head.uri, authority: head.headers.first(name: "Host"), body: body,
            header: { head.headers[$0] })
    }

    /// The request as its session gets it.
    private func wire(_ head: HTTPRequestHead, body: [UInt8] = [], _ target: String, _ mono: Int64) -> WireRequest {
        WireRequest(
            method: head.method.rawValue, target: target, headers: head.headers.map { JournalEntry.Header($0.name, $0.value) },
            body: body, on: connection, mono: mono, line: line, sentTarget: head.uri,
            authority: head.headers.first(name: "Host"))
    }

    /// The response to a request whose body has not come, if a rule demands it.
    func earlyReply(to head: HTTPRequestHead, _ mono: Int64) -> (plan: ResponsePlan, session: BankSession)? {
        // The port's own session alone: on the banks' ports the head may name another.
        if case .session(let only) = context.choice.mount, !only.mayAnswerEarly { return nil }
        guard case .session(let session, let target) = route(head), session.mayAnswerEarly else { return nil }
        return session.handleEarly(wire(head, target, mono)).map { ($0, session) }
    }
}
