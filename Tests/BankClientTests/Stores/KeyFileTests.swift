import BankClient
import Foundation
import Testing

struct KeyFileTests {
    @Test func `the key is made when first needed, for its owner only, and is the same ever after`() async throws {
        try await withFolder { folder in
            let path = folder + "/state/key"
            #expect(try KeyFile(path: path).key(making: false) == nil)
            #expect(!FileManager.default.fileExists(atPath: path))

            try FileTokenStore(path: folder + "/t", keys: KeyFile(path: path)).save(Token(access: "a"))

            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            #expect(try FileManager.default.attributesOfItem(atPath: folder + "/state")[.posixPermissions] as? Int == 0o700)
            #expect(try FileTokenStore(path: folder + "/t", keys: KeyFile(path: path)).load() == Token(access: "a"))
            let text = String(decoding: try bytes(of: path), as: UTF8.self)
            #expect(try FileTokenStore(path: folder + "/t", keys: SealingKey(base64: text)).load() == Token(access: "a"))
        }
    }

    @Test func `callers that create one at the same moment all get the same`() async throws {
        try await withFolder { folder in
            let stores = (0..<8).map { FileTokenStore(path: folder + "/t\($0)", keys: KeyFile(path: folder + "/key")) }
            await withTaskGroup(of: Void.self) { group in
                for (index, store) in stores.enumerated() { group.addTask { try? store.save(Token(access: "a\(index)")) } }
            }

            let key = KeyFile(path: folder + "/key")
            for index in stores.indices {
                let found = try FileTokenStore(path: folder + "/t\(index)", keys: key).load()
                #expect(found == Token(access: "a\(index)"))
            }
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604])
    func `a key that others may read is rejected`(_ mode: Int) async throws {
        try await withFolder { folder in
            try write(Data(repeating: 7, count: 32).base64EncodedString().utf8, to: folder + "/key")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/key")

            let error = #expect(throws: StorageError.self) { try KeyFile(path: folder + "/key").key(making: true) }
            #expect(error?.description.contains("expected 600") == true)
        }
    }

    @Test(
        arguments: ["", "secret", "c2VjcmV0", String(repeating: "A", count: 2000)])
    func `a text that is not a key is reported by its size, not by its content`(_ text: String) async throws {
        let error = #expect(throws: StorageError.self) { try SealingKey(base64: text) }
        #expect(error?.description.contains("expected") == true)
        #expect(error?.description.contains("secret") == false)

        try await withFolder { folder in
            try write(text.utf8, to: folder + "/key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/key")
            #expect(throws: StorageError.self) { try KeyFile(path: folder + "/key").key(making: false) }
            #expect(try bytes(of: folder + "/key") == Array(text.utf8))
        }
    }

    @Test func `a file that holds no key any more is put aside where a key may be made: signing in again must be possible`() async throws {
        try await withFolder { folder in
            let path = folder + "/key"
            try write("c2VjcmV0".utf8, to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)

            try FileTokenStore(path: folder + "/t", keys: KeyFile(path: path)).save(Token(access: "a"))

            #expect(try FileTokenStore(path: folder + "/t", keys: KeyFile(path: path)).load() == Token(access: "a"))
            #expect(try bytes(of: path + ".unreadable") == Array("c2VjcmV0".utf8))
        }
    }

    @Test func `nothing of a token can be read in the folder, and the same token is never sealed to the same bytes`() async throws {
        try await withFolder { folder in
            let store = FileTokenStore(path: folder + "/t")
            let token = Token(access: "access-0123456789abcdef", refresh: "refresh-0123456789abcdef", owner: "owner-0123456789abcdef")
            try store.save(token)
            let first = try bytes(of: folder + "/t")
            try store.save(token)

            #expect(try bytes(of: folder + "/t") != first)
            let secrets = ["access-0123456789abcdef", "refresh-0123456789abcdef", "owner-0123456789abcdef"]
            #expect(try readable(secrets, in: folder).isEmpty)
            try write("x access-0123456789abcdef".utf8, to: folder + "/plain")
            #expect(try readable(secrets, in: folder) == ["access-0123456789abcdef"])
        }
    }
}
