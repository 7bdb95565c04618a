public import BankModel

/// Why something a person asked for was not done, or not known to be done.
public struct ClientFailure: Error, Sendable, Hashable {
    /// The name of it, of a closed list.
    public var error: ClientError
    /// For a person. Never holds a token.
    public var detail: String
    /// True if a byte of the request in question may have reached the bank.
    public var mayHaveLeft: Bool
    /// True if the same request, sent again later, may well do better.
    public var retryable: Bool
    /// How long the bank asks to wait.
    public var retryAfter: Duration?
    /// The dialect's own name for it.
    public var problem: String?

    public init(
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

    /// No whole answer came. Retryable: no connection, no time, an answer that broke off. Not: a bad certificate, too
    /// much, an answer that makes no sense.
    public init(_ failure: TransportFailure) {
        let retryable = failure.torn || failure.error == .offline || failure.error == .timeout
        self.init(failure.error, failure.detail, mayHaveLeft: failure.mayHaveLeft, retryable: retryable)
    }

    /// The bank's answer is a no. Retryable: 429, 500, 502, 503, 504.
    public init(_ verdict: ReplyVerdict, status: Int, retryAfter: Duration?) {
        self.init(
            verdict.error ?? .decode, verdict.detail, mayHaveLeft: true, retryable: [429, 500, 502, 503, 504].contains(status),
            retryAfter: retryAfter, problem: verdict.problem)
    }
}

extension ClientFailure: CustomStringConvertible {
    public var description: String { "\(error.rawValue): \(detail)" }
}
