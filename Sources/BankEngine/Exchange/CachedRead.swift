import BankCore
package import BankModel
import Faults
import Synchronization

/// A reply from the cache, already recorded as sent; the wire only writes it.
package struct CachedDelivery: Sendable {
    package let seq: Int
    package let reply: RenderedReply
}

/// The parsed parts of a connection's last request: an equal request reuses them instead of parsing again.
package struct RequestMemo: Sendable {
    let target: String
    /// As sent: for rules, never for display.
    let path: String
    /// As the journal stores it: redacted.
    let shownTarget: String
    let authorization: String?
    let presented: TokenBook.Presented
    let headers: HeaderList
    /// As sent: for rules, never for display.
    let sent: [JournalEntry.Header]
    /// The value of `If-None-Match`; nil if it was not sent.
    let condition: String?
    /// The coding that it accepts of those that the bank has; nil if none.
    let coding: ContentCoding?
    /// The revision of the rules, and the operation, for which no rule can apply to this read; nil if not checked.
    var spared: (rules: Int, operation: Int)?
    /// The state of the session's tokens when `presented` was looked up.
    let tokens: TokenEpoch
    /// The bank whose secrets were redacted, and whose operations `spared` numbers.
    let bank: PreparedBank
    /// Whether a journal record has counted the headers, which the next ones share.
    var isCounted = false
}

extension BankSession {
    /// Answers a plain read from the cache; nil if the request needs the full path.
    ///
    /// The hot path: no JSON, no routing, one lock, and a record that shares all its parts.
    package func read(
        _ memo: inout RequestMemo?, target: String, headers: () -> [JournalEntry.Header], authorization: String?, connection: Int,
        requestOnConnection: Int, line: WireLine, mono: Int64, allowedOrigin: String?
    ) -> CachedDelivery? {
        changeJournal { inner -> CachedDelivery? in
            guard let renderer = inner.renderer, !inner.isClosed, !inner.connections.endAfterReplies, inner.log?.pending == nil else {
                return nil
            }
            var current = inner.memo(memo, target, headers, authorization)
            defer { memo = current }
            let customer = current.presented.customer ?? ""
            let key = ReplyCache.Key(target: target, customer: customer, coding: current.coding)
            guard let reply = inner.cache.reply(key, revision: inner.state.revision) else { return nil }
            let now = inner.state.goOn(machine: clock.now())
            if let due = inner.state.nextDue, now >= due { return nil }
            guard inner.leavesAlone(&current, reply, line, mono, now) else { return nil }
            guard let attempt = inner.state.admitRead(current.presented, reply.access, operation: reply.operationIndex, at: now) else {
                return nil
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
            record.cost += form.costOfNextRecord
            if !current.isCounted {
                record.cost += current.headers.cost
                current.isCounted = true
            }
            let rendered = RenderedReply(
                beginning: form.head,
                ReplyTail(
                    date: inner.dateText(now), requestIDName: inner.requestIDName, requestID: inner.requestID(seq),
                    allowedOrigin: allowedOrigin),
                body: form.body, by: renderer)
            // Recorded as sent before it is: the write follows within microseconds, and a lost client amends the record.
            record.receipt = rendered.receipt
            record.durationMicroseconds = (clock.monotonic() - mono) / 1000
            inner.tally.count(record)
            inner.journal.append(record)
            return CachedDelivery(seq: seq, reply: rendered)
        } where: {
            $0 != nil
        }
    }
}

extension BankSession.Inner {
    /// Caches a read's reply for the next equal request, if it depends on the state alone.
    mutating func cache(_ reply: Reply, _ match: Match, _ request: BankRequest, target: String, customer: String?) {
        guard let renderer, reply.status == 200, match.operation.method == "GET", state.prepared.isRepeatable[match.index] else { return }
        // A reply about old rows also depends on the age of the sign-in.
        guard match.operation.fresh == nil || !target.contains("?") else { return }
        let redaction = Redaction(state)
        let coding = coding(of: reply, to: request)
        let whole = ReplyCache.Form(reply, coding, redaction, renderer)
        cache.keep(
            ReplyCache.Rendered(
                revision: state.revision, operation: operations[match.index], operationIndex: match.index, access: match.operation.access,
                tag: reply.tag, whole: whole, unmodified: reply.unmodified.map { ReplyCache.Form($0, coding, redaction, renderer) } ?? whole
            ),
            under: .init(target: target, customer: customer ?? "", coding: accepted(request.headers)))
    }

    /// The memo for this request: the last one if target, authorization, tokens and bank are the same.
    fileprivate func memo(
        _ last: RequestMemo?, _ target: String, _ headers: () -> [JournalEntry.Header], _ authorization: String?
    ) -> RequestMemo {
        if let last, last.target == target, last.authorization == authorization, last.tokens == tokenEpoch, last.bank === state.prepared {
            return last
        }
        let redaction = Redaction(state)
        let sent = headers()
        return RequestMemo(
            target: target, path: target.firstIndex(of: "?").map { String(target[..<$0]) } ?? target,
            shownTarget: redaction.target(target), authorization: authorization, presented: state.tokens.presented(authorization),
            headers: HeaderList(sent.map(redaction.header)), sent: sent, condition: sent.condition,
            coding: accepted(sent), tokens: tokenEpoch, bank: state.prepared)
    }

    /// Whether no rule applies to a read from the cache.
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

/// A version of a session's tokens: it differs after every change, reset and restore.
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
    /// The token's customer; nil if the token is not known.
    var customer: String? { if case .known(let token) = self { token.customer } else { nil } }
}
