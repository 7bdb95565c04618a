import BankModel
import Contracts

@testable import BankImport

/// What correct clients do at real banks, and a HAR does not show to be wrong.
extension ArchiveStory {
    static let doubts: [ArchiveStory] = [
        rejections, reasons, payments415, otherCredentials, revocations, refreshes, accounts, addresses, servers, otherOrigins, keys,
    ].flatMap(\.self)

    /// Not each 401 is about the token.
    private static let rejections: [ArchiveStory] = {
        let rule = "auth.token-cleared-on-rejection"
        func confirm(_ at: Int, _ status: Int, code: String, _ gets: [String: String] = [:]) -> HAREntry {
            HAREntry(at, "POST", "/v1/orders/7/confirm", status, token: one, body: #"{"tan":"\#(code)"}"#, gets: gets)
        }
        func approve(_ at: Int, code: String) -> HAREntry {
            HAREntry(at, "POST", "/v1/orders/7/approve", 401, token: one, sends: ["X-Otp": code])
        }
        func signIn(_ at: Int, _ status: Int, _ password: String) -> HAREntry {
            HAREntry(at, "POST", "/v1/login", status, token: one, body: #"{"username":"ann","password":"\#(password)"}"#)
        }
        let named = ["WWW-Authenticate": "Bearer error=\"invalid_token\""]
        return [
            ArchiveStory(
                rule, "the password was wrong, and the app has a token of its own", .notExercised,
                [signIn(0, 401, "wrong"), signIn(9000, 401, "also wrong"), signIn(19_000, 200, "right")]),
            ArchiveStory(
                rule, "the code was wrong", .inconclusive,
                [confirm(0, 401, code: "0001"), confirm(9000, 401, code: "0002"), confirm(19_000, 200, code: "0003")]),
            ArchiveStory(
                rule, "the body has changed, and the token was rejected by name", .fail,
                [confirm(0, 401, code: "0001", named), confirm(9000, 401, code: "0002", named)]),
            ArchiveStory(
                rule, "the body has not changed", .fail, [confirm(0, 401, code: "0001"), confirm(9000, 401, code: "0001")]),
            ArchiveStory(
                rule, "the code was wrong, and the token has expired since", .inconclusive,
                [confirm(0, 401, code: "0001"), HAREntry(9000, "GET", "/v1/cards", 401, token: one)]),
            ArchiveStory(
                rule, "a token was rejected by name beside a code", .fail,
                [confirm(0, 401, code: "0001", named), HAREntry(9000, "GET", "/v1/cards", 401, token: one)]),
            ArchiveStory(
                rule, "the code in a header was wrong", .inconclusive, [approve(0, code: "0001"), approve(9000, code: "0002")]),
            ArchiveStory(rule, "the code in a header has not changed", .fail, [approve(0, code: "0001"), approve(9000, code: "0001")]),
            ArchiveStory(
                rule, "the bank calls other data unchanged for the token", .inconclusive,
                [
                    HAREntry(0, "GET", "/v1/reports", 401, token: one), HAREntry(900, "GET", "/v1/reports", 401, token: one),
                    HAREntry(2000, "GET", "/v1/cards", 304, token: one),
                ]),
        ]
    }()

    /// A bank may name another reason than the token.
    private static let reasons: [ArchiveStory] = {
        func traffic(_ title: String, _ verdict: Verdict, _ response: String, _ gets: [String: String] = [:]) -> ArchiveStory {
            ArchiveStory(
                "auth.token-cleared-on-rejection", title, verdict,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, token: one, gets: gets, response: response),
                    HAREntry(9000, "POST", "/v1/consents", 401, token: one, body: "{}"),
                ])
        }
        func messages(_ code: String) -> String { #"{"tppMessages":[{"category":"ERROR","code":"\#(code)"}]}"# }
        return [
            traffic("the consent has ended", .inconclusive, messages("CONSENT_EXPIRED")),
            traffic("the signature is wrong", .inconclusive, #"{"Errors":[{"ErrorCode":"UK.OBIE.Signature.Invalid"}]}"#),
            traffic("the customer's password is wrong", .inconclusive, messages("PSU_CREDENTIALS_INVALID")),
            traffic(
                "the signature is wrong, in a sentence", .inconclusive, #"{"title":"Unauthenticated","detail":"Invalid request signature"}"#
            ),
            traffic("the token's signature is wrong", .fail, #"{"message":"JWT signature does not match"}"#),
            traffic("the token has ended", .fail, messages("TOKEN_EXPIRED")),
            traffic("nothing says why", .fail, #"{"error":"unauthorized"}"#),
            traffic("a gateway wants a password", .inconclusive, "", ["WWW-Authenticate": "Basic realm=\"staging\""]),
            traffic("the bank wants a token", .fail, "", ["WWW-Authenticate": "Bearer realm=\"bank\""]),
            traffic("a captive portal answered", .inconclusive, "<!DOCTYPE html><html><body>Sign in to the network</body></html>"),
        ]
    }()

    /// The same content may come again with another media type (RFC 9110 §15.5.16).
    private static let payments415: [ArchiveStory] = {
        let rule = "pay.final-refusal-not-retried"
        func pay(_ at: Int, _ status: Int, _ type: String) -> HAREntry {
            HAREntry(at, "POST", "/v1/payments", status, token: one, key: "key-0001", body: "{}", sends: ["Content-Type": type])
        }
        let old = "application/vnd.bank.v1+json"
        return [
            ArchiveStory(
                rule, "the media type was wrong, and it comes with another", .pass, [pay(0, 415, old), pay(700, 415, "application/json")]),
            ArchiveStory(rule, "the media type was wrong, and it comes with the same", .fail, [pay(0, 415, old), pay(700, 415, old)]),
        ]
    }()

    /// A request with credentials of another kind does not show that the token is lost.
    private static let otherCredentials: [ArchiveStory] = {
        let rule = "auth.scope-refusal-keeps-token"
        func traffic(_ sends: [String: String]) -> [HAREntry] {
            [
                HAREntry(
                    0, "GET", "/v1/orders", 403, token: one, gets: ["WWW-Authenticate": "Bearer error=\"insufficient_scope\""]),
                HAREntry(900, "GET", "/v1/settings", 401, sends: sends),
            ]
        }
        return [
            ArchiveStory(rule, "a request without a token", .fail, traffic([:])),
            ArchiveStory(rule, "a request with the app's own credentials", .notExercised, traffic(["Authorization": "Basic YXBwOng="])),
            ArchiveStory(rule, "a request with a bound token", .notExercised, traffic(["Authorization": "DPoP \(two)"])),
        ]
    }()

    /// Not each revocation is a sign-out.
    private static let revocations: [ArchiveStory] = {
        func after(_ method: String, _ path: String, _ verdict: Verdict, body: String? = nil) -> ArchiveStory {
            ArchiveStory(
                "invariant.own-token-only", "\(method) \(path)", verdict,
                [
                    HAREntry(
                        0, method, path, token: one, body: body, sends: ["Content-Type": "application/x-www-form-urlencoded"]),
                    HAREntry(9000, token: one),
                ])
        }
        return [
            after("POST", "/v1/consents/c-1/revoke", .notExercised), after("POST", "/v1/devices/7/revoke", .notExercised),
            after("POST", "/v1/devices/7/logout", .notExercised), after("DELETE", "/v1/push/token", .notExercised),
            after("POST", "/v1/auth/logout", .fail), after("POST", "/v1/sessions/current/logout", .fail),
            after("POST", "/oauth2/v1/revoke", .fail), after("POST", "/as/revoke", .fail, body: "token=\(one)"),
            after("DELETE", "/v1/session", .fail), after("DELETE", "/auth/token", .fail),
        ]
    }()

    /// Not each rejected refresh is about the refresh token.
    private static let refreshes: [ArchiveStory] = {
        let rule = "auth.refresh-refused-signs-out"
        func refresh(_ at: Int, _ status: Int, _ response: String, scope: String? = nil) -> HAREntry {
            HAREntry(
                at, "POST", "/oauth/token", status,
                body: "grant_type=refresh_token&refresh_token=first-refresh-token" + (scope.map { "&scope=\($0)" } ?? ""),
                sends: ["Content-Type": "application/x-www-form-urlencoded"], response: response)
        }
        let invalid = #"{"error":"invalid_grant"}"#
        let given = #"{"access_token":"\#(two)"}"#
        // As an API gateway answers.
        let forbidden = #"{"message":"Forbidden"}"#
        return [
            ArchiveStory(rule, "it is sent again", .fail, [refresh(0, 400, invalid), refresh(9000, 400, invalid)]),
            ArchiveStory(
                rule, "the customer had not consented to the scope", .inconclusive,
                [refresh(0, 400, invalid, scope: "mail"), refresh(9000, 503, "", scope: "files")]),
            ArchiveStory(rule, "the bank accepts it later", .inconclusive, [refresh(0, 400, invalid), refresh(9000, 200, given)]),
            ArchiveStory(rule, "a firewall answered with a page", .notExercised, [refresh(0, 403, "<html>"), refresh(9000, 503, "")]),
            ArchiveStory(rule, "a gateway may have answered", .inconclusive, [refresh(0, 403, forbidden), refresh(9000, 503, "")]),
            ArchiveStory(
                rule, "the bank asks for a second factor", .inconclusive,
                [refresh(0, 401, #"{"error":"mfa_required"}"#), refresh(60_000, 503, "")]),
            ArchiveStory(
                rule, "the app is too old", .inconclusive,
                [refresh(0, 400, #"{"errorCode":"APP_UPGRADE_REQUIRED"}"#), refresh(60_000, 503, "")]),
            ArchiveStory(
                rule, "the bank names the token in words of its own", .fail,
                [refresh(0, 401, #"{"code":"REFRESH_TOKEN_REVOKED_ON_DEVICE"}"#), refresh(60_000, 503, "")]),
            ArchiveStory(rule, "the bank rejects it with 403", .fail, [refresh(0, 403, invalid), refresh(9000, 403, invalid)]),
            ArchiveStory(
                rule, "the bank is known to reject it with 403", .fail, [refresh(0, 403, forbidden), refresh(9000, 403, forbidden)],
                description("rejected: {status: [401, 403]}")),
        ]
    }()

    /// An app has two accounts, or a backend many users, and no sign-in is in the file.
    private static let accounts: [ArchiveStory] = {
        let wait = "retry.after-429-seconds"
        func pay(_ at: Int, _ status: Int, _ token: String, _ key: String) -> HAREntry {
            HAREntry(at, "POST", "/v1/payments", status, token: token, key: key, body: #"{"amount":"5.00","to":"b-2"}"#)
        }
        let limited = HAREntry(0, "GET", "/v1/rates", 429, token: one, gets: ["Retry-After": "5"])
        let before = HAREntry(-5000, "GET", "/v1/cards", token: two)
        return [
            ArchiveStory(
                wait, "the other account reads the same", .inconclusive, [before, limited, HAREntry(700, "GET", "/v1/rates", token: two)]),
            ArchiveStory(
                wait, "a token reads the same whose sign-in is not recorded", .inconclusive,
                [limited, HAREntry(700, "GET", "/v1/rates", token: two)]),
            ArchiveStory(
                "pay.server-error-same-key", "the other account pays the same", .inconclusive,
                [before, pay(0, 500, one, "key-0001"), pay(700, 201, two, "key-0002")]),
            ArchiveStory(
                "pay.server-error-same-key", "the payment comes with a renewed token and a new key", .fail,
                [pay(0, 500, one, "key-0001"), pay(700, 201, two, "key-0002")]),
            ArchiveStory(
                "pay.final-refusal-not-retried", "the other account pays the same, too", .inconclusive,
                [before, pay(0, 422, one, "key-0001"), pay(700, 422, two, "key-0002")]),
            ArchiveStory(
                "pay.final-refusal-not-retried", "the same payment comes under a new key", .fail,
                [pay(0, 422, one, "key-0001"), pay(700, 422, one, "key-0002")]),
        ]
    }()

    private static let addresses: [ArchiveStory] = [
        ArchiveStory(
            "auth.token-never-in-url", "an EventSource has no other place for it", .pass,
            [HAREntry(0, token: one), HAREntry(900, "GET", "/v1/stream?t=\(one)").with("_resourceType", "eventsource")]),
        ArchiveStory(
            "invariant.no-secret-in-address", "a fetch has one", .fail,
            [HAREntry(0, token: one), HAREntry(900, "GET", "/v1/stream?access_token=other").with("_resourceType", "fetch")]),
        ArchiveStory(
            "auth.token-never-in-url", "the ID token, which the bank takes as the access token, ends the sign-in", .pass,
            [HAREntry(0, token: one), HAREntry(900, "GET", "/connect/endsession?id_token_hint=\(one)&state=abc")]),
        ArchiveStory(
            "auth.token-never-in-url", "the token is beside it", .fail,
            [HAREntry(0, token: one), HAREntry(900, "GET", "/connect/endsession?id_token_hint=abc&t=\(one)")]),
    ]

    /// A developer's own server has no certificate, and its provider of identities has one.
    private static let servers: [ArchiveStory] = {
        func traffic(_ host: String, _ verdict: Verdict) -> ArchiveStory {
            ArchiveStory(
                "invariant.tls-stays-tls", "the token goes to http://\(host)", verdict,
                [
                    HAREntry(
                        0, "POST", "/oauth/token", body: "grant_type=authorization_code&code=abc",
                        sends: ["Content-Type": "application/x-www-form-urlencoded"], response: #"{"access_token":"\#(one)"}"#),
                    HAREntry(9000, token: one).with("request.url", .string("http://\(host)/v1/accounts")),
                ])
        }
        return [
            traffic("localhost:8080", .inconclusive), traffic("127.0.0.1:8080", .inconclusive), traffic("[::1]:8080", .inconclusive),
            traffic("api.localhost", .inconclusive),
            traffic("10.0.2.2:8080", .inconclusive), traffic("host.docker.internal", .inconclusive), traffic("10.0.2.20", .fail),
            traffic("bank.example", .fail), traffic("127.bank.example", .fail),
        ]
    }()

    /// What a page of another origin can read (Fetch standard §4.10, CORS check).
    private static let otherOrigins: [ArchiveStory] = {
        let page = "https://app.example"
        func traffic(_ title: String, _ verdict: Verdict, cookie: Bool, _ gets: [String: String]) -> ArchiveStory {
            var sends = ["Origin": page, "Sec-Fetch-Site": "cross-site"]
            if cookie { sends["Cookie"] = "session=abc" }
            return ArchiveStory(
                "auth.token-cleared-on-rejection", title, verdict,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, token: one, sends: sends, gets: gets),
                    HAREntry(900, "GET", "/v1/accounts", 401, token: one, sends: sends, gets: gets),
                ])
        }
        func allow(_ origin: String, cookies: Bool = false) -> [String: String] {
            var headers = ["Access-Control-Allow-Origin": origin]
            if cookies { headers["Access-Control-Allow-Credentials"] = "true" }
            return headers
        }
        let seconds = [
            "Retry-After": "5", "Access-Control-Expose-Headers": "*", "Access-Control-Allow-Origin": page,
            "Access-Control-Allow-Credentials": "true",
        ]
        func limited(_ verdict: Verdict, _ cookie: [String: String]) -> ArchiveStory {
            let sends = ["Origin": page, "Sec-Fetch-Site": "cross-site"].merging(cookie) { $1 }
            return ArchiveStory(
                "retry.after-429-seconds", "all headers are exposed, \(cookie.isEmpty ? "without" : "with") a cookie", verdict,
                [
                    HAREntry(0, "GET", "/v1/rates", 429, token: one, sends: sends, gets: seconds),
                    HAREntry(700, "GET", "/v1/rates", token: one, sends: sends, gets: seconds),
                ])
        }
        return [
            traffic("any origin is allowed", .fail, cookie: false, allow("*")),
            traffic("the page's origin is allowed", .fail, cookie: false, allow(page)),
            traffic("another origin is allowed", .notExercised, cookie: false, allow("https://other.example")),
            traffic("any origin is allowed, without cookies", .notExercised, cookie: true, allow("*")),
            traffic("the page's origin is allowed, without cookies", .notExercised, cookie: true, allow(page)),
            traffic("the page's origin is allowed, with cookies", .fail, cookie: true, allow(page, cookies: true)),
            limited(.fail, [:]), limited(.inconclusive, ["Cookie": "session=abc"]),
        ]
    }()

    /// A 409 about the key may be for one in use, in the words of the bank.
    private static let keys: [ArchiveStory] = {
        func traffic(_ text: String, _ status: Int, _ verdict: Verdict) -> ArchiveStory {
            func pay(_ at: Int) -> HAREntry {
                HAREntry(
                    at, "POST", "/v1/payments", status, token: one, key: "key-0001", body: #"{"amount":"5.00"}"#,
                    response: #"{"error":"\#(text)"}"#)
            }
            return ArchiveStory("pay.mismatch-not-retried", "\(status): \(text)", verdict, [pay(0), pay(700)])
        }
        return [
            traffic("This idempotency key is in use. Try again later.", 409, .notExercised),
            traffic("A request with this idempotency key is in progress.", 409, .notExercised),
            traffic("The idempotency key belongs to a different request.", 409, .fail),
            traffic("The request does not match that of the idempotency key.", 409, .fail),
            traffic("The idempotency key was used.", 422, .fail),
        ]
    }()
}
