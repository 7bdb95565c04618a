import BankModel

/// The sign-in on a bank's page as an API description defines it: OAuth's authorization code flow (RFC 6749 §4.1), with PKCE.
struct CodeFlow {
    /// Paths below the bank's base.
    let page: String
    let token: String
    /// The scopes of the description, which the bank's `auth` has.
    let scopes: [String]
    let hasRefresh: Bool

    /// The bank's `sign_in`: one public client.
    static let signIn: JSON = ["clients": ["app": ["name": "My app", "redirects": ["app:/callback", "http://127.0.0.1/callback"]]]]

    /// The name of the operation that takes the page's form.
    static let decision = "signInDecision"

    /// The operations, with their names.
    var operations: [(name: String, definition: JSON)] {
        [
            ("signInPage", ["request": .string("GET \(page)"), "open": true, "sign_in": "page"]),
            ("exchangeCode", exchange),
            (CodeFlow.decision, ["request": .string("POST \(page)"), "open": true, "sign_in": "decision"]),
        ]
    }

    private var exchange: JSON {
        [
            "request": .string("POST \(token)"), "when": ["form": ["grant_type": "authorization_code"]], "open": true,
            "takes": ["form": ["code"]],
            "grant": ["code": ["code": ["form": "code"], "redirect": ["form": "redirect_uri"], "verifier": ["form": "code_verifier"]]],
            "reply": CodeFlow.tokens(hasRefresh: hasRefresh, hasScopes: !scopes.isEmpty),
            "refuse": ["invalid-grant": CodeFlow.errorBody("invalid_grant"), "invalid-client": CodeFlow.errorBody("invalid_client")],
        ]
    }

    /// The renewal of a sign-in at that token endpoint (RFC 6749 §6).
    static func renewal(at token: String, hasScopes: Bool) -> JSON {
        [
            "request": .string("POST \(token)"), "when": ["form": ["grant_type": "refresh_token"]], "open": true,
            "takes": ["form": ["refresh_token"]],
            "grant": ["refresh": ["token": ["form": "refresh_token"], "scope": ["form": "scope"]]],
            "reply": tokens(hasRefresh: true, hasScopes: hasScopes),
            "refuse": ["invalid-grant": errorBody("invalid_grant"), "invalid-scope": errorBody("invalid_scope")],
        ]
    }

    /// A token response (RFC 6749 §5.1).
    static func tokens(hasRefresh: Bool, hasScopes: Bool) -> JSON {
        var response = JSONObject([
            ("access_token", ["token": "access"]), ("token_type", "Bearer"), ("expires_in", ["token": "lifetime"]),
        ])
        if hasRefresh { response["refresh_token"] = ["token": "refresh"] }
        if hasScopes { response["scope"] = ["token": "scope"] }
        return .object(response)
    }

    /// An error of RFC 6749 §5.2.
    static func errorBody(_ error: String) -> JSON {
        ["status": 400, "content_type": "application/json", "body": ["error": .string(error)]]
    }
}
