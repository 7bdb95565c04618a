import BankClient
import Foundation
import Testing

/// One behaviour, all stores.
struct TokenStoreTests {
    enum Kind: CaseIterable { case memory, file }

    @Test(arguments: Kind.allCases)
    func `a saved token is loaded, replaced and removed`(_ kind: Kind) async throws {
        try await withStore(kind) { store, _ in
            #expect(try store.load() == nil)

            try store.save(Token(access: "one", refresh: "r1", owner: "o"))
            #expect(try store.load() == Token(access: "one", refresh: "r1", owner: "o"))

            try store.save(Token(access: "two"))
            #expect(try store.load() == Token(access: "two"))

            try store.clear()
            #expect(try store.load() == nil)
            try store.clear()
        }
    }

    @Test func `a cleared file is gone, nothing of the token stays in the folder`() async throws {
        try await withStore(.file) { store, folder in
            try store.save(Token(access: "secret"))
            try store.clear()

            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/state") == ["key"])
        }
    }

    @Test func `the file is for its owner only, and outlives the store`() async throws {
        try await withStore(.file) { store, folder in
            try store.save(Token(access: "secret"))
            try store.save(Token(access: "newer"))

            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/state/token.json")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileTokenStore(path: folder + "/state/token.json").load() == Token(access: "newer"))
        }
    }

    private func withStore(_ kind: Kind, _ body: (any TokenStore, _ folder: String) async throws -> Void) async throws {
        try await withFolder { folder in
            switch kind {
            case .memory: try await body(MemoryTokenStore(), folder)
            case .file: try await body(FileTokenStore(path: folder + "/state/token.json"), folder)
            }
        }
    }
}
