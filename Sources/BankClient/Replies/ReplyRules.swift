public import BankModel

/// How a bank's dialect says yes and no: turns an answer's status and body into one meaning.
public protocol ReplyRules: Sendable {
    func judge(_ response: HTTPResponse) -> ReplyVerdict
}

/// What an answer means.
public struct ReplyVerdict: Sendable, Hashable {
    /// nil if the status says success.
    public var error: ClientError?
    /// True if the bank no longer takes the token: it must be forgotten. A scope refusal or step-up is not that.
    public var tokenRejected: Bool
    /// The dialect's own name for what is wrong, such as `key-in-flight` or `insufficient_scope`.
    public var problem: String?
    /// For a person.
    public var detail: String

    public init(_ error: ClientError?, tokenRejected: Bool = false, problem: String? = nil, detail: String = "") {
        self.error = error
        self.tokenRejected = tokenRejected
        self.problem = problem
        self.detail = detail
    }
}

extension ReplyVerdict {
    /// The meaning that every dialect gives to a status (RFC 9110 §15, RFC 6750 §3.1, RFC 6585 §4).
    public static func byStatus(_ status: Int, problem: String? = nil, detail: String? = nil) -> ReplyVerdict {
        let text = "status \(status)" + (detail ?? problem).map { ": \($0)" }.orEmpty
        let error: ClientError? =
            switch status {
            case 200..<300: nil
            case 401: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            case 409: .conflict
            case 429: .rateLimited
            case 400..<500: .rejected
            case 500..<600: .unavailable
            default: .decode
            }
        return ReplyVerdict(error, tokenRejected: status == 401, problem: problem, detail: text)
    }
}

extension String? {
    /// The text, or an empty one.
    var orEmpty: String { self ?? "" }
}
