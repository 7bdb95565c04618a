import BankEngine
import BankModel
import Dispatch
import Platform
import StubServer
import Testing
import TestServer

/// No admin call reports what is not durable.
@Suite struct AdminDurabilityTests {
    @Test(arguments: ["till", "t%69ll"])
    func `a call whose changes cannot be stored is rejected, however the session's name is written`(_ name: String) async throws {
        try await withAdmin(configure: { $0.openLog = { FullLog() } }) { admin in
            let response = try await admin.call("POST /sessions/\(name)/tokens", #"{"login": "ann"}"#)

            #expect(response.status == 503, "\(response.text)")
        }
    }

    @Test func `a new session's skew is stored with it, before the response`() async throws {
        try await withAdmin(configure: { $0.openLog = { FullLog() } }) { admin in
            let made = try await admin.call("POST /sessions", #"{"bank": "till", "name": "late", "clock": {"skew": "30s"}}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(try await admin.call("POST /sessions/late/tokens", #"{"login": "ann"}"#).status == 503)

            // All that was not stored has been undone now.
            #expect(try await admin.call("GET /sessions/late/clock").json["skew"]?.string == "30s")
        }
    }

    @Test func `a session is not shown before its changes are stored`() async throws {
        try await withAdmin(configure: { $0.openLog = { FullLog() } }) { admin in
            #expect(try await admin.call("GET /sessions/till").status == 200)
            try admin.stub.till.advance(.seconds(60))

            let response = try await admin.call("GET /sessions/till")

            #expect(response.status == 503, "\(response.text)")
        }
    }
}

/// A log that opens sessions, and has no room for any command.
private final class FullLog: DurableLog {
    let path = "full"
    let checkpointBytes = 1 << 16
    let notes: [String] = []
    let stopped: CommitTicket? = nil
    private let failureHandler = Locked<(@Sendable (LostCommands) -> Void)?>(nil)

    func load(_ body: (StoredSession) throws -> Void) {}

    func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket { stored }

    func remove(session: String) -> CommitTicket { stored }

    func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket { stored }

    func append(_ command: StoredCommand) -> CommitTicket {
        let ticket = CommitTicket()
        let handler = failureHandler.withLock { $0 }
        // The session is locked now; the handler locks it too.
        DispatchQueue.global().async {
            handler?(LostCommands(session: command.session, first: command.seq, ticket: ticket))
            ticket.finish(.failure(.full(path: "full")))
        }
        return ticket
    }

    func onFailure(_ body: @escaping @Sendable (LostCommands) -> Void) { failureHandler.withLock { $0 = body } }

    func withdraw(session: String) {}

    func attemptAfterFailure() -> CommitTicket? { nil }

    func close() {}

    private var stored: CommitTicket {
        let ticket = CommitTicket()
        ticket.finish(.success(()))
        return ticket
    }
}
