import BankModel
import Foundation
import Platform
import StubServer
import TestBanks
import Testing
import TestServer

@testable import BankCore
@testable import BankEngine

/// A session whose ledger does not add up, which only a bug could bring about: here the test posts to one account alone.
@Suite struct ClosedSessionTests {
    private let file = newStateFile()

    private func life(_ test: (Stub) async throws -> Void) async throws {
        try await withStub(try twoBanks(), configure: { $0.keep(in: file) }, test)
    }

    @Test func `it is closed alone, and the state file keeps the last state that adds up`() async throws {
        defer { removeStateFile(file) }
        var later = ""
        try await life { stub in
            let token = try stub.token()
            #expect(try await stub.ask(payment(key: "k1", token: token, prefix: "/till")).status == 201)
            try await stub.till.durable()
            try stub.till.inner.withLock { $0.state.ledger.post(7, to: Movement.Account(table: "accounts", id: "a1")) }
            later = try stub.token()

            let rejected = try await stub.ask(payment(key: "k2", token: token, prefix: "/till"))
            #expect(rejected.status == 503)
            #expect(try await stub.ask(request("GET /till/v1/accounts", token: token)).status == 503)
            #expect(try await stub.ask(request("GET /till/v1/nothing")).status == 503)
            #expect(try stub.till.ledger.movements.map(\.key) == ["k1"])
            let other = try #require(stub.server.registry.session("safe")).issueTokens(login: "ann").access.text
            #expect(try await stub.ask(payment(key: "k2", token: other, prefix: "/safe")).status == 201)
        }
        try await life { stub in
            let till = try stub.till
            #expect(till.ledger.movements.map(\.key) == ["k1"])
            #expect(try await stub.ask(request("GET /till/v1/accounts", token: later)).status == 401, "nothing is stored after it")
            let token = try stub.token()
            #expect(try await stub.ask(payment(key: "k2", token: token, prefix: "/till")).status == 201)
        }
    }

    @Test func `a reset opens it again`() async throws {
        try await withStub { stub in
            try stub.till.inner.withLock { $0.state.ledger.post(-1, to: Movement.Account(table: "accounts", id: "a1")) }
            #expect(try await stub.ask(request("GET /v1/clock")).status == 503)
            try stub.till.reset()
            #expect(try await stub.ask(request("GET /v1/clock")).status == 200)
        }
    }
}
