import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes in what is written to the disk, and who may read it.
extension Mutant {
    static var invariantDisk: [Mutant] {
        [
            Mutant(
                "password-for-next-time", "stores the password, to sign in automatically",
                killedBy: ["invariant.no-secret-on-disk-in-clear in offline.never-other-customers"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "login.plist")
                parts.aroundSigning(signingIn: { user, password in file.write("\(user)\n\(password)\n") })
            },
            Mutant(
                "password-in-base64", "stores the password in base64",
                killedBy: ["invariant.no-secret-on-disk-in-clear in pay.new-intent-new-key"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "settings.json")
                parts.aroundSigning(signingIn: { _, password in file.write("{\"p\":\"\(Data(password.utf8).base64EncodedString())\"}") })
            },
            Mutant(
                "answers-in-plain-text", "stores each response of the bank unencrypted (`Cache.db`)",
                killedBy: ["invariant.no-secret-on-disk-in-clear in data.exact-amounts"], control: paying
            ) { parts, start in
                parts.answers { request, response in
                    guard request.isSafe else { return }
                    let name = String(request.url.filter { $0.isLetter || $0.isNumber }.suffix(60))
                    PlainFile(start, "\(name).json").write(String(decoding: response.body, as: UTF8.self))
                }
            },
            Mutant(
                "sign-in-in-a-spool-file", "writes name and password to a file during the sign-in, and removes it afterwards",
                killedBy: ["invariant.no-secret-on-disk-in-clear in pay.new-intent-new-key"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "sign-in.tmp")
                parts.around { request, base throws(TransportFailure) in
                    guard let fields = request.signInFields else { return try await base.send(request) }
                    file.write(fields)
                    defer { file.remove() }
                    let response = try await base.send(request)
                    // Part of the mistake, not a wait for anything: the file outlives the response, as in an app that removes it with its
                    // screen. The harness looks at the disk once, when the bank has read the request.
                    try? await Task.sleep(for: .milliseconds(300))
                    return response
                }
            },
            Mutant(
                "token-in-the-home-folder", "stores a copy of the token in its working folder, outside its own folder",
                killedBy: ["invariant.no-secret-on-disk-in-clear in pay.new-intent-new-key"], control: withoutTokens
            ) { parts, start in
                // A file for each case: concurrent cases share the working folder, and would overwrite each other's copy.
                let name = ".session-\(start.stateDirectory.split(separator: "/").last ?? "")"
                let file = PlainFile(FileManager.default.currentDirectoryPath + "/" + name)
                parts.aroundStore(saved: { file.write($0.access) }, cleared: { file.remove() })
            },
            Mutant(
                "session-for-all", "stores the token as text in a world-readable file",
                killedBy: ["invariant.files-private in auth.signed-in-survives-restart"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "session", mode: 0o644)
                parts.aroundStore(saved: { file.write($0.access) }, cleared: { file.remove() })
            },
            Mutant(
                "refresh-token-for-all", "stores the refresh token in base64 in settings that other users can read",
                killedBy: ["invariant.files-private in auth.refresh-rotation-persisted"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "settings.json", mode: 0o640)
                parts.aroundStore(saved: { token in
                    file.write("{\"r\":\"\(Data((token.refresh ?? token.access).utf8).base64EncodedString())\"}")
                })
            },
            Mutant(
                "answers-for-all", "stores the token of each response in a world-readable cache",
                killedBy: ["invariant.files-private in offline.cache-survives-kill"], control: withoutTokens
            ) { parts, start in
                let file = PlainFile(start, "Cache.db", mode: 0o644)
                parts.answers { request, _ in
                    if let token = request.headers["Authorization"] { file.write("\(request.url) \(token)") }
                }
            },
        ]
    }
}

/// A file written as text; its name is in the client's own folder.
struct PlainFile: Sendable {
    private let path: String
    private let mode: Int

    init(_ path: String, mode: Int = 0o600) {
        self.path = path
        self.mode = mode
    }

    init(_ start: CaseStart, _ name: String, mode: Int = 0o600) { self.init(start.stateDirectory + "/" + name, mode: mode) }

    func write(_ text: String) {
        _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
