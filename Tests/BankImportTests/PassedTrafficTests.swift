import BankCore
import BankModel
import Contracts
import Testing

@testable import BankImport

/// What passed through a proxy, as the rules see it.
@Suite struct PassedTrafficTests {
    private static let origin = "https://bank.example"
    private static let rejected = exchange(1, 0, "GET", "/v1/accounts", 401, token: "old-secret-token")

    /// - Parameter at: the start, in milliseconds.
    private static func exchange(
        _ seq: Int, _ at: Int64, _ method: String, _ target: String, _ status: Int, token: String? = nil, body: String = "",
        gets: [JournalEntry.Header] = [], response: [UInt8]? = [], connection: Int = 1
    ) -> PassedExchange {
        var messages = PassedExchange.Messages(
            target: target, requestHeaders: token.map { [JournalEntry.Header("Authorization", "Bearer \($0)")] } ?? [],
            requestBody: Array(body.utf8))
        if !body.isEmpty { messages.requestHeaders.append(JournalEntry.Header("Content-Type", "application/x-www-form-urlencoded")) }
        messages.responseHeaders = gets
        messages.responseBody = response
        let nanoseconds = at * 1_000_000
        let entry = JournalEntry(
            seq: seq, at: Instant(nanoseconds: 1_770_000_000_000_000_000 + nanoseconds), monoNanoseconds: nanoseconds,
            durationMicroseconds: 20_000, connection: connection, requestOnConnection: seq, method: method, path: target, status: status,
            receipt: Receipt(headBytes: 100, bodyBytes: response?.count ?? 0, end: .kept))
        return PassedExchange(entry, messages)
    }

    private func verdict(_ exchanges: [PassedExchange]) -> ArchiveVerdict { ArchiveVerdict(passed: exchanges, through: Self.origin) }

    private func rule(_ id: String, _ exchanges: [PassedExchange]) throws -> JournalReport.Outcome {
        try #require(verdict(exchanges).reports.reports.first?.rules.first { $0.id == id })
    }

    @Test func `a rejected token that is sent again is a failure, and in no output`() throws {
        let exchanges = [Self.rejected, Self.exchange(2, 900, "GET", "/v1/accounts", 401, token: "old-secret-token")]

        let verdict = verdict(exchanges)

        #expect(try rule("auth.token-cleared-on-rejection", exchanges).verdict == .fail)
        #expect(verdict.reports.exitCode() == .failed)
        #expect(!(verdict.notes.joined() + verdict.reports.text()).contains("secret-token"))
    }

    @Test func `a response that the client did not get whole forbids nothing`() throws {
        var cut = Self.rejected
        cut.messages.isCut = true
        var lost = Self.rejected
        lost.entry.receipt = Receipt(end: .clientGone)
        lost.entry.status = nil
        // The browser keeps the response from a page of another origin.
        var hidden = Self.rejected
        hidden.messages.requestHeaders.append(JournalEntry.Header("Origin", "https://app.example"))
        for first in [cut, lost, hidden] {
            let outcome = try rule(
                "auth.token-cleared-on-rejection", [first, Self.exchange(2, 900, "GET", "/v1/accounts", 401, token: "old-secret-token")])
            #expect(outcome.verdict == .notExercised || outcome.verdict == .pass)
            #expect(outcome.violations.isEmpty)
        }
    }

    @Test func `what the proxy answered itself is left out`() {
        var own = Self.exchange(1, 0, "POST", "/v1/payments", 405)
        own.messages.responder = .proxy

        let verdict = verdict([own, Self.exchange(2, 500, "POST", "/v1/payments", 405)])

        #expect(verdict.notes.first == "1 of 2 requests checked")
        #expect(verdict.notes.contains { $0.hasPrefix("left out 1 that the proxy rejected itself") })
    }

