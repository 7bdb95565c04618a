import BankClient
import Foundation
import Testing

/// Bad input: a state directory that is damaged, foreign, newer, read-only or full. Clear errors, no token lost silently, no
/// accidental sign-in.
struct BadTokenFileTests {
    private let old = Token(access: "old-secret-access", refresh: "old-secret-refresh", owner: "ava")
    private let new = Token(access: "new-secret-access", refresh: "new-secret-refresh", owner: "ava")

    @Test
    func `a file truncated at any length, or with any byte altered, is reported and counts neither as a token nor as none`() async throws {
        try await withStore { store, path in
            try store.save(old)
            let whole = try bytes(of: path)

            for count in whole.indices {
                try write(whole.prefix(count), to: path)
                #expect(kind { try store.load() } == .damaged, "cut to \(count) bytes")
            }
            for index in whole.indices {
                var altered = whole
                altered[index] ^= 0x01
                try write(altered, to: path)
                let kind = kind { try store.load() }
                #expect(kind != nil, "byte \(index) altered: \(String(describing: kind))")
                #expect(kind != .failed, "byte \(index) altered: \(String(describing: kind))")
            }
            try write(whole, to: path)
            #expect(try store.load() == old)
        }
    }

    @Test(
        arguments: [
            (#"{"v":1,"access":"old-secret-access"}"#, StorageError.Kind.damaged),
            ("CFSEAL\u{2}old-secret-access of a newer program", .newerVersion),
            ("CFSEAL\u{1}12345678 old-secret-access 901234567890123456789", .foreignKey),
            (String(repeating: "CFSEAL", count: 400_000), .damaged),
        ])
    func `anything else in its place is reported by its kind, never by its content`(
        _ text: String, _ expected: StorageError.Kind
    ) async throws {
        try await withStore { store, path in
            try store.save(new)
            try write(text.utf8, to: path)

            let error = #expect(throws: StorageError.self) { try store.load() }

            #expect(error?.kind == expected)
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains("expected") == true)
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `a file sealed with another key is reported; with its own key it is readable again`() async throws {
        try await withFolder { folder in
            let (mine, theirs) = (SealingKey(), SealingKey())
            try FileTokenStore(path: folder + "/t", keys: theirs).save(old)

            #expect(kind { try FileTokenStore(path: folder + "/t", keys: mine).load() } == .foreignKey)
            #expect(try FileTokenStore(path: folder + "/t", keys: theirs).load() == old)
        }
    }

    @Test func `without its key file a token is not read, and no new key is made that would look like it`() async throws {
        try await withFolder { folder in
            try FileTokenStore(path: folder + "/t").save(old)
            try FileManager.default.removeItem(atPath: folder + "/key")

            #expect(kind { try FileTokenStore(path: folder + "/t").load() } == .foreignKey)
            #expect(!FileManager.default.fileExists(atPath: folder + "/key"))
        }
    }

    @Test func `signing in over an unreadable file moves that file aside and reports it; signing out removes both`() async throws {
        try await withFolder { folder in
            let (path, theirs, warnings) = (folder + "/t", SealingKey(), Warnings())
            try FileTokenStore(path: path, keys: theirs).save(old)
            let store = FileTokenStore(path: path, keys: SealingKey(), warn: warnings.warn)

            try store.save(new)

            #expect(try store.load() == new)
            #expect(try FileTokenStore(path: path + ".unreadable", keys: theirs).load() == old)
            #expect(warnings.all.count == 1)
            #expect(warnings.all.first?.contains("another key") == true)

            try store.clear()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test func `a path that is not a file, or is below one, is reported`() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/t/inner", withIntermediateDirectories: true)
            try write([1], to: folder + "/f")

            #expect(kind { try FileTokenStore(path: folder + "/t", keys: SealingKey()).load() } != nil)
            #expect(kind { try FileTokenStore(path: folder + "/f/t", keys: SealingKey()).load() } == .failed)
            #expect(kind { try FileTokenStore(path: folder + "/f/t", keys: SealingKey()).save(old) } == .failed)
        }
    }

    @Test func `a full disk: saving fails with an error, the token from before is still there, nothing lies half written`() async throws {
        try await withFolder { folder in
            let (path, key) = (folder + "/t", SealingKey())
            try FileTokenStore(path: path, keys: key).save(old)
            let full = FileTokenStore(path: path, keys: key, calls: FailingDisk.full)

            let error = #expect(throws: StorageError.self) { try full.save(new) }

            #expect(error?.description.contains("No space left") == true)
            #expect(try full.load() == old)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["t"])
        }
    }

    @Test func `a read-only disk: neither saving nor clearing claims to have worked`() async throws {
        try await withFolder { folder in
            let (path, key) = (folder + "/t", SealingKey())
            try FileTokenStore(path: path, keys: key).save(old)
            let store = FileTokenStore(path: path, keys: key, calls: FailingDisk.readOnly)

            #expect(kind { try store.save(new) } == .failed)
            #expect(kind { try store.clear() } == .failed)
            #expect(try store.load() == old)
        }
    }

    @Test
    func `after a power cut at any moment of saving, the old token or the new one is there, and the new one once saved`() async throws {
        for calls in 0..<12 {
            try await withFolder { folder in
                let (path, key) = (folder + "/t", SealingKey())
                try FileTokenStore(path: path, keys: key).save(old)

                let dying = FileTokenStore(path: path, keys: key, calls: FailingDisk(from: calls).calls)
                let saved = kind { try dying.save(new) } == nil

                let found = try FileTokenStore(path: path, keys: key).load()
                #expect(found == new || !saved && found == old, "after \(calls) calls")
            }
        }
    }

    private func withStore(_ body: (FileTokenStore, _ path: String) async throws -> Void) async throws {
        try await withFolder { folder in try await body(FileTokenStore(path: folder + "/t"), folder + "/t") }
    }
}

/// The kind of the store's error; nil if there is none.
private func kind<Value>(_ body: () throws -> Value) -> StorageError.Kind? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? StorageError)?.kind
    }
}
