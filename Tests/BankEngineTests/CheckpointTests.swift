import BankCore
import BankModel
import StubServer
import TestServer
import Testing

@testable import BankEngine

@Suite struct CheckpointTests {
    @Test func `a checkpoint contains no change that is stored after it`() async throws {
        let log = ListedLog()
        let session = BankSession(
            id: "till", seed: 7, prepared: PreparedBank(try source().bank), clock: .system, journalCapacity: 1,
            budget: JournalBudget(limit: .max))
        var stored = StoredSession(id: "till", bank: "till", opening: [])
        stored.commands = [StoredCommand(session: "till", seq: 1, at: 0, command: "pay", changes: [0])]
        session.keep(in: log, stored: stored)

        session.reset()
        session.checkpointIfDue()

        var rows = log.rows.stream.makeAsyncIterator()
        let first = await rows.next()
        let second = await rows.next()
        #expect(first == "command 2")
        #expect(second == "checkpoint after 2")
    }
}

/// A log that lists its rows.
private final class ListedLog: DurableLog {
    let path = "listed"
    let checkpointBytes = 1
    let notes: [String] = []
    let stopped: CommitTicket? = nil
    let rows = AsyncStream<String>.makeStream()

    func load(_ body: (StoredSession) throws -> Void) {}

    func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket { listed("opening") }

    func remove(session: String) -> CommitTicket { listed("removal") }

    func append(_ command: StoredCommand) -> CommitTicket { listed("command \(command.seq)") }

    func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket {
        defer { rows.continuation.finish() }
        return listed("checkpoint after \(seq)")
    }

    func onFailure(_ body: @escaping @Sendable (LostCommands) -> Void) {}

    func withdraw(session: String) {}

    func attemptAfterFailure() -> CommitTicket? { nil }

    func close() {}

    private func listed(_ row: String) -> CommitTicket {
        rows.continuation.yield(row)
        let ticket = CommitTicket()
        ticket.finish(.success(()))
        return ticket
    }
}
