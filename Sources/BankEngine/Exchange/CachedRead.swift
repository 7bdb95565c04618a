import BankCore
package import BankModel
import Faults
import Synchronization

/// A reply from the cache, recorded as sent: it has only to be written.
package struct CachedDelivery: Sendable {
    package let seq: Int
    package let reply: RenderedReply
}

/// What a connection remembers of its last request, so that the next one like it needs no parsing.
package struct RequestMemo: Sendable {
    let target: String
    /// As it was sent: for rules, never for showing.
    let path: String
    /// As the journal keeps it.
    let shownTarget: String
    let authorization: String?
    let presented: TokenBook.Presented
    let headers: HeaderList
    /// As they were sent: for rules, never for showing.
    let sent: [JournalEntry.Header]
    /// What `If-None-Match` says; nil if it was not sent.
    let condition: String?
    /// For which rules it was found out that none can strike this read.
    var spared: (rules: Int, operation: Int)?
    /// The session's tokens as they were when `presented` was looked up.
    let tokens: TokenEpoch
}

extension BankSession {
    /// Answers a plain read whose reply is in the cache; nil if it must go the long way.
    ///
    /// It is the hot path: no JSON, no routing, one lock, and a record that shares all its parts.
    package func read(
        _ memo: inout RequestMemo?, target: String, headers: () -> [JournalEntry.Header], authorization: String?, connection: Int,
        requestOnConnection: Int, line: WireLine, mono: Int64, allowedOrigin: String?
    ) -> CachedDelivery? {
        let (delivery, watchers) = inner.withLock { inner -> (CachedDelivery?, [@Sendable () -> Void]) in
            guard let renderer = inner.renderer, !inner.isClosed, !inner.endsConnections, inner.log?.pending == nil else {
                return (nil, [])
            }
            var current = inner.memo(memo, target, headers, authorization)
            defer { memo = current }
            let customer = current.presented.customer ?? ""
            guard let reply = inner.cache.reply(.init(target: target, customer: customer), revision: inner.state.revision) else {
                return (nil, [])
            }
            let now = inner.state.goOn(machine: clock.now())
            if let due = inner.state.nextDue, now >= due { return (nil, []) }
            guard inner.leavesAlone(&current, reply, line, mono, now) else { return (nil, []) }
            guard let attempt = inner.state.admitRead(current.presented, reply.access, operation: reply.operationIndex, at: now) else {
                return (nil, [])
            }
            inner.lastUsed = mono
            let seq = inner.journal.takeSeq()
            var record = ExchangeRecord(
                seq: seq, at: now, mono: mono, connection: connection, requestOnConnection: requestOnConnection,
                wireProtocol: line.wireProtocol, method: "GET", target: current.shownTarget)
            record.tls = line.tls
            record.operation = reply.operation
            record.customer = current.presented.customer
            record.token = current.presented.label
            record.attempt = attempt
            let form = reply.form(current.condition)
            record.status = form.status
            record.committed = true
            record.requestHeaders = current.headers
            record.replyHeaders = form.headers
            record.replyBody = form.kept
            let rendered = RenderedReply(
                beginning: form.head,
                ReplyTail(
                    date: inner.dateText(now), requestIDName: inner.requestIDName, requestID: inner.requestID(seq),
                    allowedOrigin: allowedOrigin),
                body: form.body, by: renderer)
            // Recorded as sent: it will be within microseconds, and is amended if the client is gone by then.
            record.receipt = rendered.receipt
            record.durationMicroseconds = (clock.monotonic() - mono) / 1000
            inner.journal.append(record)
            return (CachedDelivery(seq: seq, reply: rendered), inner.watchers.isEmpty ? [] : inner.watchers.values.map(\.self))
        }
        watchers.forEach { $0() }
        return delivery
    }
}

extension BankSession.Inner {
    /// Caches a read's reply for the next request like it, if it depends on the state alone.
    mutating func cache(_ reply: Reply, _ match: Match, target: String, customer: String?) {
        guard let renderer, reply.status == 200, match.operation.method == "GET", state.prepared.isRepeatable[match.index] else { return }
        // A question about old rows is answered by the sign-in's age, too.
        guard match.operation.fresh == nil || !target.contains("?") else { return }
        let redaction = Redaction(state)
        let whole = ReplyCache.Form(reply, redaction, renderer)
        cache.keep(
            ReplyCache.Rendered(
                revision: state.revision, operation: operations[match.index], operationIndex: match.index, access: match.operation.access,
                tag: reply.tag, whole: whole, unmodified: reply.unmodified.map { ReplyCache.Form($0, redaction, renderer) } ?? whole),
            under: .init(target: target, customer: customer ?? ""))
    }

    /// The memo for this request: the last one if nothing differs.
    fileprivate func memo(
        _ last: RequestMemo?, _ target: String, _ headers: () -> [JournalEntry.Header], _ authorization: String?
    ) -> RequestMemo {
        if let last, last.target == target, last.authorization == authorization, last.tokens == tokenEpoch { return last }
        let redaction = Redaction(state)
        let sent = headers()
        return RequestMemo(
            target: target, path: target.firstIndex(of: "?").map { String(target[..<$0]) } ?? target,
            shownTarget: redaction.target(target), authorization: authorization, presented: state.tokens.presented(authorization),
            headers: HeaderList(sent.map(redaction.header)), sent: sent, condition: sent.condition, tokens: tokenEpoch)
    }

    /// Whether no rule has anything to do with a read from the cache.
    fileprivate func leavesAlone(
        _ memo: inout RequestMemo, _ reply: ReplyCache.Rendered, _ line: WireLine, _ mono: Int64, _ now: Instant
    ) -> Bool {
        if rules.isEmpty { return true }
        if rules.hasDueEvents(at: RuleTime(mono: mono, session: now)) { return false }
        if let spared = memo.spared, spared == (rules.revision, reply.operationIndex) { return true }
        let isSpared = rules.spares(
            ExchangeFacts(
                roles: reply.operation.roles, operation: reply.operation.name, method: "GET", path: memo.path, headers: memo.sent,
                customer: memo.presented.customer, token: memo.presented.label, wireProtocol: line.wireProtocol, isSecure: line.tls != nil))
        memo.spared = isSpared ? (rules.revision, reply.operationIndex) : nil
        return isSpared
    }
}

/// Which state of a session's tokens was seen: it differs after every change, reset and restore.
struct TokenEpoch: Hashable {
    let epoch: Int
    let revision: Int
}

extension BankSession.Inner {
    fileprivate var tokenEpoch: TokenEpoch {
        TokenEpoch(epoch: state.epoch, revision: state.tokens.revision)
    }
}

extension TokenBook.Presented {
    /// Whose token it is.
    var customer: String? { if case .known(let token) = self { token.customer } else { nil } }
}
