import BankModel
import TestBanks
import Testing

@testable import BankCore

/// A bank that counts requests, and rejects those beyond its limit.
@Suite struct RateLimitTests {
    /// The small bank with that limit in its dialect.
    private static func files(_ limit: String) -> TestFiles {
        TestFiles().replacing("dialects/terse.yaml", "request_id:", with: "rate_limit: \(limit)\nrequest_id:")
    }

    private func till(_ limit: String, operation: String? = nil) throws -> Till {
        var files = Self.files(limit)
        if let operation {
            files = files.replacing("till/bank.yaml", "accounts: {request: GET", with: "accounts: {rate_limit: \(operation), request: GET")
        }
        return try Till(files)
    }

    @Test func `requests beyond the limit are rejected until the window that began with the first one is over`() throws {
        var till = try till("{requests: 2, within: 1m}")
        let token = try till.token()

        var responses = [till.send("GET", "/v1/accounts", token: token)]
        till.now = till.now + .milliseconds(30_500)
        responses.append(till.send("GET", "/v1/accounts/a1", token: token))
        responses.append(till.send("GET", "/v1/accounts", token: token))
        till.now = till.now + .milliseconds(29_499)
        responses.append(till.send("GET", "/v1/accounts", token: token))
        till.now = till.now + .milliseconds(1)
        responses.append(till.send("GET", "/v1/accounts", token: token))

        #expect(responses.map(\.status) == [200, 200, 429, 429, 200])
        #expect(responses.map(\.error) == [nil, nil, "rate-limited", "rate-limited", nil])
        #expect(responses.map { $0.header("Retry-After") } == [nil, nil, "30", "1", nil])
        #expect(Set(responses.map { $0.header("RateLimit-Policy") }) == ["\"default\";q=2;w=60"])
        let shown = responses.map { $0.header("RateLimit") }
        #expect(shown == ["r=1;t=60", "r=0;t=30", "r=0;t=30", "r=0;t=1", "r=1;t=60"].map { "\"default\";\($0)" })
    }

    @Test func `rejected requests count, and show the limit too`() throws {
        var till = try till("{requests: 3, within: 1m}")

        let responses = [
            till.send("GET", "/v1/accounts"), till.send("GET", "/v1/accounts", token: "wrong"),
            till.send("POST", "/v1/token", body: "grant_type=password&username=ann"), till.send("GET", "/v1/clock"),
        ]

        #expect(responses.map(\.error) == ["no-credentials", "token-rejected", "bad-request", "rate-limited"])
        #expect(responses.map { $0.header("RateLimit") } == [2, 1, 0, 0].map { "\"default\";r=\($0);t=60" })
        #expect(till.send("GET", "/v1/nowhere").header("RateLimit") == nil, "a request that meets no operation is not counted")
    }

    @Test(arguments: [
        ("token", [200, 200, 429, 200, 200], 3), ("customer", [200, 429, 429, 200, 429], 2), ("operation", [200, 429, 429, 429, 200], 2),
    ])
    func `requests are counted together by token, customer or operation`(_ per: String, _ statuses: [Int], _ windows: Int) throws {
        var till = try till("{requests: 1, within: 1m, per: \(per)}")
        let (first, second, bobs) = (try till.token(), try till.token(), try till.token("bob"))

        let responses = [
            till.send("GET", "/v1/accounts", token: first), till.send("GET", "/v1/accounts", token: second),
            till.send("GET", "/v1/accounts", token: first),
            till.send("GET", "/v1/accounts", token: bobs),
            till.send("GET", "/v1/accounts/a1", token: per == "token" ? try till.token() : second),
        ]

        #expect(responses.map(\.status) == statuses)
        #expect(till.state.requests.count == windows + (per == "token" ? 1 : 0))
    }

