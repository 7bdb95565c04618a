import BankModel

/// Banks without words of their own: the status, and `{"code","message"}` for the person.
public struct PlainRules: ReplyRules {
    public init() {}

    /// `AUTH-002`, a rejected token, is the facts' code and needs no entry: its status, 401, says as much. The others are the
    /// stub's own.
    public func judge(_ response: HTTPResponse) -> ReplyVerdict {
        CodedProblem.judge(response, names: ["AUTH-012": "consent-expired", "REQ-410": "cursor-expired"])
    }
}

/// Monzo's dotted codes, such as `unauthorized.bad_access_token`, and `message`. A 403 never ends the sign-in: it asks to
/// confirm, or refuses what this token may not do. What follows a code's prefix is the stub's own.
public struct MonzoRules: ReplyRules {
    public init() {}

    public func judge(_ response: HTTPResponse) -> ReplyVerdict {
        CodedProblem.judge(
            response, names: ["forbidden.consent_expired": "consent-expired", "bad_request.bad_param.cursor": "cursor-expired"])
    }
}

/// What two dialects have in common: the status, and a code and a message in the body.
private enum CodedProblem {
    /// - Parameter names: the codes that say more than the status, and what they say.
    static func judge(_ response: HTTPResponse, names: [String: String]) -> ReplyVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.mediaType.hasSuffix("json") ? try? JSON(parsing: response.body) : nil
        let code = body?["code"]?.string
        let problem = code.map { names[$0] ?? $0 }
        var verdict = ReplyVerdict.byStatus(response.status, problem: problem, detail: body?["message"]?.string)
        if problem == "consent-expired" { (verdict.error, verdict.tokenRejected) = (.consentExpired, false) }
        return verdict
    }
}
