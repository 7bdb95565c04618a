import BankModel
import Platform
import Testing
import TestServer

@testable import BankEngine
@testable import StubServer

/// Reading a journal in parts, waiting for it, and reading one exchange.
@Suite struct JournalQueryTests {
    @Test func `the newest come first and older ones on demand`() async throws {
        try await withAdmin { admin in
            let path = "/sessions/till/journal"
            for _ in 1...5 { _ = try await admin.stub.ask(request("GET /v1/clock")) }
            _ = try await admin.stub.till.ended(5)

            let newest = try await admin.call("GET \(path)?last=2&brief=true").json
            #expect(newest.seqs == [4, 5])
            #expect(newest["next_since"]?.int == 5)
            #expect(newest["oldest"]?.int == 1)
            #expect(newest["entries"]?.array?.first?["request_headers"] == nil)
            #expect(newest["entries"]?.array?.first?["path"] != nil)
            let older = try await admin.call("GET \(path)?last=2&before=4").json
            #expect(older.seqs == [2, 3])
            #expect(older["entries"]?.array?.first?["request_headers"] != nil)
            #expect(try await admin.call("GET \(path)?since=9223372036854775807&before=0").json.seqs.isEmpty)
            #expect(try await admin.call("GET \(path)?before=1").json.seqs.isEmpty)
            #expect(try await admin.call("GET \(path)?since=2&before=4&limit=9").json.seqs == [3])
        }
    }

    @Test func `a waiting reader is answered on the next change`() async throws {
        try await withAdmin { admin in
            let path = "/sessions/till/journal"
            let first = try #require(try await admin.call("GET \(path)").json["revision"]?.int)

            async let waiting = admin.call("GET \(path)?revision=\(first)&wait=25s")
            _ = try await admin.stub.ask(request("GET /v1/clock"))
            let woken = try await waiting.json
            #expect(woken.seqs == [1])
            #expect(woken["revision"]?.int != first)

            // An existing change is not awaited.
            #expect(try await admin.call("GET \(path)?revision=\(first)&wait=1d").json.seqs == [1])
            _ = try await admin.stub.till.ended(1)
            let second = try #require(try await admin.call("GET \(path)").json["revision"]?.int)
            #expect(try await admin.call("GET \(path)?revision=\(second)&wait=1ms").json["revision"]?.int == second)
            async let cleared = admin.call("GET \(path)?revision=\(second)&wait=25s")
            try admin.stub.till.reset()
            let empty = try await cleared.json
            #expect(empty.seqs.isEmpty)
            #expect(empty["oldest"]?.int == 2)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `waiting for a removed session is reported`() async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", name: "gone")
            var query = JournalQuery()
            query.revision = session.inner.withLock { $0.journal.revision }
            query.wait = .seconds(86_400)
            let waiting = Task { [query] in try await session.journal(query) }
            while session.inner.withLock({ $0.watchers.isEmpty }) { await Task.yield() }

            try await stub.server.registry.removeDurably("gone")

            await #expect(throws: SessionError.unknown("gone")) { try await waiting.value }
            await session.watchJournal(within: .seconds(86_400)) { false }
            #expect(session.inner.withLock { $0.watchers.isEmpty })
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a server that ends waits for no client`() async throws {
        try await withStub { stub in
            let session = try stub.till
            var query = JournalQuery()
            query.revision = session.inner.withLock { $0.journal.revision }
            query.wait = .seconds(86_400)
            let waiting = Task { [query] in try await session.journal(query) }
            while session.inner.withLock({ $0.watchers.isEmpty }) { await Task.yield() }

            waiting.cancel()

            #expect(try await waiting.value.records.isEmpty)
            #expect(session.inner.withLock { $0.watchers.isEmpty })
        }
    }

    @Test func `one exchange is shown whole with the command that repeats it`() async throws {
        try await withAdmin { admin in
            _ = try await admin.stub.ask(payment("2.50", key: "it's", token: try admin.stub.token()))
            _ = try await admin.stub.till.ended(1)

            let exchange = try await admin.call("GET /sessions/till/journal/1").json

            #expect(exchange["seq"]?.int == 1)
            #expect(exchange["reply_headers"]?.array?.isEmpty == false)
            let base = admin.stub.server.address
            #expect(
                exchange.at("curl.line")?.string
                    == #"curl -i -H "Authorization: Bearer $token" -H 'Idempotency-Key: it'\''s' -H 'User-Agent:' -H 'Accept:' -H 'Content-Type:' --data-raw '{"from": "a1", "to": "p1", "amount": "2.50"}' \#(base)/v1/payments"#
            )
            #expect(exchange.at("curl.left_out")?.array?.isEmpty == true)
            #expect(exchange["nearest"]?.array?.isEmpty == true)
            _ = try await admin.stub.ask(request("GET /v1/acounts"))
            let stray = try await admin.call("GET /sessions/till/journal/2").json
            #expect(stray["nearest"]?.array?.first?["operation"]?.string == "accounts")
            #expect(try await admin.call("GET /sessions/till/journal/3").status == 404)
            #expect(try await admin.call("GET /sessions/till/journal/x").status == 400)
        }
    }

    /// The request, its command, and the parts that the command lacks.
    static let requests: [(sent: String, line: String, leftOut: [String])] = [
        (request("GET /v1/clock?a=[1]&b=$x"), "curl -i -H 'User-Agent:' -H 'Accept:' -g '{}/v1/clock?a=[1]&b=$x'", []),
        (request("HEAD /v1/clock"), "curl -i -I -H 'User-Agent:' -H 'Accept:' {}/v1/clock", []),
        (
            request("DELETE /v1/clock", headers: ["Cookie: a=b", "X-Empty:", "Connection: close"]),
            "curl -i -X DELETE -H 'X-Empty;' -H 'User-Agent:' -H 'Accept:' {}/v1/clock", ["Cookie"]
        ),
        (
            request("PUT /v1/clock", headers: ["Content-Type: text/plain"], body: "$(date)"),
            "curl -i -X PUT -H 'Content-Type: text/plain' -H 'User-Agent:' -H 'Accept:' --data-raw '$(date)' {}/v1/clock", []
        ),
        (
            request(
                "POST /v1/token", headers: ["Content-Type: application/x-www-form-urlencoded"],
                body: "grant_type=password&username=ann&password=apple"),
            "curl -i -X POST -H 'Content-Type: application/x-www-form-urlencoded' -H 'User-Agent:' -H 'Accept:' {}/v1/token",
            ["the body, which the journal does not store unchanged"]
        ),
    ]

    @Test(arguments: requests)
    func `the command is one for the shell and holds no secret`(sent: String, line: String, leftOut: [String]) async throws {
        try await withAdmin { admin in
            _ = try await admin.stub.ask(sent)
            _ = try await admin.stub.till.ended(1)

            let curl = try #require(try await admin.call("GET /sessions/till/journal/1").json["curl"])

            #expect(curl["line"]?.string == line.replacing("{}", with: admin.stub.server.address))
            #expect(curl["left_out"]?.array?.compactMap(\.string) == leftOut)
        }
    }
}

extension JSON {
    /// The numbers of a page's entries.
    fileprivate var seqs: [Int64] { self["entries"]?.array?.compactMap { $0["seq"]?.int } ?? [] }
}
