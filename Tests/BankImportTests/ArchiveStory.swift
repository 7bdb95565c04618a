import BankFiles
import BankModel
import Contracts

@testable import BankImport

/// One entry of a HAR that a test writes.
struct HAREntry: Sendable {
    var json: JSON

    /// - Parameter at: the start, in milliseconds.
    init(
        _ at: Int, _ method: String = "GET", _ path: String = "/v1/accounts", _ status: Int = 200, token: String? = nil, key: String? = nil,
        body: String? = nil, sends: [String: String] = [:], gets: [String: String] = [:], response: String = "",
        host: String = "bank.example",
        page: String? = nil
    ) {
        var headers = sends
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if let key { headers["Idempotency-Key"] = key }
        func lines(_ headers: [String: String]) -> JSON {
            .array(headers.sorted { $0.key < $1.key }.map { ["name": .string($0.key), "value": .string($0.value)] })
        }
        var request = JSONObject([
            ("method", .string(method)), ("url", .string("https://\(host)\(path)")), ("httpVersion", "HTTP/1.1"),
            ("headers", lines(headers)),
        ])
        request["postData"] = body.map { ["mimeType": .string(headers["Content-Type"] ?? "application/json"), "text": .string($0)] }
        var entry = JSONObject([
            ("startedDateTime", .string(Instant(nanoseconds: Int64(1_770_000_000_000 + at) * 1_000_000).rfc3339(.milliseconds))),
            ("time", 20),
            ("request", .object(request)),
            (
                "response",
                [
                    "status": .int(status), "headers": lines(gets),
                    "content": response.isEmpty ? ["size": 0] : ["size": .int(response.utf8.count), "text": .string(response)],
                ]
            ),
        ])
        entry["pageref"] = page.map(JSON.string)
        json = .object(entry)
    }

    /// The entry with a value at a dotted path, such as `response._error`.
    func with(_ path: String, _ value: JSON) -> HAREntry {
        var entry = self
        var object = json.object ?? JSONObject()
        object.set(value, at: path)
        entry.json = .object(object)
        return entry
    }
}

/// A HAR, and what a rule makes of it.
struct ArchiveStory: Sendable {
    let rule: String
    let name: String
    let verdict: Verdict
    let entries: [HAREntry]
    var creator = "mitmproxy"
    var api = APIDescription()

    init(
        _ rule: String, _ name: String, _ verdict: Verdict, _ entries: [HAREntry], by creator: String = "mitmproxy",
        _ api: APIDescription = APIDescription()
    ) {
        self.rule = rule
        self.name = name
        self.verdict = verdict
        self.entries = entries
        self.creator = creator
        self.api = api
    }

    var file: ImportFile { ArchiveStory.file(entries, by: creator) }

    static func file(_ entries: [HAREntry], by creator: String = "mitmproxy", named path: String = "a.har") -> ImportFile {
        let log: JSON = ["version": "1.2", "creator": ["name": .string(creator), "version": "1"], "entries": .array(entries.map(\.json))]
        return ImportFile(path, JSON.object(["log": log]).text)
    }

    /// The verdicts of the rule, one for each client.
    func found() throws -> [Verdict] {
        try ArchiveVerdict([file], api).reports.reports.flatMap { $0.rules.filter { $0.id == rule }.map(\.verdict) }
    }

    /// Whether the rule has the verdict for some client, and fails for none if that is not expected.
    func isReported() throws -> Bool {
        let found = try found()
        return found.contains(verdict) && (verdict == .fail || !found.contains(.fail))
    }
}

extension ArchiveStory {
    static let one = "first-access-token", two = "second-access-token"
    private static let order = #"{"amount":"5.00","to":"b-2"}"#

    private static func pay(_ at: Int, _ status: Int, _ key: String?, _ body: String = order, _ sends: [String: String] = [:]) -> HAREntry {
        HAREntry(at, "POST", "/v1/payments", status, token: one, key: key, body: body, sends: sends)
    }

    private static let rejected = HAREntry(0, "GET", "/v1/accounts", 401, token: one)
    private static let again = HAREntry(900, "GET", "/v1/accounts", 401, token: one)

