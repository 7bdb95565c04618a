import BankCore
import BankEngine
import BankModel
import EventStore
import Foundation
import StubServer
import TestServer
import Testing

/// State files that a server rejects: the ones that `counterfoil state check` reports.
@Suite struct RejectedStateTests {
    private let file = newStateFile()

    private func remove() { removeStateFile(file) }

    private func life(_ test: (Stub) async throws -> Void = { _ in }) async throws {
        try await withStub(configure: { $0.keep(in: file) }, test)
    }

    private func rejection() async throws -> String {
        let error = await #expect(throws: ServerError.self) { try await life() }
        return error?.description ?? ""
    }

    private func paid() async throws {
        try await life { stub in
            let token = try stub.token()
            for key in ["k1", "k2"] { #expect(try await stub.ask(payment("1.00", key: key, token: token)).status == 201) }
        }
    }

    /// One digit of a key as the payment names it, of one as the book of keys names it, of a response.
    @Test(arguments: [("under k1", "under k9"), ("k1", "k9"), ("1.00", "9.00")])
    func `a changed byte is rejected with its position`(_ old: String, _ new: String) async throws {
        defer { remove() }
        try await paid()
        var data = try Data(contentsOf: URL(filePath: file))
        let range = try #require(data.range(of: Data(old.utf8), options: .backwards))
        data.replaceSubrange(range, with: Data(new.utf8))
        try data.write(to: URL(filePath: file))

        let rejection = try await rejection()

        #expect(rejection.contains("the session till in \(file)"))
        #expect(rejection.firstMatch(of: /record \d: found the checksum [0-9a-f]+, expected [0-9a-f]+/) != nil, "\(rejection)")
        #expect(rejection.contains("Restore a complete copy"))
        #expect(try Data(contentsOf: URL(filePath: file)).count == data.count)
    }

    @Test func `books that do not agree are rejected though every byte is as it was written`() async throws {
        defer { remove() }
        try await paid()
        let store = try EventStore(file)
        var stored: StoredSession?
        try store.load { stored = $0 }
        var session = try #require(stored)
        try await store.remove(session: session.id).wait()
        try await store.open(session: session.id, bank: session.bank, opening: session.opening).wait()
        let first = try #require(session.commands.firstIndex { $0.command.hasSuffix("under k1") })
        let changes = try JSON(image: session.commands[first].changes).text
        session.commands[first].changes = Array(changes.replacing(#""units":100"#, with: #""units":1000000"#).utf8)
        for command in session.commands { try await store.append(command).wait() }
        store.close()

        let expected = "command \(session.commands[first].seq): accounts/a1 has -990000 minor units, expected at least 0"
        #expect(try await rejection().contains(expected))
    }

    @Test func `a rejected file is free again`() async throws {
        defer { remove() }
        try await paid()
        let whole = try Data(contentsOf: URL(filePath: file))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: file))
        #expect(try await rejection().contains(file))

        try whole.write(to: URL(filePath: file))

        try await life { stub in
            let movements = try stub.till.ledger.movements
            #expect(movements.count == 2)
        }
    }

    @Test func `the clock does not go back with a machine that was set back`() async throws {
        defer { remove() }
        var before = Instant(seconds: 0)
        try await life { stub in
            let token = try stub.token()
            #expect(try await stub.ask(payment("1.00", key: "k1", token: token)).status == 201)
            before = try #require(try stub.till.ledger.movements.first).at
        }
        let slow = MachineClock(
            now: { MachineClock.system.now() + .seconds(-3600) }, monotonic: { MachineClock.system.monotonic() })

        try await withStub(
            configure: {
                $0.keep(in: file)
                $0.clock = slow
            },
            { stub in
                let now = try stub.till.now
                #expect(now >= before)
                #expect(now < before + .seconds(3000), "it goes on from where it was")
            })
    }
}
