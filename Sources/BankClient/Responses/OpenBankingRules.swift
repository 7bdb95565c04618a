import BankModel

/// Open Banking UK's error object, `{"Errors":[{"ErrorCode","Message"}]}`; OAuth's errors (RFC 6749 §5.2) at the token's address.
///
/// `U004`, `U009` and the like are the standard's; codes that begin with `X` are the stub's own.
package struct OpenBankingRules: ResponseRules {
    package init() {}

    package func judge(_ response: HTTPResponse) -> ResponseVerdict {
        guard response.status >= 300 else { return .byStatus(response.status) }
        let body = response.mediaType.hasSuffix("json") ? try? JSON(parsing: response.body) : nil
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
