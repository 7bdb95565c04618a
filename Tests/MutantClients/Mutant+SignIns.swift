import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Foundation
import Platform

/// Mistakes in who is signed in, and in where the token goes.
extension Mutant {
    static var signIns: [Mutant] {
        [
            Mutant(
                "clears-only-on-401", "clears a rejected token only after a 401: one rejected with 403 is kept",
                killedBy: ["auth.token-cleared-on-rejection"]
            ) { parts, _ in
                parts.verdicts { if $0.status != 401 { $1.tokenRejected = false } }
            },
            Mutant(
                "signs-out-on-step-up", "treats every 403 as a rejected token, except one for the scope",
                killedBy: ["auth.step-up-keeps-token", "signin.read-step-up-keeps-token"]
            ) { parts, _ in
                parts.verdicts { if $0.status == 403, $1.problem?.contains("scope") != true { $1.tokenRejected = true } }
            },
            Mutant(
                "sends-rejected-again", "repeats a rejected request, though the bank rejects it each time",
                killedBy: ["auth.no-refresh-loop"]
            ) { parts, _ in
                let rules = parts.caller.rules
                parts.around { request, base throws(TransportFailure) in
                    for _ in 1..<10 {
                        let response = try await base.send(request)
                        if !rules.judge(response).tokenRejected { return response }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "token-in-query", "puts the token into the URL as well", killedBy: ["auth.token-never-in-url"],
                control: controlWithoutToken
            ) {
                parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    guard let token = request.headers["Authorization"]?.split(separator: " ").last else {
                        return try await base.send(request)
                    }
                    var request = request
                    request.url += (request.url.contains("?") ? "&" : "?") + "access_token=\(token)"
                    return try await base.send(request)
                }
            },
            Mutant(
                "trusts-the-device-clock", "computes the token's expiry from the bank's Date, but compares it with the device's clock",
                killedBy: ["auth.expiry-by-server-not-device-clock"]
            ) { parts, _ in
                let clock = parts.caller.clock
                let end = TokenEnd()
                parts.answers { end.note($1, now: clock.now()) }
                parts.caller.keeper = AlteredKeeper(base: parts.caller.keeper) { token in end.isPast(clock.now()) ? nil : token }
            },
            Mutant(
                "signed-in-till-closed", "stores tokens in memory only, and is signed out after a restart",
                killedBy: ["auth.signed-in-survives-restart"]
            ) { parts, _ in
                parts.useStore(MemoryTokenStore())
            },
            Mutant(
                "token-file-for-all", "stores the token as text in a world-readable file (mode 0644)",
                killedBy: ["auth.token-file-private"], control: controlWithoutToken
            ) {
                parts, start in
                parts.useStore(PublicTokenFile(base: parts.store, path: start.stateDirectory + "/token.txt"))
            },
            Mutant(
                "logs-headers", "logs each request with its Authorization", killedBy: ["auth.token-not-in-logs"],
                control: controlWithoutToken
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    let head = request.headers.lines.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
                    StandardStreams.warn("\(request.method) \(request.url) [\(head)]")
                    return try await base.send(request)
                }
            },
            Mutant("prompts-for-each", "prompts for a sign-in once per rejected request", killedBy: ["auth.prompted-once"]) {
                parts, _ in
                parts.caller.keeper = PromptsForEach(base: parts.caller.keeper)
            },
            Mutant(
                "consent-is-any-refusal", "reports an expired consent as any other rejection", killedBy: ["auth.consent-expired-told"]
            ) { parts, _ in
                parts.verdicts { if $1.error == .consentExpired { $1.error = .forbidden } }
            },
        ]
    }
}

/// Returns another token than the stored one.
private struct AlteredKeeper: ForwardingKeeper {
    let base: any TokenKeeping
    let change: @Sendable (Token) -> Token?

    func current() async throws(ClientFailure) -> Token? { try await base.current().flatMap(change) }
}

/// When a token of an hour ends, by the first Date that the bank sent.
private final class TokenEnd: Sendable {
    private let end = Locked<Instant?>(nil)

    func note(_ response: HTTPResponse, now: Instant) {
        guard let date = response.headers["Date"].flatMap({ HTTPDate.instant($0, now: now) }) else { return }
        end.withLock { $0 = $0 ?? date + .seconds(3600) }
    }

    func isPast(_ now: Instant) -> Bool { end.withLock { $0.map { $0 < now } ?? false } }
}

/// A copy of the token beside the sealed one, as text, as the umask has it.
private struct PublicTokenFile: TokenStore {
    let base: any TokenStore
    let path: String

    func load() throws(StorageError) -> Token? { try base.load() }
    func clear() throws(StorageError) {
        try base.clear()
        try? FileManager.default.removeItem(atPath: path)
    }
    func save(_ token: Token) throws(StorageError) {
        try base.save(token)
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(token.access.utf8), attributes: [.posixPermissions: 0o644])
    }
}

private final class PromptsForEach: ForwardingKeeper {
    let base: any TokenKeeping
    private let count = Locked(0)

    init(base: any TokenKeeping) { self.base = base }

    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        let other = try await base.replacement(for: rejected)
        if other == nil { count.withLock { $0 += 1 } }
        return other
    }
    var prompts: Int { get async { count.withLock { $0 } } }
}
