import BankCore
import BankModel
import EventStore
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

@testable import BankEngine

/// The findings of `counterfoil state check`: none in a valid file, and each deliberate error.
@Suite struct StateAuditTests {
    /// The stored session in which ann has paid twice, bob has an account, and a payment was rejected.
    private static func valid(_ files: TestFiles = TestFiles()) async throws -> StoredSession {
        let file = newStateFile()
        defer { removeStateFile(file) }
        try await withStub([try source(files)], configure: { $0.keep(in: file) }) { stub in
            let token = try stub.token()
            for key in ["k1", "k2"] { #expect(try await stub.ask(payment("1.00", key: key, token: token)).status == 201) }
            #expect(try await stub.ask(payment("1000.00", key: "k3", token: token)).status == 422)
        }
        let store = try EventStore(file)
        defer { store.close() }
        var stored: StoredSession?
        try store.load { stored = $0 }
        return try #require(stored)
    }

    private static func faults(_ stored: StoredSession, _ files: TestFiles = TestFiles(), machineNow: Instant? = nil) throws -> String {
        let audit = StateAudit(stored, PreparedBank(try source(files).bank), machineNow: machineNow ?? MachineClock.system.now())
        #expect(audit.unread == nil)
        return audit.faults.joined(separator: "\n")
    }

    /// The index of the payment with that key among the commands.
    private static func position(_ key: String, in stored: StoredSession) throws -> Int {
        try #require(stored.commands.firstIndex { $0.command.hasSuffix("under \(key)") })
    }

    @Test func `a valid session is counted`() async throws {
        let stored = try await Self.valid()

        let audit = StateAudit(stored, PreparedBank(try source().bank), machineNow: MachineClock.system.now())

        #expect(audit.faults == [])
        #expect(audit.unread == nil)
        #expect(audit.isBalanced)
        #expect((audit.movements, audit.tokens) == (2, 2))
        #expect(audit.commands == stored.lastSeq)
        #expect(audit.keys == 3, "the rejection's key too")
    }

    @Test func `the last number of all is reported, and is no crash`() async throws {
        var stored = try await Self.valid()
        let last = stored.commands.count - 1
        stored.commands[last].seq = .max

        #expect(try Self.faults(stored) == "found command \(Int64.max) where \(last + 1) was expected")
    }

    /// A replacement in the command of the first payment, and the expected finding.
    @Test(arguments: [
        (#""units":100"#, #""units":1000000"#, "accounts/a1 has -990000 minor units, expected at least 0"),
        (#""units":100"#, #""units":0"#, "cannot be replayed: at changes["),
        (#""units":100"#, #""units":-100"#, "expected more than nothing, from one account to another"),
        (#"{"kept""#, #"{"lost""#, "a change supported by this version"),
        (#""key":"k1","asked""#, #""key":"k9","asked""#, "movement-1 was made under the key \"k1\", which is not in the record of keys"),
        (#""key":"k1","asked""#, #""key":"k9","asked""#, "the key \"k9\" stores a success, but has made no movement"),
        (#"["accounts","a1"]"#, #"["accounts","a9"]"#, "found no row accounts/a9"),
        (#"["accounts","a1"]"#, #"["purses","a1"]"#, "purses/a1 does not belong to a table of the bank till"),
        (#"["accounts","a1"]"#, #"["payees","p1"]"#, "found 1.00 GBP from payees/p1 to payees/p1"),
        (#""currency":"GBP""#, #""currency":"EUR""#, "movement-1 moves 1.00 EUR, expected GBP, as accounts/a1 has"),
        ("movement-1", "movement-3", "found movement-3 where movement-1 was expected"),
        (#""random""#, #""dice""#, "found no random, expected one"),
    ])
    func `a command that does not agree is reported`(_ old: String, _ new: String, _ expected: String) async throws {
        var stored = try await Self.valid()
        let paid = try Self.position("k1", in: stored)
        let changes = try JSON(image: stored.commands[paid].changes).text
        try #require(changes.contains(old))

        stored.commands[paid].changes = Array(changes.replacing(old, with: new).utf8)

        let found = try Self.faults(stored)
        #expect(found.contains(expected))
        #expect(found.contains("command \(stored.commands[paid].seq)"), "the position is reported")
    }

    @Test func `numbers and responses must be those of their commands`() async throws {
        let stored = try await Self.valid()
        let (first, second) = (try Self.position("k1", in: stored), try Self.position("k2", in: stored))
        func faults(_ change: (inout StoredSession) throws -> Void) throws -> String {
            var broken = stored
            try change(&broken)
            return try Self.faults(broken)
        }

        #expect(try faults { $0.commands.remove(at: first) }.contains("found command 3 where 2 was expected"))
        #expect(try faults { $0.commands[first].response = nil }.contains("found no response for the key \"k1\""))
        #expect(try faults { $0.commands[0].response = $0.commands[first].response }.contains("found a response, expected none"))
        let rejected = try Self.position("k3", in: stored)
        #expect(
            try faults { $0.commands[first].response = $0.commands[rejected].response }.contains("the key \"k1\" stores an error response"))
        #expect(try faults { $0.commands[rejected].response = $0.commands[first].response }.contains("the key \"k3\" stores a success"))
        // A second payment under the first one's key.
        #expect(
            try faults {
                let text = try JSON(image: $0.commands[second].changes).text
                $0.commands[second].changes = Array(text.replacing(#""key":"k2""#, with: #""key":"k1""#).utf8)
            }.contains("the key \"k1\" was used again while it was stored"))
        #expect(try faults { $0.opening = [0x7B] }.contains("the opening cannot be replayed"))
    }

    // MARK: checkpoints and snapshots

    /// The session with all its commands in a checkpoint; its text may be changed.
    private static func checkpointed(_ stored: StoredSession, _ old: String = "", _ new: String = "") throws -> StoredSession {
        let prepared = PreparedBank(try source().bank)
        let resumed = StateAudit.resume(stored, prepared, baseURL: "", machineNow: MachineClock.system.now())
        var state = try #require(resumed.state)
        state.save()
        let image = try JSON(image: state.image).text
        try #require(old.isEmpty || image.contains(old))
        var checkpointed = stored
        checkpointed.checkpoint = .init(seq: stored.lastSeq, state: Array(image.replacing(old, with: new).utf8))
        checkpointed.commands = []
        return checkpointed
    }

    @Test(arguments: [
        ("", "", ""),
        (#""units":100"#, #""units":1000000"#, "accounts/a1 has -1990000 minor units, expected at least 0"),
        (#""key":"k1","asked""#, #""key":"k9","asked""#, "movement-1 was made under the key \"k1\", which is not in the record of keys"),
        (#""key":"k1","asked""#, #""key":"k9","asked""#, "the key \"k9\" stores a success, but has made no movement"),
        (#""key":"k2","customer""#, #""key":"k1","customer""#, "the key \"k1\" has made 2 movements, expected at most 1"),
        ("movement-2", "movement-1", "found movement-1 where movement-2 was expected"),
        (#"["accounts","a1"]"#, #"["purses","a1"]"#, "purses/a1 does not belong to a table of the bank till"),
        (#""units":100"#, #""units":9223372036854775807"#, "cannot be replayed: at movements[1]: found"),
        (#""state":"settled""#, #""state":"rejected""#, "the balances are not the sums of the postings"),
    ])
    func `a checkpoint that does not agree is reported`(_ old: String, _ new: String, _ expected: String) async throws {
        let found = try Self.faults(try Self.checkpointed(try await Self.valid(), old, new))

        if expected.isEmpty { #expect(found == "") } else { #expect(found.contains(expected)) }
    }

    @Test func `a snapshot is looked into too`() async throws {
        let found = try Self.faults(
            try Self.checkpointed(try await Self.valid(), #""key":"k1","asked""#, #""key":"k9","asked""#))

        #expect(found.contains("the snapshot: movement-1 was made under the key \"k1\", which is not in the record of keys"))
    }

    /// The window of this bank is one day.
    @Test func `a key is missed only while its window lasts`() async throws {
        let stored = try Self.checkpointed(try await Self.valid(), #""key":"k1","asked""#, #""key":"k9","asked""#)
        let now = MachineClock.system.now()
        let forgotten = "movement-1 was made under the key"

        let within = try Self.faults(stored, machineNow: now + .seconds(60))
        let after = try Self.faults(stored, machineNow: now + .seconds(86_460))

        #expect(within.contains(forgotten))
        #expect(!after.contains(forgotten))
    }

    @Test func `an account that began below its limit may stay there`() async throws {
        let files = TestFiles().replacing("till/accounts.json", "\"balance\": \"100.00\"", with: "\"balance\": \"-100.00\"")
        var stored = try await Self.valid()
        let overdrawn = try Self.faults(stored, files)
        stored.commands.removeAll { $0.command.contains("under") }

        #expect(overdrawn.contains("accounts/a1 has -10100 minor units, expected at least 0"))
        #expect(try Self.faults(stored, files) == "")
    }

    @Test func `without its bank a session is not looked into`() async throws {
        let audit = StateAudit(try await Self.valid(), nil, machineNow: MachineClock.system.now())

        #expect(audit.unread?.contains("found no bank till") == true)
        #expect(audit.faults == [])
    }

    @Test func `no token is reported`() async throws {
        var stored = try await Self.valid()
        let paid = try Self.position("k1", in: stored)
        // The file has its digest alone; a session of the same seed has the same token.
        var token = ""
        try await withStub { token = try $0.token() }
        let changes = try JSON(image: stored.commands[paid].changes).text
        stored.commands[paid].changes = Array(changes.replacing(#""key":"k1","asked""#, with: "\"key\":\"\(token)\",\"asked\"").utf8)

        let found = try Self.faults(stored)

        #expect(found.contains("the key \"token#1\" stores a success"))
        #expect(!found.contains(token))
    }
}
