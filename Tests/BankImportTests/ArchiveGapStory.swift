import BankModel
import Contracts

@testable import BankImport

/// What each rule needs to know of a recording: a correct app where it is not known, and a wrong one where it is.
extension ArchiveStory {
    static let gaps: [ArchiveStory] = [twoTabs, pageLoads, answers, unsent, uncertainKeys, loops, signIns, forwarded].flatMap(\.self)

    /// The headers of a request of a browser's page, which a proxy recorded.
    private static func page(_ name: String) -> [String: String] {
        ["User-Agent": "Mozilla/5.0 (X11) Chrome/122", "Referer": "https://app.example/\(name)"]
    }

    private static let missingScope = ["WWW-Authenticate": "Bearer error=\"insufficient_scope\""]

    /// The story of two tabs, and that of one.
    ///
    /// - Parameter doubted: a pass for a rule that fewer attempts met, too.
    private static func twoPages(
        _ rule: String, _ title: String, _ doubted: Verdict = .inconclusive,
        _ entries: (_ first: [String: String], _ second: [String: String]) -> [HAREntry]
    ) -> [ArchiveStory] {
        [
            ArchiveStory(rule, "\(title), from two pages", doubted, entries(page("a"), page("b"))),
            ArchiveStory(rule, "\(title), from one page", .fail, entries(page("a"), page("a"))),
        ]
    }

    private static let twoTabs: [ArchiveStory] = [
        twoPages("auth.scope-refusal-keeps-token", "no token is sent after a missing scope") { first, second in
            [
                HAREntry(0, "GET", "/v1/cards", 403, token: one, sends: first, gets: missingScope),
                HAREntry(1500, "GET", "/v1/me", 401, sends: second),
            ]
        },
        twoPages("retry.after-429-seconds", "a read comes before its time") { first, second in
            [
                HAREntry(0, "GET", "/v1/rates", 429, token: one, sends: first, gets: ["Retry-After": "10"]),
                HAREntry(800, "GET", "/v1/rates", token: one, sends: second),
            ]
        },
        twoPages("retry.bounded", "a read fails 24 times", .pass) { first, second in
            (0..<24).map { HAREntry(400 * $0, "GET", "/v1/rates", 503, token: one, sends: $0.isMultiple(of: 2) ? first : second) }
        },
        twoPages("retry.not-on-client-errors", "a read is rejected three times") { first, second in
            (0..<3).map { HAREntry(800 * $0, "GET", "/v1/flags", 410, token: one, sends: $0 == 1 ? second : first) }
        },
    ].flatMap(\.self)