    @Test func `the token in a compressed response has its name`() throws {
        let response = ContentCoding.gzip.coded(Array(#"{"access_token":"new-secret-token","token_type":"Bearer"}"#.utf8))
        let signIn = Self.exchange(
            1, 0, "POST", "/oauth/token", 200, body: "grant_type=password&username=ann&password=pw",
            gets: [JournalEntry.Header("Content-Encoding", "gzip")], response: response)
        let exchanges = [signIn, Self.exchange(2, 500, "GET", "/v1/x?access_token=new-secret-token", 200, token: "new-secret-token")]

        let outcome = try rule("auth.token-never-in-url", exchanges)

        #expect(outcome.verdict == .fail)
        #expect(!verdict(exchanges).reports.text().contains("new-secret-token"))
        #expect(verdict(exchanges).reports.text().contains("token#1"))
    }

    @Test(arguments: [(3, true), (4, false)])
    func `a response in many codings is not read, however short it is`(_ count: Int, _ isRead: Bool) throws {
        let body = Array(#"{"accounts":[]}"#.utf8)
        let coded = (0..<count).reduce(body) { bytes, _ in ContentCoding.gzip.coded(bytes) }
        let codings = Array(repeating: "gzip", count: count).joined(separator: ", ")
        let exchange = Self.exchange(
            1, 0, "GET", "/v1/accounts", 200, gets: [JournalEntry.Header("Content-Encoding", codings)], response: coded)

        let entry = try #require(RecordedExchange(exchange, through: Self.origin))

        #expect((entry.responseBody.bytes == body) == isRead)
    }

    @Test func `connections and order are those that the proxy saw`() throws {
        // On one connection the second request follows the response; on another one it may have been sent before.
        let soon = Self.exchange(2, 40, "GET", "/v1/accounts", 401, token: "old-secret-token")
        let other = Self.exchange(2, 40, "GET", "/v1/accounts", 401, token: "old-secret-token", connection: 2)

        #expect(try rule("auth.token-cleared-on-rejection", [Self.rejected, soon]).verdict == .fail)
        #expect(try rule("auth.token-cleared-on-rejection", [Self.rejected, other]).violations.isEmpty)
    }

    @Test func `what another proxy sent on may be its own retry`() throws {
        var limited = Self.exchange(1, 0, "GET", "/v1/rates", 429, gets: [JournalEntry.Header("Retry-After", "10")])
        var again = Self.exchange(2, 700, "GET", "/v1/rates", 200)
        #expect(try rule("retry.after-429-seconds", [limited, again]).verdict == .fail)

        let via = JournalEntry.Header("Via", "1.1 nginx")
        limited.messages.requestHeaders.append(via)
        again.messages.requestHeaders.append(via)

        #expect(try rule("retry.after-429-seconds", [limited, again]).verdict == .inconclusive)
        #expect(verdict([limited, again]).reports.reports.first?.through == ["via": 2])
    }

    @Test func `a sign-in is known by one request`() {
        let form = [JournalEntry.Header("Content-Type", "application/x-www-form-urlencoded")]
        func role(_ method: String, _ target: String, _ body: String) -> Role? {
            APIDescription().role(of: BankRequest(method, target, headers: form, body: Array(body.utf8)), at: Self.origin)
        }

        #expect(role("POST", "/oauth/token", "grant_type=client_credentials") == .login)
        #expect(role("POST", "/oauth/token", "grant_type=refresh_token&refresh_token=x") == .refresh)
        #expect(role("POST", "/v1/login", "username=ann&password=pw") == .login)
        #expect(role("POST", "/v1/payments", "amount=5") == .pay)
        #expect(role("POST", "/v1/notes", "text=hello") == nil)
        #expect(role("PUT", "/oauth/token", "grant_type=password") == nil)
    }

    @Test func `a recorded exchange is the provider's own whole response`() throws {
        var affected = Self.rejected
        affected.entry.faults = [FaultRecord(rule: "rule-1", kind: "status", point: "request", applied: true)]
        var cut = Self.rejected
        cut.messages.isCut = true
        var own = Self.rejected
        own.messages.responder = .proxy
        var failed = Self.rejected
        failed.messages.responder = .proxyForBank
        for exchange in [affected, cut, own, failed] { #expect(RecordedExchange(exchange, through: Self.origin) == nil) }

        let recorded = try #require(RecordedExchange(Self.rejected, through: Self.origin))
        #expect(recorded.url == RecordedURL("https://bank.example/v1/accounts"))
        #expect(recorded.status == 401)
        let long = Self.exchange(3, 0, "GET", "/v1/long", 200, response: nil)
        #expect(try #require(RecordedExchange(long, through: Self.origin)).responseBody.isMissing)
    }
}
