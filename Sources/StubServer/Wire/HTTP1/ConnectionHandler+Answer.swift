import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers a complete request: from its session's cache, at the end of this tick, or without a session.
    func answer(_ head: HTTPRequestHead, _ body: [UInt8], _ mono: Int64, _ channel: ChannelHandlerContext) {
        guard let found = last.found(for: head, number: headNumber) ?? takeApart(head, body, channel) else { return }
        let place = places.place(in: found.session, channel.channel)
        if head.method == .GET, body.isEmpty, state.persistence == .stays,
            let plan = cachedReply(head, found, place, mono)
        {
            return send(plan)
        }
        state.isQueued()
        round.add(
            wire(
                head, body: body, found.target, mono, place,
                atOnce: state.persistence == .stays ? WireRequest.AtOnce(allowedOrigin: context.cors) : nil),
            to: found.session, for: self)
    }

    /// The number of the head that is being answered; nil if the decoder has begun with a later one.
    private var headNumber: Int? { state.hasWaiting || decoder.isMidRequest ? nil : decoder.headNumber }

    /// Sends a session's reply to a request, at the end of the tick.
    func send(_ delivery: Delivery, of session: BankSession) {
        if let reply = delivery.rendered {
            send(.rendered(reply, seq: delivery.seq, of: session))
        } else {
            send(.steps(delivery, of: session))
        }
    }

    /// Has the session of a request whose rest will not come record it.
    func recordIncomplete(_ channel: ChannelHandlerContext, _ refusal: WireRefusal? = nil) {
        guard let half = state.takeAbandoned(), case .session(let session, let target, _) = route(half.head) else { return }
        session.noteIncomplete(
            wire(half.head, body: half.body, target, half.mono, places.place(in: session, channel.channel)), status: refusal?.status)
    }

    /// Finds the session of a request by its head alone.
    private func route(_ head: HTTPRequestHead) -> RequestRoute {
        context.route(
            method: head.method.rawValue, target: head.uri, authority: head.headers.first(name: "Host"), header: { head.headers[$0] })
    }

    /// The request as its session gets it.
    private func wire(
        _ head: HTTPRequestHead, body: [UInt8] = [], _ target: String, _ mono: Int64, _ place: (number: Int, requests: Int),
        atOnce: WireRequest.AtOnce? = nil
    ) -> WireRequest {
        WireRequest(
            method: head.method.rawValue, target: target, headers: head.headers.map { JournalEntry.Header($0.name, $0.value) },
            body: body, connection: place.number, requestOnConnection: place.requests, mono: mono, line: line, sentTarget: head.uri,
            authority: head.headers.first(name: "Host"), atOnce: atOnce)
    }

    /// The reply to a request whose body has not come, if a rule says so.
    func earlyReply(
        to head: HTTPRequestHead, _ mono: Int64, _ channel: ChannelHandlerContext
    ) -> (delivery: Delivery, session: BankSession)? {
        // The port's own session alone: on the banks' ports the head may name another.
        if case .session(let only) = context.choice.mount, !only.mayAnswerEarly { return nil }
        guard case .session(let session, let target, _) = route(head), session.mayAnswerEarly else { return nil }
        let delivery = session.handleEarly(wire(head, target, mono, places.place(in: session, channel.channel)))
        if delivery == nil { places.takeBack(in: session) }
        return delivery.map { ($0, session) }
    }

    /// Finds a request's session; nil if it was answered without one.
    private func takeApart(_ head: HTTPRequestHead, _ body: [UInt8], _ channel: ChannelHandlerContext) -> LastRequest.Found? {
        if let found = last.found(for: head, number: headNumber, authorizations: head.headers["Authorization"]) { return found }
        switch context.route(
            method: head.method.rawValue, target: head.uri, authority: head.headers.first(name: "Host"), body: body,
            header: { head.headers[$0] })
        {
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
            let isLasting = context.choice.isLasting(session)
            if isLasting, !context.choice.readsMore(method: head.method.rawValue, authorization: authorization) {
                last.remember(found, number: headNumber)
            } else {
                last.forget()
            }
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
