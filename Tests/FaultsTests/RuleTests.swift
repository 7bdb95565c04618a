import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

/// The requests that a rule matches.
@Suite struct RuleTests {
    let clock = request("GET /v1/clock")

    /// The statuses of `count` requests on one connection, under a rule that answers 500.
    private func statuses(_ members: String, _ count: Int = 6, seed: UInt64 = 7, fresh: Bool = false) async throws -> [Int?] {
        var statuses: [Int?] = []
        try await withStub(configure: { $0.seed = seed }) { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}}, \#(members)}"#))
            let client = try stub.client()
            for _ in 1...count {
                let client = fresh ? try stub.client() : client
                await client.send(clock)
                statuses.append(await client.response()?.status)
            }
        }
        return statuses
    }

    @Test(arguments: [
        (#""nth": 2"#, [200, 500, 200, 200, 200, 200]), (#""every": 3"#, [200, 200, 500, 200, 200, 500]),
        (#""first": 2"#, [500, 500, 200, 200, 200, 200]), (#""skip": 4"#, [200, 200, 200, 200, 500, 500]),
        (#""times": 3"#, [500, 500, 500, 200, 200, 200]), (#""every": 2, "times": 1"#, [200, 500, 200, 200, 200, 200]),
        (#""on": {"connection": "cold"}"#, [500, 200, 200, 200, 200, 200]),
        (#""on": {"connection": "warm"}"#, [200, 500, 500, 500, 500, 500]),
        (#""on": {"operation": "clock", "attempt": 3}"#, [200, 200, 500, 200, 200, 200]),
        (#""on": {"path": "/v1/cl*", "method": "GET", "header": {"host": "ba*"}}"#, [500, 500, 500, 500, 500, 500]),
        (#""on": {"path": "/v2/*"}"#, [200, 200, 200, 200, 200, 200]), (#""probability": 0"#, [200, 200, 200, 200, 200, 200]),
    ])
    func `a rule matches by number and selector`(members: String, expected: [Int]) async throws {
        #expect(try await statuses(members) == expected)
    }

    @Test func `the same seed decides the same`() async throws {
        let first = try await statuses(#""probability": 0.5"#, 40)

        #expect(try await statuses(#""probability": 0.5"#, 40, fresh: true) == first)
        #expect(try await statuses(#""probability": 0.5"#, 40, seed: 8) != first)
        #expect(first.contains(200))
        #expect(first.contains(500))
    }

    @Test func `rules select by role, customer and token`() async throws {
        try await withStub { stub in
            let (ann, bob) = (try stub.token("ann"), try stub.token("bob"))
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 501}}, "on": {"role": "accounts", "customer": "ann"}}"#))
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 502}}, "on": {"token": "token#2"}}"#))

            #expect(try await stub.ask(request("GET /v1/accounts", token: ann)).status == 501)
            #expect(try await stub.ask(request("GET /v1/accounts/a1", token: ann)).status == 200)
            #expect(try await stub.ask(request("GET /v1/accounts", token: bob)).status == 502)
        }
    }

    @Test func `attempts are counted for each customer, whose key it is`() async throws {
        try await withStub { stub in
            let (ann, bob) = (try stub.token("ann"), try stub.token("bob"))
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 501}}, "on": {"role": "pay", "attempt": 1}}"#))

            #expect(try await stub.ask(payment(key: "k1", token: ann)).status == 501)
            #expect(try await stub.ask(payment(key: "k1", token: bob)).status == 501)
            #expect(try await stub.ask(payment(key: "k1", token: ann)).status == 201)
            #expect(try stub.till.journal().entries.map(\.attempt) == [1, 1, 2])
        }
    }

    @Test func `a rule counts no request that an earlier one took`() async throws {
        try await withStub { stub in
            let rules = try [501, 502].map { try stub.till.set(rule(#"{"fault": {"status": {"status": \#($0)}}, "nth": 2}"#)) }

            var statuses: [Int] = []
            for _ in 1...4 { statuses.append(try await stub.ask(clock).status) }

            #expect(statuses == [200, 501, 502, 200])
            #expect(try rules.map { try stub.till.counts(ofRule: $0)?.matched } == [4, 3])
        }
    }

    @Test func `a connection is cold in each session that it reaches`() async throws {
        try await withStub(twoBanks()) { stub in
            for session in [try stub.till, try #require(stub.server.registry.session("safe"))] {
                _ = try session.set(rule(#"{"fault": {"status": {"status": 501}}, "on": {"connection": "cold"}}"#))
            }
            let client = try stub.client()
            var statuses: [Int?] = []
            for bank in ["till", "till", "safe", "safe"] {
                await client.send(request("GET /\(bank)/v1/clock"))
                statuses.append(await client.response()?.status)
            }
            #expect(statuses == [501, 200, 501, 200])
        }
    }

    @Test func `a path is compared without the query`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 501}}, "on": {"path": "/v1/clock"}}"#))
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 502}}, "on": {"path": "*zone=*"}}"#))

            #expect(try await stub.ask(request("GET /v1/clock?zone=UTC")).status == 501)
            #expect(try await stub.ask(request("GET /v1/document.json?zone=UTC")).status == 200)
        }
    }

    @Test func `a rule is gone after its time to live`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 501}, "after": "3100ms"}, "on": {"operation": "document"}}"#))
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 500}}, "ttl": "3s"}"#))
            #expect(try await stub.ask(clock).status == 500)

            #expect(try await stub.ask(request("GET /v1/document.json")).status == 501)

            #expect(try await stub.ask(clock).status == 200)
        }
    }

    @Test(arguments: [
        #""fault": "close", "on": {"operation": "nothing"}"#, #""fault": "close", "on": {"role": "atms"}"#,
        #""fault": "close", "on": {"customer": "zoe"}"#,
    ])
    func `a rule that can never apply is rejected`(members: String) async throws {
        try await withStub { stub in
            #expect(throws: RuleError.self) { try stub.till.set(rule("{\(members)}")) }
        }
    }

    @Test func `a business failure is rejected where no operation has one`() async throws {
        let files = try source(
            TestFiles().replacing("till/bank.yaml", "business_failure: {done: false, amount: {body: amount}}", with: ""))
        try await withStub([files]) { stub in
            #expect(throws: RuleError.self) { try stub.till.set(rule(#"{"fault": "business-failure"}"#)) }
        }
    }
}
