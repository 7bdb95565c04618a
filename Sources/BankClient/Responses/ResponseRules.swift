package import BankModel

/// A bank's dialect: maps a response's status and body to one meaning.
package protocol ResponseRules: Sendable {
    func judge(_ response: HTTPResponse) -> ResponseVerdict
}

/// The meaning of a response.
package struct ResponseVerdict: Sendable, Hashable {
    /// nil if the status is a success.
    package var error: ClientError?
    /// True if the bank rejected the token: it must be removed. A scope rejection or step-up does not count.
    package var tokenRejected: Bool
    /// The dialect's own name for the problem, such as `key-in-flight` or `insufficient_scope`.
    package var problem: String?
    /// A text for a user.
    package var detail: String
    /// What the user must do before the bank carries out the request.
    package var challenge: PendingChallenge?

    package init(_ error: ClientError?, tokenRejected: Bool = false, problem: String? = nil, detail: String = "") {
        self.error = error
        self.tokenRejected = tokenRejected
        self.problem = problem
        self.detail = detail
    }

    /// The meaning of a status in every dialect (RFC 9110 §15, RFC 6750 §3.1, RFC 6585 §4).
    package static func byStatus(_ status: Int, problem: String? = nil, detail: String? = nil) -> ResponseVerdict {
        let text = "status \(status)" + ((detail ?? problem).map { ": \($0)" } ?? "")
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
        return ResponseVerdict(error, tokenRejected: status == 401, problem: problem, detail: text)
    }
}

/// Reads the body of a successful answer.
package protocol BodyReading: Sendable {
    /// - Throws: ``ClientFailure`` `decode` if it is not as agreed.
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON
}

/// Accepts JSON with a JSON media type only: a captive portal's page is not data.
package struct StrictBodyReader: BodyReading {
    package init() {}

    package func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        let type = response.mediaType
        guard type == "application/json" || type.hasSuffix("+json") && type != "application/problem+json" else {
            throw ClientFailure(
                .decode, "found content of type \(type.isEmpty ? "none" : type), expected application/json", mayHaveLeft: true)
        }
        do throws(JSONError) { return try JSON(parsing: response.body) } catch {
            throw ClientFailure(.decode, "the body is not JSON: \(error)", mayHaveLeft: true)
        }
    }
}
