package import BankModel

/// A reply, and the operation that gave it.
package struct Answer: Sendable {
    /// The operation that the request met; nil if it met none.
    package let match: Match?
    package let reply: Reply
    /// Whether the request was executed for this: it was neither refused nor a repetition.
    package let isExecuted: Bool

    /// The operation's place among the bank's operations; nil if the request met none.
    package var operation: Int? { match?.index }
}

extension SessionState {
    /// Answers a request without a wire, faults or a journal: exporters, the provider check and tests ask a bank so. A session of a
    /// server adds those (`Exchange` in the engine), and calls the same three functions.
    package mutating func answer(_ request: BankRequest, at now: Instant) -> Answer {
        guard let (match, admission) = admit(request, at: now) else {
            return Answer(match: nil, reply: dialectReply(.notFound, to: request, at: now), isExecuted: false)
        }
        switch admission.verdict {
        case .ready(let ticket): return Answer(match: match, reply: execute(ticket, at: now), isExecuted: true)
        case .replay(let reply), .refused(let reply): return Answer(match: match, reply: reply, isExecuted: false)
        }
    }

    /// Finds a request's operation, and admits the request there: token, scope, body, parents, key.
    ///
    /// - Returns: nil if the bank has no such operation.
    package mutating func admit(_ request: BankRequest, at now: Instant) -> (match: Match, admission: Admission)? {
        guard let match = prepared.router.match(request) else { return nil }
        return (match, admit(request, match, at: now))
    }
}
