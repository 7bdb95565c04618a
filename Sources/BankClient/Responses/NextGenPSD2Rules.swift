import BankModel

/// NextGenPSD2's errors, `{"tppMessages":[{"category","code","text"}]}`.
///
/// A 401 with `CONSENT_EXPIRED` or `CONSENT_INVALID` asks for another consent: the old one has ended, or does not cover the request. With any
/// other code, or none, the credential is not valid.
package struct NextGenPSD2Rules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.mediaType.hasSuffix("json") ? try? JSON(parsing: response.body) : nil
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
