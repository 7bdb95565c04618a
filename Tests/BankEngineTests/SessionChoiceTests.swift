import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

/// The session that a request reaches, and the isolation of sessions.
@Suite struct SessionChoiceTests {
    private func port(_ session: BankSession) throws -> Int { try #require(session.port) }

    @Test func `a session is reached by its port, prefix, header and token`() async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine", listener: .clear())
            let token = try session.issueTokens(login: "ann").access.text

            let own = try RawClient(port: port(session))
            await own.send(request("GET /v1/accounts", token: token))
            let responses = [
                await own.response(), try await stub.ask(request("GET /s/mine/v1/accounts", token: token)),
                try await stub.ask(request("GET /v1/accounts", token: token, headers: ["x-counterfoil-session: mine"])),
                try await stub.ask(request("GET /v1/accounts", token: token)),
            ]

            #expect(responses.map { $0?.status } == [200, 200, 200, 200])
            let entries = await session.ended(4)
            #expect(entries.map(\.path) == Array(repeating: "/v1/accounts", count: 4))
            #expect(entries.map(\.connection) == [1, 2, 3, 4])
            #expect(try stub.till.journal().entries.isEmpty)
        }
    }

    @Test(arguments: [request("GET /s/nobody/v1/clock"), request("GET /v1/clock", headers: ["X-Counterfoil-Session: nobody"])])
    func `an unknown session is not found by name`(ask: String) async throws {
        try await withStub { stub in
            let response = try await stub.ask(ask)
            #expect(response.status == 404)
            #expect(response.json["detail"]?.string?.contains("nobody") == true)
        }
    }

    @Test func `a path of the bank that looks like a prefix is the bank's own`() async throws {
        try await withStub { stub in
            let response = try await stub.ask(request("GET /s/data.json"))

            #expect(response.error == "not-found")
            #expect(try await stub.till.ended(1).map(\.path) == ["/s/data.json"])
        }
    }

    @Test func `a bank that has paths with the prefix answers them, and a session of that name comes first`() async throws {
        let files = TestFiles().replacing("till/bank.yaml", "base: /v1", with: "base: \"\"").replacing(
            "till/bank.yaml", "operations:\n",
            with: "operations:\n  link: {request: \"GET /s/{link}/data.json\", open: true, reply: {link: {path: link}}}\n")
        try await withStub([source(files)]) { stub in
            let own = try await stub.ask(request("GET /s/tr4v1s/data.json?dl=1"))
            #expect(own.status == 200)
            #expect(own.json["link"] == "tr4v1s")
            #expect(try await stub.till.ended(1).map(\.path) == ["/s/tr4v1s/data.json"])

            let session = try await stub.server.openSession(bank: "till", name: "tr4v1s")
            let nested = try await stub.ask(request("GET /s/tr4v1s/s/again/data.json"))

            #expect(nested.json["link"] == "again")
            #expect(await session.ended(1).map(\.path) == ["/s/again/data.json"])
            #expect(try await stub.ask(request("GET /s/nobody/clock")).status == 404)
        }
    }

    @Test func `several banks are mounted by name and sessions stay with their bank`() async throws {
        try await withStub(twoBanks()) { stub in
            _ = try await stub.server.openSession(bank: "safe", name: "mine")

            #expect(try await stub.ask(request("GET /safe/v1/clock")).status == 200)
            #expect(try await stub.ask(request("GET /till/v1/clock")).status == 200)
            #expect(try await stub.ask(request("GET /v1/clock")).json["detail"]?.string?.contains("/safe") == true)
            #expect(try await stub.ask(request("GET /safe/v1/clock", headers: ["X-Counterfoil-Session: mine"])).status == 200)
            let wrong = try await stub.ask(request("GET /till/v1/clock", headers: ["X-Counterfoil-Session: mine"]))
            #expect(wrong.status == 409)
            #expect(wrong.json["detail"]?.string?.contains("mine") == true)
        }
    }

    @Test func `sessions do not see each other`() async throws {
        try await withStub { stub in
            let (a, b) = (
                try await stub.server.openSession(bank: "till", name: "a"), try await stub.server.openSession(bank: "till", name: "b")
            )
            let (tokenA, tokenB) = (try a.issueTokens(login: "ann").access.text, try b.issueTokens(login: "ann").access.text)
            _ = try a.set(rule(#"{"fault": {"status": {"status": 503}}, "on": {"operation": "clock"}}"#))

            #expect(try await stub.ask(payment(key: "k1", token: tokenA, prefix: "/s/a")).status == 201)
            #expect(try await stub.ask(request("GET /s/b/v1/accounts", token: tokenA)).status == 401)
            #expect(try await stub.ask(request("GET /s/a/v1/clock")).status == 503)
            #expect(try await stub.ask(request("GET /s/b/v1/clock")).status == 200)
            #expect(try await stub.ask(payment(key: "k1", token: tokenB, prefix: "/s/b")).header("Idempotent-Replayed") == nil)
            #expect(await a.ended(2).count == 2)
            #expect(await b.ended(3).count == 3)
            #expect(a.ledger.movements.count == 1)
            #expect(b.ledger.movements.count == 1)
        }
    }

    @Test func `one connection is numbered in each session it reaches`() async throws {
        try await withStub { stub in
            let other = try await stub.server.openSession(bank: "till", name: "other")
            #expect(try await stub.ask(request("GET /s/other/v1/clock")).status == 200)
            let client = try stub.client()

            for path in ["/v1/clock", "/s/other/v1/clock", "/v1/clock", "/s/other/v1/clock"] {
                await client.send(request("GET \(path)"))
                #expect(await client.response()?.status == 200)
            }

            #expect(try await stub.till.ended(2).map { [$0.connection, $0.requestOnConnection] } == [[1, 1], [1, 2]])
            #expect(await other.ended(3).map { [$0.connection, $0.requestOnConnection] } == [[1, 1], [2, 1], [2, 2]])
        }
    }

    @Test func `a removed session is gone with its port`() async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine", listener: .clear())
            let client = try RawClient(port: port(session))
            await client.send(request("GET /v1/clock"))
            #expect(await client.response()?.status == 200)

            try stub.server.registry.remove("mine")

            #expect(await client.end().end != .silence)
            #expect(try await stub.ask(request("GET /s/mine/v1/clock")).status == 404)
        }
    }

    @Test func `a taken port is reported with its address`() async throws {
        try await withStub { stub in
            let error = await #expect(throws: ServerError.self) {
                try await withStub(configure: { $0.port = stub.port }) { _ in }
            }

            #expect(error.map { "\($0)".contains("127.0.0.1:\(stub.port)") } == true)
        }
    }
}
