import BankModel

/// RFC 9457 problems of type `urn:counterfoil:problem:NAME`; OAuth's errors (RFC 6749 §5.2) at the token's address.
package struct ProblemRules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.mediaType.hasSuffix("json") ? try? JSON(parsing: response.body) : nil
        let problem = body?["type"]?.string.flatMap(ProblemRules.name(of:)) ?? body?["error"]?.string
        let detail = body?["detail"]?.string ?? body?["title"]?.string ?? body?["error_description"]?.string
        var verdict = ResponseVerdict.byStatus(response.status, problem: problem, detail: detail)
        switch problem {
        case "token-rejected", "token-expired", "invalid_token": (verdict.error, verdict.tokenRejected) = (.unauthorized, true)
        case "consent-expired": (verdict.error, verdict.tokenRejected) = (.consentExpired, false)
        case "invalid_grant": verdict.error = .unauthorized
        case "step-up": verdict.challenge = body.flatMap(PendingChallenge.init(problem:))
        default: break
        }
        return verdict
    }

    /// The last part of a problem's type; nil for `about:blank` (RFC 9457 §4.2.1: it adds nothing to the status).
    private static func name(of type: String) -> String? {
        type == "about:blank" ? nil : type.split(whereSeparator: { $0 == ":" || $0 == "/" }).last.map(String.init)
    }
}

/// Starling's: 403 is both "sign in again" and "not allowed"; only the body's `error` distinguishes them.
package struct StarlingRules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.mediaType.hasSuffix("json") ? try? JSON(parsing: response.body) : nil
        let message = body?["errors"]?.array?.first?["message"]?.string
        let problem = body?["error"]?.string ?? (body?["success"]?.bool == false ? StarlingRules.name(of: message) : nil)
        let detail = body?["error_description"]?.string ?? message
        var verdict = ResponseVerdict.byStatus(response.status, problem: problem, detail: detail)
        switch problem {
        case "invalid_token": (verdict.error, verdict.tokenRejected) = (.unauthorized, true)
        case "consent_expired", "consent-expired": (verdict.error, verdict.tokenRejected) = (.consentExpired, false)
        default: break
        }
        return verdict
    }
}

extension StarlingRules {
    /// The problem that a rejection's message means; the messages are the stub's own, as Starling documents none.
    private static func name(of message: String?) -> String {
        switch message {
        case "TRANSFER_IN_PROGRESS": "key-in-flight"
        case "TRANSFER_UID_ALREADY_USED": "key-mismatch"
        default: "success-false"
        }
    }
}
