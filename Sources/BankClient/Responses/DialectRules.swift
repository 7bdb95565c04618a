import BankModel

/// RFC 9457 problems of type `urn:counterfoil:problem:NAME`; OAuth's errors (RFC 6749 §5.2) at the token's address.
package struct ProblemRules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.json
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
        let body = response.json
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

    /// The problem that a rejection's message means; the messages are the stub's own, as Starling documents none.
    private static func name(of message: String?) -> String {
        switch message {
        case "TRANSFER_IN_PROGRESS": "key-in-flight"
        case "TRANSFER_UID_ALREADY_USED": "key-mismatch"
        default: "success-false"
        }
    }
}

/// Rules for banks without problem names: the status, and `{"code","message"}` for a user.
package struct PlainRules: ResponseRules {
    package init() {}

    /// `AUTH-002`, a rejected token, is a code of the real bank and needs no entry: its status, 401, is enough. The others
    /// are the stub's own.
    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        CodedProblem.judge(response, names: ["AUTH-012": "consent-expired", "REQ-410": "cursor-expired"])
    }
}

/// Monzo's dotted codes, such as `unauthorized.bad_access_token`, and `message`. A 403 never ends the sign-in: it requests a
/// confirmation, or denies what this token does not allow. The part after a code's prefix is the stub's own.
package struct MonzoRules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        CodedProblem.judge(
            response, names: ["forbidden.consent_expired": "consent-expired", "bad_request.bad_param.cursor": "cursor-expired"])
    }
}

/// The common part of two dialects: the status, and a code and a message in the body.
private enum CodedProblem {
    /// - Parameter names: the codes that mean more than the status, and their meaning.
    static func judge(_ response: HTTPResponse, names: [String: String]) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.json
        let code = body?["code"]?.string
        let problem = code.map { names[$0] ?? $0 }
        var verdict = ResponseVerdict.byStatus(response.status, problem: problem, detail: body?["message"]?.string)
        if problem == "consent-expired" { (verdict.error, verdict.tokenRejected) = (.consentExpired, false) }
        return verdict
    }
}

/// NextGenPSD2's errors, `{"tppMessages":[{"category","code","text"}]}`.
///
/// A 401 with `CONSENT_EXPIRED` or `CONSENT_INVALID` asks for another consent: the old one has ended, or does not cover the request. With any
/// other code, or none, the credential is not valid.
package struct NextGenPSD2Rules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.json
        let messages = body?["tppMessages"]?.array ?? []
        let error = messages.first { $0["category"]?.string == "ERROR" } ?? messages.first
        let code = error?["code"]?.string
        var verdict = ResponseVerdict.byStatus(response.status, problem: code, detail: error?["text"]?.string)
        switch (response.status, code) {
        case (401, "CONSENT_EXPIRED"), (401, "CONSENT_INVALID"): (verdict.error, verdict.tokenRejected) = (.consentExpired, false)
        // An unknown resource may be 400 or 403, too.
        case (400, "RESOURCE_UNKNOWN"), (403, "RESOURCE_UNKNOWN"): verdict.error = .notFound
        default: break
        }
        return verdict
    }
}

/// Open Banking UK's error object, `{"Errors":[{"ErrorCode","Message"}]}`; OAuth's errors (RFC 6749 §5.2) at the token's address.
///
/// `U004`, `U009` and the like are the standard's; codes that begin with `X` are the stub's own.
package struct OpenBankingRules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.json
        let error = body?["Errors"]?.array?.first
        let code = (error?["ErrorCode"] ?? body?["error"])?.string
        let detail = error?["Message"]?.string ?? body?["error_description"]?.string
        let problem = code.map { OpenBankingRules.names[$0] ?? $0 }
        var verdict = ResponseVerdict.byStatus(response.status, problem: problem, detail: detail)
        switch problem {
        case "consent-expired": (verdict.error, verdict.tokenRejected) = (.consentExpired, false)
        // An unknown resource is 400 here.
        case "not-found" where response.status == 400: verdict.error = .notFound
        case "invalid_grant": verdict.error = .unauthorized
        default: break
        }
        return verdict
    }

    /// The codes that mean more than the status, and their meaning.
    private static let names = [
        "X400K": "key-mismatch", "X400P": "cursor-expired", "X400R": "not-found", "X403C": "consent-expired", "X409": "key-in-flight",
    ]
}