    /// A page that is reloaded has lost the token and the pause that it had in memory.
    private static let pageLoads: [ArchiveStory] = {
        func refresh(_ at: Int, _ status: Int, _ page: String) -> HAREntry {
            HAREntry(
                at, "POST", "/oauth/token", status, body: "grant_type=refresh_token&refresh_token=first-refresh-token",
                sends: ["Content-Type": "application/x-www-form-urlencoded"],
                response: status == 200 ? #"{"access_token":"\#(two)"}"# : "", page: page)
        }
        func stories(_ last: String, _ verdict: Verdict) -> [ArchiveStory] {
            [
                ArchiveStory(
                    "auth.scope-refusal-keeps-token", "no token is sent from \(last)", verdict,
                    [
                        HAREntry(0, "GET", "/v1/cards", 403, token: one, gets: missingScope, page: "page_1"),
                        HAREntry(1500, "GET", "/v1/me", 401, page: last),
                    ], by: "WebInspector"),
                ArchiveStory(
                    "retry.after-429-seconds", "a read comes before its time from \(last)", verdict,
                    [
                        HAREntry(0, "GET", "/v1/rates", 429, token: one, gets: ["Retry-After": "10"], page: "page_1"),
                        HAREntry(800, "GET", "/v1/rates", token: one, page: last),
                    ], by: "WebInspector"),
                ArchiveStory(
                    "retry.not-on-client-errors", "a read is rejected three times, at last from \(last)", verdict,
                    (0..<3).map { HAREntry(800 * $0, "GET", "/v1/flags", 410, token: one, page: $0 < 2 ? "page_1" : last) },
                    by: "WebInspector"),
                ArchiveStory(
                    "auth.one-refresh-for-parallel-rejections", "two refreshes, the second from \(last)", verdict,
                    ["/v1/accounts", "/v1/cards"].map { HAREntry(0, "GET", $0, 401, token: one, page: "page_1") }
                        + [refresh(200, 200, "page_1"), refresh(210, 400, last)],
                    by: "WebInspector"),
            ]
        }
        return stories("page_2", .inconclusive) + stories("page_1", .fail)
    }()

    /// A proxy records a response for which the app no longer waited.
    private static let answers: [ArchiveStory] = {
        func scope(_ title: String, _ verdict: Verdict, lasts: Int) -> ArchiveStory {
            ArchiveStory(
                "auth.scope-refusal-keeps-token", title, verdict,
                [
                    HAREntry(0, "GET", "/v1/cards", 403, token: one, gets: missingScope).with("time", .int(lasts)),
                    HAREntry(lasts + 1500, "GET", "/v1/me", 401),
                ])
        }
        func payees(_ title: String, _ verdict: Verdict, lasts: Int) -> ArchiveStory {
            let times = [0, 700, 700 + lasts + 700]
            let entries = times.map { HAREntry($0, "POST", "/v1/payees", 400, token: one, body: #"{"name":"x"}"#) }
            return ArchiveStory(
                "retry.not-on-client-errors", title, verdict, [entries[0], entries[1].with("time", .int(lasts)), entries[2]])
        }
        return [
            scope("the scope was missing after 12 s, and the user has signed out", .inconclusive, lasts: 12_000),
            scope("the scope was missing at once", .fail, lasts: 20),
            payees("the second rejection took 10 s", .inconclusive, lasts: 10_000),
            payees("all rejections came at once", .fail, lasts: 20),
        ]
    }()

    /// What never left the device harms nobody. The first attempts of a loop, which meet its rule, are a pass.
    private static let unsent: [ArchiveStory] = {
        func lost(_ entry: HAREntry, _ failure: String?) -> HAREntry {
            let entry = entry.with("response.status", 0)
            return failure.map { entry.with("response._error", .string($0)) } ?? entry
        }
        func pay(_ at: Int, _ amount: String = "5.00", key: String = "key-0001") -> HAREntry {
            HAREntry(at, "POST", "/v1/payments", 201, token: one, key: key, body: #"{"amount":"\#(amount)"}"#)
        }
        func stories(_ title: String, _ verdict: Verdict, _ failure: String?) -> [ArchiveStory] {
            [
                ArchiveStory(
                    "retry.bounded", "24 reads \(title)", verdict == .fail ? .fail : .pass,
                    (0..<24).map { lost(HAREntry(400 * $0, "GET", "/v1/rates", token: one), failure) }),
                ArchiveStory(
                    "retry.payment-bounded", "13 attempts \(title)", verdict == .fail ? .fail : .pass,
                    (0..<13).map { lost(pay(700 * $0), failure) }),
                ArchiveStory(
                    "pay.retry-same-bytes", "a payment \(title), and the user changed it", verdict,
                    [lost(pay(0), failure), pay(30_000, "6.00")]),
            ]
        }
        return stories("that may not have left the device", .inconclusive, nil)
            + stories("that were lost", .fail, "net::ERR_EMPTY_RESPONSE")
            + stories("that a proxy saw lost", .fail, "server closed connection")
            + [
                ArchiveStory(
                    "pay.transport-resend-harmless", "a proxy saw the payment lost", .fail,
                    [lost(pay(0), "server closed connection"), pay(300, key: "key-0002")])
            ]
    }()

    /// A number of the request may be that of the whole run.
    private static let uncertainKeys: [ArchiveStory] = {
        let number = ["X-Request-Id": "run-2026-03-02"]
        func stories(_ title: String, _ verdict: Verdict, _ api: APIDescription) -> [ArchiveStory] {
            [
                ArchiveStory(
                    "retry.payment-bounded", "a bank that is down gets 14 payments, \(title)", verdict == .fail ? .fail : .pass,
                    (0..<14).map {
                        HAREntry(600 * $0, "POST", "/v1/payments", 503, token: one, body: #"{"amount":"\#($0).00"}"#, sends: number)
                    }, api),
                ArchiveStory(
                    "retry.payment-after-429-seconds", "two equal payments at a limit, \(title)", verdict,
                    [(0, 429), (800, 201)].map { at, status in
                        HAREntry(
                            at, "POST", "/v1/payments", status, token: one, body: #"{"amount":"5.00"}"#, sends: number,
                            gets: ["Retry-After": "10"])
                    }, api),
            ]
        }
        return stories("and X-Request-Id may be no key", .inconclusive, APIDescription())
            + stories("and X-Request-Id is the key", .fail, description("key: {header: X-Request-Id}"))
    }()

    /// A client may renew its token after any 401, once for each request.
    private static let loops: [ArchiveStory] = {
        func traffic(_ title: String, _ verdict: Verdict, _ response: String, last: Int = 401) -> ArchiveStory {
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            func token(_ number: Int) -> String { "access-token-\(number)" }
            var entries: [HAREntry] = []
            for (number, path) in ["/v1/accounts", "/v1/cards", "/v1/goals"].enumerated() {
                let start = 800 * number
                entries += [
                    HAREntry(start, "GET", path, 401, token: token(number), response: response),
                    HAREntry(
                        start + 70, "POST", "/oauth/token", body: "grant_type=refresh_token&refresh_token=refresh-token-\(number)",
                        sends: form,
                        response: #"{"access_token":"\#(token(number + 1))","refresh_token":"refresh-token-\#(number + 1)"}"#),
                    HAREntry(start + 140, "GET", path, 401, token: token(number + 1), response: response),
                ]
            }
            entries.append(HAREntry(2400, "GET", "/v1/me", last, token: token(3)))
            return ArchiveStory("auth.no-refresh-loop", title, verdict, entries)
        }
        return [
            traffic("the consent has ended", .pass, #"{"tppMessages":[{"category":"ERROR","code":"CONSENT_EXPIRED"}]}"#),
            traffic("the bank accepts the last token elsewhere", .pass, "", last: 200),
            traffic("nothing says why", .fail, ""),
        ]
    }()

    /// A sign-in whose response is not recorded may have issued the token again.
    private static let signIns: [ArchiveStory] = {
        let signIn = HAREntry(
            5000, "POST", "/v1/login", body: #"{"username":"ann","password":"pw"}"#, response: #"{"access_token":"\#(two)"}"#)
        func traffic(_ title: String, _ verdict: Verdict, _ signIn: HAREntry) -> ArchiveStory {
            ArchiveStory(
                "invariant.own-token-only", title, verdict,
                [HAREntry(0, token: one), HAREntry(900, "POST", "/v1/auth/logout", token: one), signIn, HAREntry(9000, token: one)])
        }
        return [
            traffic("the next sign-in may have issued the token", .inconclusive, signIn.with("response.content", ["size": 40])),
            traffic("the next sign-in issued another token", .fail, signIn),
        ]
    }()

    /// A proxy between the app and the recorder may have sent a request again by itself.
    private static let forwarded: [ArchiveStory] = {
        func traffic(_ title: String, _ verdict: Verdict, _ sends: [String: String]) -> ArchiveStory {
            ArchiveStory(
                "retry.after-429-seconds", "a read is repeated \(title)", verdict,
                [
                    HAREntry(0, "GET", "/v1/rates", 429, token: one, sends: sends, gets: ["Retry-After": "10"]),
                    HAREntry(700, "GET", "/v1/rates", token: one, sends: sends),
                ])
        }
        return [
            traffic("behind nginx", .inconclusive, ["Via": "1.1 nginx"]),
            traffic("behind a load balancer", .inconclusive, ["X-Forwarded-For": "192.0.2.1"]), traffic("by the app", .fail, [:]),
        ]
    }()
}