    @Test func `an operation's own limit is counted apart and by its name, and none is none`() throws {
        var own = try till("{requests: 2, within: 1m, headers: x}", operation: "{requests: 1, within: 1h}")
        let token = try own.token()

        let responses = ["accounts", "accounts", "accounts/a1", "accounts/a2", "accounts/a1"].map {
            own.send("GET", "/v1/\($0)", token: token)
        }

        #expect(responses.map(\.status) == [200, 429, 200, 200, 429])
        #expect(responses.map { $0.header("X-RateLimit-Limit") } == ["1", "1", "2", "2", "2"])
        #expect(responses.map { $0.header("Retry-After") } == [nil, "3600", nil, nil, "60"])

        var named = try till("{requests: 2, within: 1m}", operation: "{requests: 1, within: 1h}")
        #expect(named.send("GET", "/v1/accounts").header("RateLimit-Policy") == "\"accounts\";q=1;w=3600")

        var free = try till("{requests: 1, within: 1m}", operation: "none")
        let others = (1...3).map { _ in free.send("GET", "/v1/accounts") }
        #expect(others.allSatisfy { $0.status == 401 && $0.header("RateLimit") == nil })
    }

    @Test func `the other forms of the headers`() throws {
        var x = try till("{requests: 2, within: 1m, headers: x}")
        let end = x.now.seconds + 60
        x.now = x.now + .milliseconds(1)
        let shown = x.send("GET", "/v1/clock").headers.filter { $0.name.hasPrefix("X-RateLimit") }.map { "\($0.name): \($0.value)" }
        #expect(shown == ["X-RateLimit-Limit: 2", "X-RateLimit-Remaining: 1", "X-RateLimit-Reset: \(end + 1)"])

        var none = try till("{requests: 1, within: 1m, headers: none}")
        let responses = [none.send("GET", "/v1/clock"), none.send("GET", "/v1/clock")]
        #expect(responses.map(\.status) == [200, 429])
        #expect(!responses.flatMap(\.headers).contains { $0.name.contains("RateLimit") })
        #expect(responses[1].header("Retry-After") == "60")
    }

    @Test func `a key is neither claimed nor stored by a request beyond the limit`() throws {
        var till = try till("{requests: 1, within: 1m, per: operation}")
        let token = try till.token()

        let paid = till.pay("1.00", key: "k-1", token: token)
        let limited = [till.pay("2.00", key: "k-2", token: token), till.pay("1.00", key: "k-1", token: token)]
        till.now = till.now + .seconds(60)
        let replayed = till.pay("1.00", key: "k-1", token: token)
        till.now = till.now + .seconds(60)
        let other = till.pay("2.00", key: "k-2", token: token)

        #expect(paid.status == 201)
        #expect(limited.map(\.status) == [429, 429])
        #expect(replayed.replayed && replayed.body == paid.body)
        #expect(replayed.headers.filter { $0.name == "RateLimit" }.count == 1, "the stored response has none of the first request")
        #expect(other.status == 201 && !other.replayed)
        #expect(till.state.ledger.movements.count == 2)
    }

    @Test func `windows that are over are dropped`() throws {
        var till = try till("{requests: 5, within: 1m}")
        for _ in 1...50 {
            let token = try till.token()
            for _ in 1...3 { _ = till.send("GET", "/v1/accounts", token: token) }
            till.now = till.now + .seconds(20)
        }

        #expect(till.state.requests.count == 3)
    }

    @Test func `a reset, an edited bank and a restored state begin to count`() throws {
        var till = try till("{requests: 1, within: 1h, per: operation}")
        func status(_ till: inout Till) -> Int { till.send("GET", "/v1/clock").status }
        #expect([status(&till), status(&till)] == [200, 429])

        var edited = till
        edited.state.prepared = PreparedBank(till.state.bank)
        #expect([status(&edited), status(&edited)] == [200, 429])

        var stored = till
        try stored.state.restore(image: till.state.image)
        #expect([status(&stored), status(&stored)] == [200, 429], "a state file has no counts")

        till.state.save()
        till.state.reset(at: till.now)
        #expect([status(&till), status(&till)] == [200, 429])
        let isRestored = till.state.restore()
        #expect(isRestored)
        #expect(status(&till) == 429, "a saved state has them")
    }

    @Test func `a name that no header can have is written without what it cannot`() {
        #expect(structuredString(of: #"pay "now" \ é"#) == #""pay \"now\" \\ ?""#)
    }
}
