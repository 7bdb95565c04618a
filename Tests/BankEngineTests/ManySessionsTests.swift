import BankCore
import BankModel
import Platform
import TestBanks
import Testing
import TestServer

@testable import BankEngine
@testable import StubServer

/// The largest number of sessions of a server.
@Suite struct ManySessionsTests {
    /// Creates sessions named `s-<number>`, many at once.
    private func open(_ numbers: ClosedRange<Int>, of server: StubServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<50 {
                group.addTask {
                    for number in numbers where number % 50 == part {
                        _ = try await server.openSession(bank: "till", name: "s-\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A clock that advances by itself, and further on demand.
    private final class Ahead: Sendable {
        private let nanoseconds = Locked<Int64>(0)
        var clock: MachineClock {
            MachineClock(
                now: { MachineClock.system.now() },
                monotonic: { MachineClock.system.monotonic() + self.nanoseconds.withLock { $0 } })
        }

        func advance(_ duration: Duration) { nanoseconds.withLock { $0 += duration.nanoseconds } }
    }

    @Test func `ten thousand are accepted and the next is rejected`() async throws {
        let ahead = Ahead()
        try await withAdmin(configure: { $0.clock = ahead.clock }) { admin in
            let server = admin.stub.server
            // The bank's default session is one of them.
            try await open(1...9_998, of: server)
            #expect(try await admin.call("POST /sessions", #"{"bank": "till", "name": "last"}"#).status == 201)
            #expect(server.registry.all.count == 10_000)

            let rejected = try await admin.call("POST /sessions", #"{"bank": "till", "name": "beyond"}"#)
            #expect(rejected.status == 429)
            #expect(rejected.json["detail"]?.string?.contains("already 10000 sessions") == true)
            for id in ["s-1", "s-5000", "s-9998", "last"] { try await use(id, admin) }
            #expect(try await admin.call("DELETE /sessions/s-7").status == 204)
            #expect(try await admin.call("GET /sessions/s-7").status == 404)
            #expect(try await admin.call("POST /sessions", #"{"bank": "till", "name": "beyond"}"#).status == 201)

            ahead.advance(server.configuration.sessionTimeToLive - .seconds(60))
            #expect(try await admin.stub.ask(request("GET /s/s-4444/v1/clock")).status == 200)
            ahead.advance(.seconds(120))
            server.registry.removeUnused(for: server.configuration.sessionTimeToLive.nanoseconds)
            #expect(server.registry.all.map(\.id) == ["s-4444", "till"])
        }
    }

    /// Pays in a session, and saves and restores its state.
    private func use(_ id: String, _ admin: Admin) async throws {
        let session = try #require(admin.stub.server.registry.session(id))
        let token = try session.issueTokens(login: "ann").access.text
        func pay(_ key: String) async throws -> RawResponse {
            try await admin.stub.ask(payment("0.01", key: key, token: token, prefix: "/s/\(id)"))
        }

        #expect(try await pay("one").status == 201)
        #expect(try await admin.call("POST /sessions/\(id)/snapshot").status == 204)
        #expect(try await pay("two").status == 201)
        #expect(session.ledger.movements.map(\.key) == ["one", "two"])
        #expect(try await admin.call("POST /sessions/\(id)/restore").status == 204)
        #expect(session.ledger.movements.map(\.key) == ["one"])
        #expect(try await admin.call("POST /sessions/\(id)/reset").status == 204)
        #expect(session.ledger.movements.isEmpty)
        #expect(try await pay("three").status == 401, "no token outlives a reset")
    }

    @Test func `ten thousand come back after a restart`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        var token = ""
        try await withStub(configure: { $0.keep(in: folder.path + "/state") }) { stub in
            try await open(1...9_999, of: stub.server)
            token = try #require(stub.server.registry.session("s-1234")).issueTokens(login: "ann").access.text
            #expect(try await stub.ask(payment("0.01", key: "one", token: token, prefix: "/s/s-1234")).status == 201)
            try await stub.server.registry.removeDurably("s-77")
        }

        try await withStub(configure: { $0.keep(in: folder.path + "/state") }) { stub in
            #expect(stub.server.registry.all.count == 9_999)
            #expect(stub.server.registry.session("s-77") == nil)
            let again = try await stub.ask(payment("0.01", key: "one", token: token, prefix: "/s/s-1234"))
            #expect(again.header("Idempotent-Replayed") == "true")
            #expect(stub.server.registry.session("s-1235")?.ledger.movements.isEmpty == true)
        }
    }
}
