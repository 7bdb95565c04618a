import BankCore
import BankModel
import EventStore
import Foundation
import Platform
import StubServer
import TestBanks
import Testing
import TestServer

@testable import BankEngine

/// A server with a state file: everything shown before it ended is still true afterwards.
@Suite struct KeptStateTests {
    private let file = newStateFile()

    private func remove() { removeStateFile(file) }

    /// One run of the server after another, on the same file.
    private func life(_ test: (Stub) async throws -> Void) async throws {
        try await withStub(configure: { $0.keep(in: file) }, test)
    }

    @Test func `responses remain true after a restart`() async throws {
        defer { remove() }
        var (token, first) = ("", "")
        try await life { stub in
            token = try stub.token()
            first = try await stub.ask(payment("1.00", key: "k1", token: token)).text
            try stub.till.withClock { clock, machine throws(ClockError) in try clock.advance(by: .seconds(60), machine: machine) }
            try await stub.till.durable()
        }

        try await life { stub in
            let again = try await stub.ask(payment("1.00", key: "k1", token: token))
            #expect(again.status == 201)
            #expect(again.text == first)
            #expect(again.header("Idempotent-Replayed") == "true")
            #expect(try await stub.ask(payment("2.00", key: "k2", token: token)).status == 201)
            #expect(try stub.till.ledger.movements.map(\.amount.major) == ["1.00", "2.00"])
            let now = try stub.till.now
            #expect(now > stub.server.configuration.clock.now() + .seconds(59))
            #expect(try stub.token() != token)
        }
        let store = try EventStore(file)
        defer { store.close() }
        let bank = PreparedBank(try source().bank)
        try store.load { stored in
            let audit = StateAudit(stored, bank, machineNow: MachineClock.system.now())
            #expect(audit.faults == [])
            #expect(audit.movements == 2)
        }
    }

    @Test func `what a removed session still does is not stored, nor in a new session of its id`() async throws {
        defer { remove() }
        try await life { stub in
            let old = try await stub.server.openSession(bank: "till", name: "mine")
            _ = try old.issueTokens(login: "bob")
            try await old.durable()
            try stub.server.registry.remove("mine")
            let new = try await stub.server.openSession(bank: "till", name: "mine")

            // As a request does that was under way.
            _ = try old.issueTokens(login: "bob")
            await #expect(throws: StoreError.removed(session: "mine")) { try await old.durable() }

            _ = try new.issueTokens(login: "bob")
            try await new.durable()
        }

        try await life { stub in
            #expect(stub.server.registry.session("mine")?.tokens.map(\.id) == ["token#1", "refresh#1"])
            #expect(stub.server.stateNotes == [])
        }
    }

