import BankModel
import Contracts

@testable import BankImport

/// What correct clients do, and what a proxy or a tool makes of it in a HAR.
extension ArchiveStory {
    static let recorders: [ArchiveStory] = [slow, tabs, devices, signOuts, given, streams, hosts, choices, bodies, placeholders].flatMap(
        \.self)

    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

    private static func signIn(_ at: Int, _ user: String, _ token: String, _ more: String = "") -> HAREntry {
        HAREntry(
            at, "POST", "/v1/login", body: #"{"username":"\#(user)","password":"a","deviceId":"own-7"}"#,
            response: #"{"access_token":"\#(token)"\#(more)}"#)
    }

    /// A proxy records a response for which the app has stopped waiting.
    private static let slow: [ArchiveStory] = {
        func rejected(_ time: Int, page: String? = nil) -> [HAREntry] {
            let first = HAREntry(0, "GET", "/v1/accounts", 401, token: one, page: page).with("time", .int(time))
            return [first, HAREntry(40_000, "GET", "/v1/accounts", 401, token: one, page: page)]
        }
        func refresh(_ at: Int, _ status: Int) -> HAREntry {
            HAREntry(
                at, "POST", "/oauth/token", status, body: "grant_type=refresh_token&refresh_token=first-refresh-token", sends: form,
                response: status == 200 ? #"{"access_token":"\#(one)","refresh_token":"second-refresh-token"}"# : "")
        }
        func pay(_ at: Int, _ body: String) -> HAREntry {
            HAREntry(at, "POST", "/v1/payments", 201, token: one, key: "key-0001", body: body)
        }
        let token = "auth.token-cleared-on-rejection"
        let rotation = "auth.refresh-rotation-persisted"
        return [
            ArchiveStory(token, "the 401 came after 31 s", .inconclusive, rejected(31_000), by: "Charles Proxy"),
            ArchiveStory(token, "the 401 came after 4 s", .fail, rejected(4000), by: "Charles Proxy"),
            ArchiveStory(token, "a browser waited 31 s", .fail, rejected(31_000, page: "page_1"), by: "WebInspector"),
            ArchiveStory(
                rotation, "the new token came after 34 s", .inconclusive,
                [refresh(0, 200).with("time", 34_000), refresh(37_000, 503)], by: "Proxyman"),
            ArchiveStory(rotation, "the new token came at once", .fail, [refresh(0, 200), refresh(37_000, 503)], by: "Proxyman"),
            ArchiveStory(
                "pay.new-intent-new-key", "another payment has the key, whatever was waited for", .fail,
                [pay(0, #"{"amount":"5.00"}"#).with("time", 34_000), pay(40_000, #"{"amount":"6.00"}"#)]),
        ]
    }()

    /// A proxy does not know the tabs of a browser.
    private static let tabs: [ArchiveStory] = {
        func refresh(_ at: Int, _ status: Int, _ page: String, _ agent: String) -> HAREntry {
            HAREntry(
                at, "POST", "/oauth/token", status, body: "grant_type=refresh_token&refresh_token=first-refresh-token",
                sends: form.merging(["Referer": "https://app.example\(page)", "User-Agent": agent]) { $1 },
                response: status == 200 ? #"{"access_token":"\#(two)","refresh_token":"second-refresh-token"}"# : "")
        }
        func traffic(_ title: String, _ verdict: Verdict, _ page: String, _ agent: String) -> ArchiveStory {
            let sends = ["User-Agent": agent]
            return ArchiveStory(
                "auth.one-refresh-for-parallel-rejections", title, verdict,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, token: one, sends: sends),
                    HAREntry(10, "GET", "/v1/cards", 401, token: one, sends: sends), refresh(200, 200, "/home", agent),
                    refresh(210, 400, page, agent),
                ])
        }
        return [
            traffic("two pages of a browser refresh", .inconclusive, "/cards", "Mozilla/5.0"),
            traffic("one page of a browser refreshes twice", .fail, "/home", "Mozilla/5.0"),
            traffic("an app refreshes twice", .fail, "/cards", "Bank/4.2"),
        ]
    }()

    /// Two phones have one program.
    private static let devices: [ArchiveStory] = {
        let wait = "retry.after-429-seconds"
        let limited = [
            HAREntry(3000, "GET", "/v1/rates", 429, gets: ["Retry-After": "10"]), HAREntry(3900, "GET", "/v1/rates"),
        ]
        let signIns = [signIn(0, "ava", one), signIn(500, "ben", two)]
        return [
            ArchiveStory(
                wait, "two customers' requests alternate", .inconclusive,
                signIns + [HAREntry(1000, token: one), HAREntry(1500, token: two)] + limited),
            ArchiveStory(wait, "one customer follows the other", .fail, signIns + [HAREntry(1500, token: two)] + limited),
        ]
    }()

    /// A customer may sign another device out.
    private static let signOuts: [ArchiveStory] = {
        func after(_ path: String, _ body: String, _ verdict: Verdict, _ sends: [String: String] = [:]) -> ArchiveStory {
            ArchiveStory(
                "invariant.own-token-only", "\(path) \(body)", verdict,
                [signIn(0, "ava", one), HAREntry(900, "POST", path, token: one, body: body, sends: sends), HAREntry(9000, token: one)])
        }
        func session(_ title: String, _ verdict: Verdict, _ signIns: [HAREntry]) -> ArchiveStory {
            let signOut = HAREntry(900, "POST", "/v1/auth/logout", token: one, body: #"{"sessionId":"s-1"}"#)
            return ArchiveStory(
                "invariant.own-token-only", "a session \(title)", verdict, signIns + [signOut, HAREntry(9000, token: one)])
        }
        return [
            after("/v1/auth/logout", #"{"sessionId":"other-session"}"#, .inconclusive),
            after("/auth/revoke", #"{"deviceId":"device-8"}"#, .inconclusive),
            after("/auth/revoke", #"{"deviceId":"own-7"}"#, .fail),
            after("/v1/auth/logout?id=77", "{}", .inconclusive),
            after("/v1/auth/logout", #"{"session_id":"session-9"}"#, .fail, ["X-Session": "session-9"]),
            after("/v1/auth/logout", #"{"reason":"user"}"#, .fail),
            after("/oauth2/revoke", "token=other-refresh-token", .inconclusive, form), after("/oauth2/revoke", "token=\(one)", .fail, form),
            session("named by the sign-in", .fail, [signIn(0, "ava", one, #","session_id":"s-1""#)]),
            session("named in an object of the sign-in", .fail, [signIn(0, "ava", one, #","session":{"id":"s-1"}"#)]),
            session("in a list of sessions", .inconclusive, [signIn(0, "ava", one, #","sessions":[{"sessionId":"s-1"}]"#)]),
            session(
                "named by an earlier sign-in", .inconclusive,
                [signIn(0, "ava", two, #","session_id":"s-1""#), signIn(500, "ava", one, #","session_id":"s-2""#)]),
            ArchiveStory(
                "invariant.own-token-only", "another program has the device", .inconclusive,
                [
                    signIn(0, "ava", two).with("request.headers", [["name": "User-Agent", "value": "Other/1"]]),
                    HAREntry(900, "POST", "/auth/revoke", token: one, body: #"{"deviceId":"own-7"}"#), HAREntry(9000, token: one),
                ]),
        ]
    }()

    /// A client does not make the address to which the bank sends it.
    private static let given: [ArchiveStory] = {
        let rule = "auth.token-never-in-url"
        let address = "/v1/statement.pdf?access_token=\(one)"
        func link(_ text: String) -> HAREntry { signIn(0, "ava", one, #","href":"\#(text)""#) }
        let read = HAREntry(900, "GET", address)
        return [
            ArchiveStory(
                rule, "a redirect has it", .inconclusive, [signIn(0, "ava", one).with("response.headers", location(address)), read]),
            ArchiveStory(
                rule, "a link has it", .inconclusive, [link("https:\\/\\/bank.example\\/v1\\/statement.pdf?access_token=\(one)"), read]),
            ArchiveStory(rule, "a link has another", .fail, [link("https://bank.example/v1/statement.pdf?access_token=\(two)"), read]),
        ]
    }()

    /// A proxy marks neither the stream of an `EventSource` nor the opening of a WebSocket that fails.
    private static let streams: [ArchiveStory] = {
        let rule = "auth.token-never-in-url"
        func read(_ sends: [String: String], _ status: Int = 200) -> [HAREntry] {
            [HAREntry(0, token: one), HAREntry(900, "GET", "/v1/stream?t=\(one)", status, sends: sends)]
        }
        func stream(_ agent: String) -> [HAREntry] { read(["Accept": "text/event-stream", "User-Agent": agent]) }
        return [
            ArchiveStory(rule, "a browser reads a stream", .pass, stream("Mozilla/5.0")),
            ArchiveStory(rule, "an app reads a stream", .fail, stream("okhttp/4.12.0")),
            ArchiveStory(rule, "a WebSocket is not opened", .pass, read(["Sec-WebSocket-Key": "abc="], 502)),
        ]
    }()

    /// A map has a public key in its address (`pk.…`), and where nothing else is known its host may be the bank's.
    private static let hosts: [ArchiveStory] = {
        let rule = "invariant.no-secret-in-address"
        let json = ["Content-Type": "application/json"]
        let machines = HAREntry(0, "GET", "/v1/atms", gets: json)
        let map = HAREntry(900, "GET", "/geocoding.json?access_token=pk.abc", gets: json, host: "maps.example")
        return [
            ArchiveStory(rule, "two hosts answer in JSON", .inconclusive, [machines, map]),
            ArchiveStory(rule, "the host is given", .fail, [machines, map], description("hosts: [maps.example]")),
            ArchiveStory(rule, "only one host answers in JSON", .fail, [map]),
        ]
    }()

    /// The name of a secret may be that of a choice.
    private static let choices: [ArchiveStory] = {
        func traffic(_ query: String, _ verdict: Verdict) -> ArchiveStory {
            ArchiveStory(
                "invariant.no-secret-in-address", query, verdict, [HAREntry(0, token: one), HAREntry(900, "GET", "/v1/in?\(query)")])
        }
        return [
            traffic("otp=sms", .inconclusive), traffic("refresh_token=true", .inconclusive), traffic("otp=123456", .fail),
            traffic("password=sms", .fail), traffic("otp=sms&password=abc", .fail), traffic("otp=", .notExercised),
        ]
    }()

    /// The same content may have other bytes.
    private static let bodies: [ArchiveStory] = {
        let rule = "pay.retry-same-bytes"
        func traffic(
            _ title: String, _ verdict: Verdict, _ first: String, _ second: String, _ sends: [String: String] = [:]
        ) -> ArchiveStory {
            let entries = [(0, 500, first), (2000, 201, second)].map { at, status, body in
                HAREntry(at, "POST", "/v1/payments", status, token: one, key: "key-0001", body: body, sends: sends)
            }
            return ArchiveStory(rule, title, verdict, entries)
        }
        let text = ["Content-Type": "text/plain"]
        return [
            traffic("compressed", .inconclusive, "first bytes", "other bytes", ["Content-Encoding": "gzip"]),
            traffic("encrypted", .inconclusive, #"{"iv":"AA","ciphertext":"q1"}"#, #"{"iv":"BB","ciphertext":"z9"}"#),
            traffic(
                "a part is encrypted", .inconclusive, #"{"amount":"5.00","encryptedPin":"q1"}"#, #"{"encryptedPin":"z9","amount":"5.00"}"#),
            traffic("a part in clear differs", .fail, #"{"amount":"5.00","encryptedPin":"q1"}"#, #"{"amount":"6.00","encryptedPin":"z9"}"#),
            traffic("nothing but base64", .inconclusive, "c29tZSBjaXBoZXIgdGV4dA==", "YW5vdGhlciBjaXBoZXIgdGU=", text),
            traffic("in clear", .fail, "amount is 5.00", "amount is 6.00", text),
        ]
    }()

    /// What stands in place of each token is no token that was sent again.
    private static let placeholders: [ArchiveStory] = [
        ("SECRET", false), ("ACCESS_TOKEN", false), ("OBFUSCATED", false), ("anonymized", false), ("your-token-here", false),
        ("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9", false), ("eyJhbGciOiJSUzI1NiIs...", false), ("secret-of-ava-1", true),
        ("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhdmEifQ.c2lnbmF0dXJl", true),
    ].map { (token: String, isToken: Bool) in
        ArchiveStory(
            "auth.token-cleared-on-rejection", token, isToken ? .fail : .notExercised,
            [HAREntry(0, "GET", "/v1/accounts", 401, token: token), HAREntry(900, "GET", "/v1/accounts", 401, token: token)])
    }

    private static func location(_ text: String) -> JSON { .array([["name": "Location", "value": .string(text)]]) }
}