    static let tokens: [ArchiveStory] = {
        let rule = "auth.token-cleared-on-rejection"
        return [
            ArchiveStory(rule, "the token is sent again", .fail, [rejected, again]),
            ArchiveStory(rule, "another one is sent", .pass, [rejected, HAREntry(900, token: two)]),
            ArchiveStory(
                rule, "it may have been under way", .inconclusive, [rejected, HAREntry(100, "GET", "/v1/accounts", 401, token: one)]),
            ArchiveStory(
                rule, "the bank accepts it later", .inconclusive, [rejected, again, HAREntry(2000, "GET", "/v1/cards", token: one)]),
            ArchiveStory(
                rule, "a nonce was asked for", .notExercised,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, token: one, gets: ["WWW-Authenticate": "DPoP error=\"use_dpop_nonce\""]),
                    HAREntry(900, token: one),
                ]),
            ArchiveStory(
                rule, "another tab sends it", .pass,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, token: one, page: "tab-a"),
                    HAREntry(900, "GET", "/v1/accounts", 401, token: one, page: "tab-b"),
                ], by: "Playwright"),
            ArchiveStory(
                rule, "the same tab sends it after a navigation", .fail,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, token: one, page: "page_1"),
                    HAREntry(900, "GET", "/v1/accounts", 401, token: one, page: "page_2"),
                ], by: "WebInspector"),
            ArchiveStory(
                rule, "tokens are masked", .notExercised,
                [HAREntry(0, "GET", "/v1/accounts", 401, token: "REDACTED"), HAREntry(900, "GET", "/v1/accounts", 401, token: "REDACTED")]),
            ArchiveStory(
                rule, "the page cannot read the 401", .notExercised,
                [rejected.with("request.headers", origin(one)), again.with("request.headers", origin(one))]),
            ArchiveStory(rule, "the second is a preflight", .pass, [rejected, again.with("request.method", "OPTIONS")]),
            ArchiveStory(rule, "the second is a prefetch", .pass, [rejected, again.with("request.headers", prefetch(one))]),
            ArchiveStory(rule, "the second came from the cache", .pass, [rejected, again.with("_fromCache", "disk")]),
            ArchiveStory(rule, "the second came from Safari's cache", .pass, [rejected, again.with("_fetchType", "Memory Cache")]),
            ArchiveStory(rule, "Safari loaded both", .fail, [rejected, again.with("_fetchType", "Network Load")]),
            ArchiveStory(rule, "it is in the file twice", .pass, [rejected, rejected]),
            ArchiveStory(
                rule, "403 rejects a token", .fail,
                [
                    HAREntry(0, "GET", "/v1/accounts", 403, token: one, response: "TOKEN_BAD"),
                    HAREntry(900, "GET", "/v1/accounts", 403, token: one),
                ],
                description("rejected: {status: [403], contains: TOKEN_BAD}")),
            ArchiveStory(
                rule, "the token is in another header", .fail,
                [
                    HAREntry(0, "GET", "/v1/accounts", 401, sends: ["X-Auth-Token": one]),
                    HAREntry(900, "GET", "/v1/accounts", 401, sends: ["X-Auth-Token": one]),
                ], description("token: {header: X-Auth-Token}")),
        ]
    }()

    static let payments: [ArchiveStory] = {
        let kept = "pay.server-error-same-key"
        let lost = "pay.transport-resend-harmless"
        let gone = pay(0, 0, "key-0001")
        return [
            ArchiveStory(kept, "a new key after 500", .fail, [pay(0, 500, "key-0001"), pay(300, 201, "key-0002")]),
            ArchiveStory(kept, "the same key after 500", .pass, [pay(0, 500, "key-0001"), pay(300, 201, "key-0001")]),
            ArchiveStory(kept, "the bodies are missing", .notExercised, [missing(0, 500, "key-0001"), missing(300, 201, "key-0002")]),
            ArchiveStory(
                kept, "only X-Request-Id may be the key", .inconclusive,
                [pay(0, 500, nil, order, ["X-Request-Id": "id-0001"]), pay(300, 201, nil, order, ["X-Request-Id": "id-0002"])]),
            ArchiveStory(
                kept, "X-Request-Id is the key", .fail,
                [pay(0, 500, nil, order, ["X-Request-Id": "id-0001"]), pay(300, 201, nil, order, ["X-Request-Id": "id-0002"])],
                description("key: {header: X-Request-Id}")),
            ArchiveStory(
                lost, "the response was lost", .fail, [gone.with("response._error", "net::ERR_EMPTY_RESPONSE"), pay(300, 201, "key-0002")]),
            ArchiveStory(lost, "nothing shows why there is no response", .inconclusive, [gone, pay(300, 201, "key-0002")]),
            ArchiveStory(
                lost, "the device was offline", .notExercised,
                [gone.with("response._error", "net::ERR_INTERNET_DISCONNECTED"), pay(300, 201, "key-0002")]),
            ArchiveStory(
                "pay.new-intent-new-key", "another payment has the same key", .fail,
                [pay(0, 201, "key-0001"), pay(9000, 201, "key-0001", #"{"amount":"6.00"}"#)]
            ),
            ArchiveStory(
                "pay.new-intent-new-key", "the bodies are missing", .inconclusive,
                [missing(0, 201, "key-0001"), missing(9000, 201, "key-0001")]),
            ArchiveStory(
                "pay.new-intent-new-key", "a key in the body", .pass,
                [
                    pay(0, 201, nil, #"{"idempotency_key":"key-0001","amount":"5.00"}"#),
                    pay(9000, 201, nil, #"{"idempotency_key":"key-0002","amount":"6.00"}"#),
                ]),
        ]
    }()

    static let others: [ArchiveStory] = {
        let wait = "retry.after-429-seconds"
        let date = "retry.after-429-http-date"
        func limited(_ gets: [String: String], _ sends: [String: String] = [:]) -> [HAREntry] {
            [
                HAREntry(0, "GET", "/v1/rates", 429, token: one, sends: sends, gets: gets),
                HAREntry(700, "GET", "/v1/rates", token: one, sends: sends),
            ]
        }
        let site = ["Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"]
        let start = Instant(nanoseconds: 1_770_000_000_000_000_000)
        let later = (start + .seconds(30)).httpDate
        func redirect(to host: String) -> [HAREntry] {
            [
                HAREntry(0, "GET", "/v1/accounts", 302, token: one, gets: ["Location": "https://\(host)/in"]),
                HAREntry(50, "GET", "/in", token: one, host: host),
            ]
        }
        let forwarded = "auth.token-not-forwarded-to-other-host"
        return [
            ArchiveStory(wait, "Retry-After is ignored", .fail, limited(["Retry-After": "5"])),
            ArchiveStory(
                wait, "the page cannot read Retry-After", .inconclusive,
                limited(["Retry-After": "5", "Access-Control-Allow-Origin": "*"], site)),
            ArchiveStory(
                wait, "the page can read Retry-After", .fail,
                limited(["Retry-After": "5", "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"], site)),
            ArchiveStory(
                wait, "without a token, on another connection of the one client", .fail,
                [
                    HAREntry(-5000, token: one),
                    HAREntry(0, "GET", "/v1/rates", 429, gets: ["Retry-After": "5"]).with("connection", "1"),
                    HAREntry(700, "GET", "/v1/rates").with("connection", "2"),
                ]),
            ArchiveStory(date, "the clocks agree", .fail, limited(["Retry-After": later, "Date": start.httpDate])),
            ArchiveStory(date, "the bank's clock is unknown", .inconclusive, limited(["Retry-After": later])),
            ArchiveStory(wait, "there is no duration", .notExercised, limited(["Retry-After": "5"]).map { $0.with("time", -1) }),
            ArchiveStory(forwarded, "the token goes to the other host of a redirect", .inconclusive, redirect(to: "other.test")),
            ArchiveStory(forwarded, "the hosts are given", .fail, redirect(to: "other.test"), description("hosts: [bank.example]")),
            ArchiveStory(
                forwarded, "both hosts are given", .inconclusive, redirect(to: "other.test"),
                description("hosts: [bank.example, other.test]")),
            ArchiveStory(
                "invariant.tls-stays-tls", "the browser itself goes from http to https", .notExercised,
                [
                    HAREntry(0, token: one).with("request.url", "http://bank.example/v1/accounts").with("response.headers", hsts),
                    HAREntry(50, token: one),
                ]),
            ArchiveStory(
                "auth.token-never-in-url", "the token is in the query", .fail,
                [HAREntry(0, token: one), HAREntry(900, "GET", "/v1/export?t=\(one)", token: one)]),
            ArchiveStory(
                "auth.no-empty-bearer", "an entry of the last second that can be counted", .pass,
                [HAREntry(0, token: one), HAREntry(0, token: one).with("startedDateTime", "2262-04-11T23:47:16.850Z")]),
            ArchiveStory("auth.no-empty-bearer", "an app without a token", .fail, [HAREntry(0, token: one), HAREntry(900, token: "null")]),
            ArchiveStory(
                "auth.no-empty-bearer", "a recorder without tokens", .inconclusive, [HAREntry(0, sends: ["Authorization": "Bearer "])]),
            ArchiveStory(
                "retry.not-on-client-errors", "another host answers 400 three times", .notExercised,
                [HAREntry(0, token: one)] + (0..<3).map { HAREntry(1000 + 900 * $0, "GET", "/stats", 400, host: "stats.example") }),
        ]
    }()

    // MARK: parts

    private static func missing(_ at: Int, _ status: Int, _ key: String) -> HAREntry {
        pay(at, status, key).with("request.postData", .null).with("request.bodySize", 28)
    }

    private static func headers(_ pairs: (String, String)...) -> JSON {
        .array(pairs.map { ["name": .string($0.0), "value": .string($0.1)] })
    }

    private static func origin(_ token: String) -> JSON { headers(("Authorization", "Bearer \(token)"), ("Origin", "https://app.example")) }

    private static func prefetch(_ token: String) -> JSON { headers(("Authorization", "Bearer \(token)"), ("Sec-Purpose", "prefetch")) }

    private static var hsts: JSON { headers(("Location", "https://bank.example/v1/accounts"), ("Non-Authoritative-Reason", "HSTS")) }

    /// The description in a text of YAML flow style, `key: value`.
    static func description(_ text: String) -> APIDescription {
        let complaints = Complaints()
        return Node.parse(yaml: text, file: "api.yaml", complaints).map { APIDescription($0, complaints) } ?? APIDescription()
    }
}