    @Test func `sessions that are made and removed at the same time under one id leave none behind`() async throws {
        defer { remove() }
        try await life { stub in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask {
                        for _ in 1...50 {
                            let session = try? await stub.server.openSession(bank: "till", name: "mine")
                            _ = try? session?.issueTokens(login: "bob")
                            try? await stub.server.registry.removeDurably("mine")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(stub.server.registry.all.map(\.id) == ["till"])
        }

        try await life { stub in #expect(stub.server.registry.all.map(\.id) == ["till"]) }
    }

    @Test func `losses of an earlier session with the same id do not touch the new one`() async throws {
        defer { remove() }
        try await life { stub in
            let old = try await stub.server.openSession(bank: "till", name: "mine")
            _ = try old.issueTokens(login: "bob")
            let ticket = try #require(old.inner.withLock { $0.log?.last })
            try stub.server.registry.remove("mine")
            let new = try await stub.server.openSession(bank: "till", name: "mine")
            _ = try new.issueTokens(login: "bob")

            new.lose(LostCommands(session: "mine", first: 1, ticket: ticket))

            #expect(new.losses == 0)
            #expect(new.tokens.map(\.id) == ["token#1", "refresh#1"])
        }
    }

    @Test func `sessions come back and removed ones do not`() async throws {
        defer { remove() }
        try await life { stub in
            let mine = try await stub.server.openSession(bank: "till", name: "mine", seed: 99)
            _ = try await stub.server.openSession(bank: "till", name: "gone")
            _ = try mine.issueTokens(login: "bob")
            mine.snapshot()
            _ = try mine.issueTokens(login: "bob")
            try await mine.durable()
            try stub.server.registry.remove("gone")
        }

        try await life { stub in
            #expect(stub.server.registry.all.map(\.id) == ["mine", "till"])
            let mine = try #require(stub.server.registry.session("mine"))
            #expect(mine.seed == 99)
            #expect(mine.tokens.map(\.id) == ["token#1", "refresh#1", "token#2", "refresh#2"])
            #expect(mine.baseURL.hasSuffix("/s/mine"))
            let isBack = mine.restore()
            #expect(isBack)
            #expect(mine.tokens.map(\.id) == ["token#1", "refresh#1"])
            mine.reset()
            try await mine.durable()
        }
        try await life { stub in
            let mine = try #require(stub.server.registry.session("mine"))
            #expect(mine.tokens.isEmpty)
        }
    }

    @Test func `a restore is a command by itself`() async throws {
        defer { remove() }
        try await life { stub in
            let till = try stub.till
            till.snapshot()
            try await till.durable()
            let before = try #require(till.inner.withLock { $0.log?.seq })

            let isBack = till.restore()

            let after = try #require(till.inner.withLock { $0.log?.seq })
            #expect(isBack)
            #expect(after == before + 1)
        }
    }

    @Test func `how much a start reads does not grow with the number of payments beyond what they left`() async throws {
        defer { remove() }
        try await life { stub in
            let token = try stub.token()
            for number in 0..<300 { #expect(try await stub.ask(payment("0.01", key: "k\(number)", token: token)).status == 201) }
        }
        let store = try EventStore(file)
        try store.load { stored in
            let made = try #require(stored.checkpoint)
            let again = stored.commands.reduce(0) { $0 + $1.changes.count + ($1.response?.count ?? 0) }
            // A checkpoint is due when the commands since the last are four times as large as it is, and larger than 64 KiB.
            #expect(again <= 4 * made.state.count + 1 << 17)
            #expect(stored.commands.count < 300)
        }
        store.close()
    }

    @Test func `a checkpoint takes the place of the log`() async throws {
        defer { remove() }
        var token = ""
        try await life { stub in
            token = try stub.token()
            #expect(try await stub.ask(payment("1.00", key: "k1", token: token)).status == 201)
            for _ in 0..<1200 {
                try stub.till.withClock { clock, machine throws(ClockError) in try clock.advance(by: .milliseconds(1), machine: machine) }
                try await stub.till.durable()
            }
        }
        let store = try EventStore(file)
        try store.load { stored in
            #expect(stored.checkpoint != nil)
            #expect(stored.commands.count < 1200)
        }
        store.close()

        try await life { stub in
            let again = try await stub.ask(payment("1.00", key: "k1", token: token))
            #expect(again.header("Idempotent-Replayed") == "true")
        }
    }

    @Test func `a state that does not fit the bank is rejected`() async throws {
        defer { remove() }
        try await life { stub in
            let token = try stub.token()
            #expect(try await stub.ask(payment("1.00", key: "k1", token: token)).status == 201)
        }
        let files = TestFiles().replacing("till/bank.yaml", "payments", with: "transfers")

        let error = await #expect(throws: ServerError.self) {
            try await withStub([try source(files)], configure: { $0.keep(in: file) }) { _ in }
        }
        #expect(error?.description.contains("a row of payments") == true)
    }

    @Test func `the commands print no secrets`() async throws {
        defer { remove() }
        try await life { stub in
            let body = "grant_type=password&username=ann&password=apple"
            let response = try await stub.ask(request("POST /v1/token", body: body))
            #expect(response.status == 200)
        }
        let store = try EventStore(file)
        defer { store.close() }
        try store.load { stored in
            #expect(stored.commands.contains { $0.command == "signIn" })
            #expect(
                stored.commands.allSatisfy {
                    !$0.command.contains("apple") && !String(decoding: $0.changes, as: UTF8.self).contains("apple")
                })
        }
    }
}
