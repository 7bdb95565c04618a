import BankEngine
import EventStore
import Foundation
import TestBanks
import Testing

/// A state file belongs to one server, under any name.
@Suite struct OneServerTests {
    private func rejected(_ path: String) -> String {
        do throws(StoreError) {
            try EventStore(path).close()
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `no link leads a second server to it`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        try await store.open(session: "a", bank: "till", opening: []).wait()
        let (soft, hard) = (folder.path + "/soft", folder.path + "/hard")
        try FileManager.default.createSymbolicLink(atPath: soft, withDestinationPath: "state.sqlite")
        try FileManager.default.linkItem(atPath: folder.file, toPath: hard)

        for path in [soft, hard, folder.path + "/./state.sqlite"] { #expect(rejected(path).contains("in use by another"), "\(path)") }
        #expect(throws: StoreError.self) { try EventStore(hard, options: .init(onlyLooks: true)) }
        // The lock is no file that could be removed.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names where [".mark", ".lock"].contains(where: name.hasSuffix) {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        #expect(rejected(folder.file).contains("in use by another"))

        try await store.append(command("a", 1)).wait()
        store.close()
        let again = try EventStore(soft)
        defer { again.close() }
        #expect(try again.sessions.map(\.commands.count) == [1])
    }

    @Test func `many may look but not beside a server`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.store().close()
        let looking = EventStore.Options(onlyLooks: true)
        let first = try folder.store(looking)
        let second = try folder.store(looking)

        #expect(rejected(folder.file).contains("in use by another"))
        await #expect(throws: StoreError.closed(path: folder.file)) {
            try await first.open(session: "a", bank: "till", opening: []).wait()
        }
        [first, second].forEach { $0.close() }
        #expect(rejected(folder.file) == "")
    }

    @Test(arguments: ["", "/dev/null"])
    func `an irregular file is rejected`(_ path: String) {
        #expect(rejected(path).contains("cannot open the state file"))
    }

    @Test(.timeLimit(.minutes(10))) func `a pipe does not block`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try #require(mkfifo(folder.file, 0o600) == 0)

        #expect(rejected(folder.file).contains("something other than a regular file"))
        #expect(throws: StoreError.missing(path: folder.file)) { try folder.store(.init(onlyLooks: true)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.sqlite"])
    }
}
