import BankEngine
import EventStore
import FailingDisk
import Foundation
import TestBanks
import Testing

/// A disk that fails at one call of SQLite's, at each of them in turn: what was acknowledged is there afterwards, and what was reported not to
/// be done is not.
@Suite struct FailingDiskTests {
    /// Fails a command by each call in turn, until one command needs fewer calls.
    private func eachCall(
        _ failure: FailingDisk.Failure, writesOnly: Bool,
        _ body: (_ folder: TestFolder, _ store: EventStore, _ result: Result<Void, StoreError>) async throws -> Void
    ) async throws {
        var hasFailed = true
        var calls = 0
        while hasFailed {
            let folder = try TestFolder()
            defer { folder.remove() }
            let disk = FailingDisk(folder: folder.path)
            var options = EventStore.Options()
            options.vfs = FailingDisk.name
            let store = try folder.store(options)
            try await store.open(session: "a", bank: "till", opening: []).wait()
            for seq in 1...3 { try await store.append(command("a", Int64(seq), bytes: 9000)).wait() }

            disk.fail(after: calls, failure, writesOnly: writesOnly)
            var result: Result<Void, StoreError> = .success(())
            do throws(StoreError) { try await store.append(command("a", 4, bytes: 9000)).wait() } catch { result = .failure(error) }
            hasFailed = disk.repair()

            try await body(folder, store, result)
            store.close()
            calls += 1
            try #require(calls < 200, "every command fails")
        }
        #expect(calls > 5, "found \(calls) calls of the disk, expected some for a command")
    }

    /// The numbers of the commands that a server finds which starts now, after the one that wrote was killed.
    private func found(_ folder: TestFolder) throws -> [Int64] {
        let copy = try folder.copy()
        defer { copy.remove() }
        let store = try copy.store()
        defer { store.close() }
        let session = try #require(try store.sessions.first)
        #expect(session.faults == [])
        return session.commands.map(\.seq)
    }

    @Test(arguments: [FailingDisk.Failure.error, .damage])
    func `after an error of the disk the outcome is unknown, and nothing is written any more`(failure: FailingDisk.Failure) async throws {
        var outcomes: Set<[Int64]> = []
        try await eachCall(failure, writesOnly: false) { folder, store, result in
            guard case .failure(let error) = result else { return #expect(try found(folder) == [1, 2, 3, 4]) }
            let isUnknown = if case .unknown(folder.file, _) = error { true } else { false }
            #expect(isUnknown, "\(error)")
            outcomes.insert(try found(folder))

            let later = await #expect(throws: StoreError.self) { try await store.append(command("a", 4)).wait() }
            #expect(later?.description.contains("no further changes are written: repair the disk and restart the server") == true)
            #expect(store.stopped != nil)
            await #expect(throws: StoreError.self) { try await store.attemptAfterFailure()?.wait() }
        }
        #expect(outcomes == [[1, 2, 3], [1, 2, 3, 4]], "a restart finds the command or not, and nothing else")
    }

    @Test func `a full disk is certain, even after kill -9`() async throws {
        try await eachCall(.full, writesOnly: true) { folder, store, result in
            guard case .failure(let error) = result else { return #expect(try found(folder) == [1, 2, 3, 4]) }
            #expect(error == .full(path: folder.file))
            #expect(try found(folder) == [1, 2, 3])
            #expect(store.stopped == nil)

            try await store.append(command("a", 4)).wait()
            #expect(try found(folder) == [1, 2, 3, 4])
        }
    }

    @Test func `a batch that was being written when the process ended is there whole or not at all`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        try await store.open(session: "a", bank: "till", opening: []).wait()
        // The last write of a commit empties the journal: it is whole then, and so is the batch.
        var (calls, accepted) = (0, 0)
        while true {
            let copy = try folder.copy()
            defer { copy.remove() }
            let disk = FailingDisk(folder: copy.path)
            var options = EventStore.Options()
            options.vfs = FailingDisk.name
            let other = try copy.store(options)
            disk.fail(after: calls, .error, lasts: true)
            _ = try? await other.append(command("a", 1, bytes: 30_000)).wait()
            if !disk.repair() {
                #expect(calls > 5, "found \(calls) calls of the disk, expected some for a command")
                #expect(accepted > 0, "every torn journal is rejected")
                return other.close()
            }
            let hasJournal = FileManager.default.fileExists(atPath: copy.file + "-journal")
            let journal = hasJournal ? try Data(contentsOf: URL(filePath: copy.file + "-journal")) : Data()
            for position in stride(from: 0, to: journal.count, by: 97) {
                let torn = try copy.copy()
                defer { torn.remove() }
                var changed = journal
                changed[position] ^= 1
                try changed.write(to: URL(filePath: torn.file + "-journal"))
                do throws(StoreError) {
                    let look = try torn.store(.init(onlyLooks: true))
                    defer { look.close() }
                    // The names in the tables' own declaration may have changed.
                    guard let sessions = try? look.sessions else { continue }
                    let isIntact = look.damage.isEmpty && sessions.allSatisfy(\.faults.isEmpty)
                    if isIntact { accepted += 1 }
                    let isRight = !isIntact || [[], [1]].contains(sessions.first?.commands.map(\.seq))
                    #expect(isRight, "call \(calls), byte \(position) of the journal: \(sessions)")
                } catch {
                    #expect(error.description.contains(torn.file), "the error names the file")
                }
            }
            other.close()
            calls += 1
        }
    }
}
