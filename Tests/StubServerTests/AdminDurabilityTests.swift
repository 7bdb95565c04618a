import BankEngine
import Dispatch
import StubServer
import Synchronization
import Testing

extension WireTests {
    /// No admin call reports what is not durable.
    @Suite struct AdminDurabilityTests {
        @Test(arguments: ["till", "t%69ll"])
        func `a call whose changes cannot be stored is refused, however the session's name is written`(_ name: String) async throws {
            try await withAdmin(configure: { $0.openLog = { FullLog() } }) { admin in
                let reply = try await admin.call("POST /sessions/\(name)/tokens", #"{"login": "ann"}"#)

                #expect(reply.status == 503, "\(reply.text)")
            }
        }
    }
}

/// A log that opens sessions, and has no room for any command.
private final class FullLog: DurableLog {
    let path = "full"
    let checkpointBytes = 1 << 16
    let notes: [String] = []
    private let failureHandler = Mutex<(@Sendable (String, Int64) -> Void)?>(nil)

    func load(_ body: (StoredSession) throws -> Void) {}

    func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket { stored }

    func remove(session: String) -> CommitTicket { stored }

    func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket { stored }

    func append(_ command: StoredCommand) -> CommitTicket {
        let ticket = CommitTicket()
        let handler = failureHandler.withLock { $0 }
        // The session is locked now; the handler locks it too.
        DispatchQueue.global().async {
            handler?(command.session, command.seq)
            ticket.finish(.failure(.full(path: "full")))
        }
        return ticket
    }

    func onFailure(_ body: @escaping @Sendable (String, Int64) -> Void) { failureHandler.withLock { $0 = body } }

    func withdraw(session: String) {}

    func close() {}

    private var stored: CommitTicket {
        let ticket = CommitTicket()
        ticket.finish(.success(()))
        return ticket
    }
}
