import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes in what is written to the disk, and who may read it.
extension Mutant {
    static var invariantDisk: [Mutant] {
        [
            Mutant(
                "token-in-settings", "keeps a copy of the token in its settings, for the owner only, but as text",
                killedBy: ["invariant.no-secret-on-disk-in-clear in pay.new-intent-new-key"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "settings.json")
                parts.aroundStore(saved: { file.write("{\"session\":\"\($0.access)\"}") }, cleared: { file.remove() })
            },
            Mutant(
                "password-for-next-time", "keeps the password, to sign in by itself the next time",
                killedBy: ["invariant.no-secret-on-disk-in-clear in offline.never-other-customers"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "login.plist")
                parts.aroundSigning(signingIn: { user, password in file.write("\(user)\n\(password)\n") })
            },
            Mutant(
                "refresh-token-in-base64", "keeps the refresh token in base64, as if that hid it",
                killedBy: ["invariant.no-secret-on-disk-in-clear in auth.refresh-rotation-persisted"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "settings.json")
                parts.aroundStore(saved: { token in
                    file.write("{\"r\":\"\(Data((token.refresh ?? token.access).utf8).base64EncodedString())\"}")
                })
            },
            Mutant(
                "request-in-a-spool-file", "writes each request to a file while it is under way, its Authorization too",
                killedBy: ["invariant.no-secret-on-disk-in-clear in retry.payment-after-429-seconds"], control: withoutTokens
            ) { parts, start in
                parts.around { request, base throws(TransportFailure) in
                    let file = PlainFile(start, "request-\(UUID().uuidString).tmp")
                    file.write(request.headers.lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
                    defer { file.remove() }
                    return try await base.send(request)
                }
            },
            Mutant(
                "sealed-token-for-all", "keeps the token sealed, in a file that everybody may read",
                killedBy: ["invariant.files-private in auth.signed-in-survives-restart"], control: withoutTokens
            ) { parts, start in
                parts.aroundStore(saved: { _ in allowAll(start.stateDirectory + "/token", 0o644) })
            },
            Mutant(
                "outbox-for-all", "keeps payments in a file that everybody may read and write",
                killedBy: ["invariant.files-private in pay.new-intent-new-key"]
            ) { parts, start in
                parts.outbox = OutboxForAll(base: parts.outbox, path: start.stateDirectory + "/outbox.sqlite")
            },
            Mutant(
                "answers-for-all", "keeps the last answer with the token that it came for in a cache that everybody may read",
                killedBy: ["invariant.files-private in offline.cache-survives-kill"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "Cache.db", mode: 0o644)
                parts.around { request, base throws(TransportFailure) in
                    let response = try await base.send(request)
                    if let token = request.headers["Authorization"] { file.write("\(request.url) \(token)") }
                    return response
                }
            },
        ]
    }

    private static func allowAll(_ path: String, _ mode: Int) {
        try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private struct OutboxForAll: Outbox {
        let base: any Outbox
        let path: String

        func entry(_ intent: String, of owner: String) async throws(StoreError) -> OutboxEntry? { try await base.entry(intent, of: owner) }
        func owners(of intent: String) async throws(StoreError) -> Set<String> { try await base.owners(of: intent) }
        func put(_ entry: OutboxEntry) async throws(StoreError) {
            try await base.put(entry)
            allowAll(path, 0o666)
        }
    }
}

/// A file of the client's own folder, written as text.
struct PlainFile: Sendable {
    private let path: String
    private let mode: Int

    init(_ start: CaseStart, _ name: String, mode: Int = 0o600) { (path, self.mode) = (start.stateDirectory + "/" + name, mode) }

    func write(_ text: String) {
        _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
