import CounterfoilDriver
import Dispatch
import Foundation
import Testing

@Suite struct FileKeychainTests {
    @Test func `a value outlives the process, in a file of its owner's alone`() throws {
        try withFolder { folder in
            try FileKeychain(folder: folder).set("t-1", for: "token")

            let file = folder.appending(path: "keychain.json").path()
            let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(try FileKeychain(folder: folder).text(for: "token") == "t-1")
            #expect(permissions == 0o600)
        }
    }

    @Test func `a value that is set to nil is gone, and the others stay`() throws {
        try withFolder { folder in
            let keychain = FileKeychain(folder: folder)
            try keychain.set("t-1", for: "token")
            try keychain.set("k-1", for: "key")

            try keychain.set(nil as String?, for: "token")

            #expect(try keychain.text(for: "token") == nil)
            #expect(try keychain.text(for: "key") == "k-1")
        }
    }

    @Test func `a file that cannot be read is an error, and no empty keychain`() throws {
        try withFolder { folder in
            try Data("half a fi".utf8).write(to: folder.appending(path: "keychain.json"))

            #expect(throws: (any Error).self) { try FileKeychain(folder: folder).text(for: "token") }
        }
    }

    @Test func `two keychains that store at once lose nothing`() throws {
        try withFolder { folder in
            // Each has its own lock in the process, as two processes have.
            DispatchQueue.concurrentPerform(iterations: 40) { number in
                try? FileKeychain(folder: folder).set("v-\(number)", for: "k-\(number)")
            }

            let keychain = FileKeychain(folder: folder)
            let kept = try (0..<40).map { number in try keychain.text(for: "k-\(number)") }
            #expect(kept == (0..<40).map { "v-\($0)" })
        }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
