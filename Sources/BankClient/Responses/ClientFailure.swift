package import BankModel

/// The reason why an operation failed, or why its outcome is unknown.
package struct ClientFailure: Error, Sendable, Hashable {
    /// The error's name, from a closed list.
    package var error: ClientError
    /// A text for a user. Never contains a token.
    package var detail: String
    /// True if a byte of the request may have reached the bank.
    package var mayHaveLeft: Bool
    /// True if the same request may succeed later.
    package var retryable: Bool
    /// The wait that the bank asks for.
    package var retryAfter: Duration?
    /// The dialect's own name for the problem.
    package var problem: String?
    /// What the user must do before the bank carries out the request.
    package var challenge: PendingChallenge?

    package init(
        _ error: ClientError, _ detail: String, mayHaveLeft: Bool, retryable: Bool = false, retryAfter: Duration? = nil,
        problem: String? = nil
    ) {
        self.error = error
        self.detail = detail
        self.mayHaveLeft = mayHaveLeft
        self.retryable = retryable
        self.retryAfter = retryAfter
        self.problem = problem
    }

    /// No complete answer was received. Retryable: no connection, timeout, a truncated answer. Not retryable: a bad
    /// certificate, a response that is too large or unreadable.
    package init(_ failure: TransportFailure) {
        let retryable = failure.torn || failure.error == .offline || failure.error == .timeout
        self.init(failure.error, failure.detail, mayHaveLeft: failure.mayHaveLeft, retryable: retryable)
    }

    /// The bank's response is a rejection. Retryable: 429, 500, 502, 503, 504.
    package init(_ verdict: ResponseVerdict, status: Int, retryAfter: Duration?) {
        self.init(
            verdict.error ?? .decode, verdict.detail, mayHaveLeft: true, retryable: [429, 500, 502, 503, 504].contains(status),
            retryAfter: retryAfter, problem: verdict.problem)
        challenge = verdict.challenge
    }
}

extension ClientFailure: CustomStringConvertible {
    package var description: String { "\(error.rawValue): \(detail)" }
}
