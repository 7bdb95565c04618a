import BankModel

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
        let body = response.mediaType.hasSuffix("json") ? try? JSON(parsing: response.body) : nil
        let code = body?["code"]?.string
        let problem = code.map { names[$0] ?? $0 }
        var verdict = ResponseVerdict.byStatus(response.status, problem: problem, detail: body?["message"]?.string)
        if problem == "consent-expired" { (verdict.error, verdict.tokenRejected) = (.consentExpired, false) }
        return verdict
    }
}
