import BankEngine
import BankModel
import EventStore
import Foundation
import TestBanks
import Testing

/// Files with one bit flipped, or truncated: accepted unchanged, or rejected; never read as something else. The short form of
/// `Tests/Soak/inputs/state`.
@Suite struct FlipTests {
    /// The files of a small store, and its content.
    private struct Kept {
        var parts: [String: Data] = [:]
        var sessions: [StoredSession] = []

        init(closed: Bool) async throws {
            let folder = try TestFolder()
            defer { folder.remove() }
            var options = EventStore.Options()
            options.pageBytes = 512
            options.partBytes = 128
            let store = try folder.store(options)
            for id in ["a", "b", "c"] { try await store.open(session: id, bank: "till", opening: Array("{\"seed\":\"7\"}".utf8)).wait() }
            for seq in 1...5 {
                for id in ["a", "b"] { try await store.append(command(id, Int64(seq), bytes: 40)).wait() }
            }
            // In three parts, and in one.
            try await store.checkpoint(session: "b", seq: 3, state: Array(repeating: 42, count: 300)).wait()
            try await store.checkpoint(session: "a", seq: 2, state: Array(repeating: 43, count: 100)).wait()
            try await store.remove(session: "c").wait()
            sessions = try store.sessions
            if closed { store.close() }
            for suffix in closed ? [""] : ["", "-journal"] {
                parts[suffix] = try Data(contentsOf: URL(filePath: folder.file + suffix))
            }
            if !closed { store.close() }
        }

        /// The complaint about the files, one of them changed; nil if they are accepted.
        func verdict(_ folder: TestFolder, _ suffix: String, _ changed: Data, _ options: EventStore.Options) throws -> [StoredSession]? {
            for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: folder.file + suffix) }
            for (own, data) in parts {
                try (own == suffix ? changed : data).write(to: URL(filePath: folder.file + own))
            }
            do throws(StoreError) {
                let store = try folder.store(options)
                defer { store.close() }
                guard store.damage.isEmpty, let sessions = try? store.sessions, sessions.allSatisfy({ $0.faults.isEmpty }) else {
                    return nil
                }
                return sessions
            } catch {
                #expect(error.description.contains(folder.file), "it is rejected by its name")
                return nil
            }
        }
    }

    private static let looking = EventStore.Options(onlyLooks: true)

    @Test(arguments: [true, false])
    func `a flipped bit is never read as something else`(closed: Bool) async throws {
        let kept = try await Kept(closed: closed)
        let folder = try TestFolder()
        defer { folder.remove() }
        var generator = SeededGenerator(seed: 16)
        var rejected = 0

        for number in 0..<300 {
            let suffix = kept.parts.keys.sorted()[Int(generator.next() % UInt64(kept.parts.count))]
            var data = try #require(kept.parts[suffix])
            let (position, bit) = (Int(generator.next() % UInt64(data.count)), generator.next() % 8)
            data[position] ^= 1 << UInt8(bit)
            // Some as a server opens them: with all its writes.
            let found = try kept.verdict(folder, suffix, data, number.isMultiple(of: 10) ? .init() : FlipTests.looking)
            if found == nil { rejected += 1 }
            let isRight = found == nil || found == kept.sessions
            #expect(isRight, "\(suffix) byte \(position) bit \(bit)")
        }

        #expect(rejected > 50, "most bits mean something")
    }

    @Test func `a truncated file is never read as something else`() async throws {
        let kept = try await Kept(closed: true)
        let folder = try TestFolder()
        defer { folder.remove() }
        let whole = try #require(kept.parts[""])

        #expect(try kept.verdict(folder, "", whole, FlipTests.looking) == kept.sessions)
        for length in 0..<whole.count {
            let found = try kept.verdict(folder, "", whole.prefix(length), FlipTests.looking)
            // The last page may be empty.
            let isRight = found == nil || found == kept.sessions && length >= whole.count - 512
            #expect(isRight, "cut off at \(length)")
        }
    }
}
