import BankEngine
import BankModel
import EventStore
import FailingDisk
import Foundation
import TestBanks
import Testing

/// A power cut during a commit, at each of its calls to the disk in turn: of what was written since the last flush some is lost and some torn.
@Suite struct PowerCutTests {
    @Test(arguments: TestSeeds.of([1, 2, 3])) func `loses no acknowledged command and leaves no half of one`(seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        var outcomes: Set<[Int64]> = []
        var lost = 0
        for calls in 0..<100 {
            let folder = try TestFolder()
            defer { folder.remove() }
            let disk = FailingDisk(folder: folder.path)
            var options = EventStore.Options()
            options.vfs = FailingDisk.name
            disk.record()
            let store = try folder.store(options)
            defer { store.close() }
            try await store.open(session: "a", bank: "till", opening: []).wait()
            for seq in 1...3 { try await store.append(command("a", Int64(seq), bytes: 9000)).wait() }

            // From this call on nothing reaches the disk.
            disk.fail(after: calls, .error, lasts: true)
            let isAcknowledged = (try? await store.append(command("a", 4, bytes: 9000)).wait()) != nil
            let unflushed = disk.unflushed()
            for _ in 1...4 {
                let copy = try folder.copy()
                defer { copy.remove() }
                try UnflushedWrite.cutPower(unflushed, in: copy.path) {
                    switch dice.next() % 3 {
                    case 0: .written
                    case 1: .lost
                    default: .torn(Double(dice.next() % 100) / 100)
                    }
                }
                let found = try copy.store()
                defer { found.close() }
                let session = try #require(try found.sessions.first, "call \(calls): the session is lost")
                #expect(session.faults == [], "call \(calls)")
                let commands = session.commands.map(\.seq)
                let isRight = commands == [1, 2, 3, 4] || commands == [1, 2, 3] && !isAcknowledged
                #expect(isRight, "call \(calls): found the commands \(commands)")
                outcomes.insert(commands)
            }
            lost += unflushed.count
            if !disk.repair() {
                #expect(isAcknowledged)
                #expect(calls > 5, "found \(calls) calls of the disk, expected some for a command")
                #expect(lost > 0, "no write was without a flush")
                return #expect(outcomes.contains([1, 2, 3]))
            }
        }
        Issue.record("every command fails")
    }

    @Test func `a file whose creation is cut off is accepted by the next server`() throws {
        for calls in 0..<200 {
            let folder = try TestFolder()
            defer { folder.remove() }
            let disk = FailingDisk(folder: folder.path)
            var options = EventStore.Options()
            options.vfs = FailingDisk.name
            disk.fail(after: calls, .error, lasts: true)
            let made = try? folder.store(options)
            defer { made?.close() }
            let copy = try folder.copy()
            defer { copy.remove() }
            let hasFailed = disk.repair()

            let next = try copy.store()
            #expect(try next.sessions.isEmpty, "call \(calls)")
            next.close()
            if !hasFailed { return #expect(made != nil && calls > 5, "found \(calls) calls of the disk, expected some") }
        }
        Issue.record("every creation fails")
    }
}
