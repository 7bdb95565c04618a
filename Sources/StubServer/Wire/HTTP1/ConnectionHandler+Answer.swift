import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers a complete request: from its session's cache, at the end of this tick, or without a session.
    func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ mono: Int64, _ channel: ChannelHandlerContext) {
        guard let found = last.found(for: head) ?? takeApart(head, channel) else { return }
        let place = places.place(in: found.session, channel.channel)
        if head.method == .GET, body.isEmpty, state.persistence == .stays,
            let plan = cachedReply(head, found, place, mono)
        {
            return send(plan)
        }
        state.isQueued()
        round.add(
            WireRequest(
                method: head.method.rawValue, target: found.target, headers: head.headers.map { JournalEntry.Header($0.name, $0.value) },
                body: body, connection: place.number, requestOnConnection: place.requests, mono: mono, line: line, sentTarget: head.uri,
                authority: head.headers.first(name: "Host"),
                atOnce: state.persistence == .stays ? WireRequest.AtOnce(allowedOrigin: context.cors) : nil),
            to: found.session, for: self)
    }

    /// Sends a session's reply to a request, at the end of the tick.
    func send(_ delivery: Delivery, of session: BankSession) {
        if let reply = delivery.rendered {
            send(.rendered(reply, seq: delivery.seq, of: session))
        } else {
            send(.steps(delivery, of: session))
        }
    }

    /// Finds a request's session; nil if it was answered without one.
    private func takeApart(_ head: HTTPRequestHead, _ channel: ChannelHandlerContext) -> LastRequest.Found? {
        if let found = last.found(for: head, authorizations: head.headers["Authorization"]) { return found }
        switch context.route(method: head.method.rawValue, target: head.uri, header: { head.headers[$0] }) {
        case .refuse(let refusal):
            refuse(refusal)
            return nil
        case .preflight(let asked):
            send(.own(OwnReply(preflightFor: asked, date: context.clock.now().httpDate)))
            return nil
        case .session(let session, let target, let authorization):
            let found = LastRequest.Found(
                method: head.method, uri: head.uri, headers: head.headers, session: session, target: target, authorization: authorization)
            // Any other may be removed and opened again between two requests.
            if context.choice.isLasting(session) { last.remember(found) } else { last.forget() }
            return found
        }
    }

    /// The hot path: a read whose reply is already rendered; nil if the session must handle the request.
    private func cachedReply(
        _ head: HTTPRequestHead, _ found: LastRequest.Found, _ place: (number: Int, requests: Int), _ mono: Int64
    ) -> ReplyPlan? {
        let delivery = found.session.read(
            &last.memo, target: found.target, headers: { head.headers.map { JournalEntry.Header($0.name, $0.value) } },
            authorization: found.authorization, connection: place.number, requestOnConnection: place.requests, line: line,
            mono: mono, allowedOrigin: context.cors)
        return delivery.map { .rendered($0.reply, seq: $0.seq, of: found.session) }
    }
}
