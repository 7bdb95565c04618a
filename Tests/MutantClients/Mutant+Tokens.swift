import BankClient
import BankModel
import Platform

extension Mutant {
    static var tokens: [Mutant] {
        [
            Mutant("keeps-token", "keeps a rejected token, and sends it again", killedBy: ["auth.token-cleared-on-rejection"]) {
                parts, _ in
                parts.caller.keeper = KeepsToken(base: parts.caller.keeper)
            },
            Mutant(
                "forgets-only-named-tokens", "reports any 401 as `unauthorized`, and keeps the token unless the response names it",
                killedBy: ["auth.any-401-ends-the-sign-in", "auth.status-after-rejection"]
            ) { parts, _ in
                parts.caller.rules = AlteredRules(base: parts.caller.rules) { response, verdict in
                    if response.status == 401, verdict.problem == nil { verdict.tokenRejected = false }
                }
            },
            Mutant(
                "writes-empty-token", "stores an empty token instead of removing it, and sends `Bearer `",
                killedBy: ["auth.no-empty-bearer"]
            ) {
                parts, _ in
                parts.useStore(WritesEmptyToken(base: parts.store))
            },
            Mutant(
                "clears-only-in-memory", "clears the token in memory, but not on disk: it is back after a restart",
                killedBy: ["auth.cleared-stays-cleared-after-restart"]
            ) { parts, _ in
                parts.useStore(ClearsOnlyInMemory(base: parts.store))
            },
            Mutant(
                "clears-on-scope-refusal", "clears the token on any 403, even for a missing scope",
                killedBy: ["auth.scope-refusal-keeps-token"]
            ) {
                parts, _ in
                parts.caller.transport = ClearsOn403(base: parts.caller.transport, store: parts.store)
            },
            Mutant(
                "late-rejection-clears-newer", "clears its current token when an older one is rejected",
                killedBy: ["auth.late-rejection-keeps-newer-token"]
            ) { parts, _ in
                parts.caller.keeper = ClearsWithoutComparing(base: parts.caller.keeper)
            },
        ]
    }
}

/// Takes no notice of rejections.
private struct KeepsToken: ForwardingKeeper {
    let base: any TokenKeeping

    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? { nil }
    func discard(_ rejected: Token) async throws(ClientFailure) {}
}

/// Never looks at which token was rejected.
private struct ClearsWithoutComparing: ForwardingKeeper {
    let base: any TokenKeeping

    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        if try await base.current() == rejected { return try await base.replacement(for: rejected) }
        _ = try await base.signOut()
        return nil
    }
}

/// Clearing writes an empty token instead of deleting it.
private final class WritesEmptyToken: TokenStore {
    private let base: any TokenStore
    private let emptied = Locked(false)

    init(base: any TokenStore) { self.base = base }

    func load() throws(StorageError) -> Token? { emptied.withLock { $0 } ? Token(access: "") : try base.load() }

    func save(_ token: Token) throws(StorageError) {
        try base.save(token)
        emptied.withLock { $0 = false }
    }

    func clear() throws(StorageError) {
        try base.clear()
        emptied.withLock { $0 = true }
    }
}

/// Forgets until the next start.
private final class ClearsOnlyInMemory: TokenStore {
    private let base: any TokenStore
    private let cleared = Locked(false)

    init(base: any TokenStore) { self.base = base }

    func load() throws(StorageError) -> Token? { cleared.withLock { $0 } ? nil : try base.load() }

    func save(_ token: Token) throws(StorageError) {
        try base.save(token)
        cleared.withLock { $0 = false }
    }

    func clear() { cleared.withLock { $0 = true } }
}

/// Takes every 403 for the end of the sign-in.
private struct ClearsOn403: HTTPTransport {
    let base: any HTTPTransport
    let store: any TokenStore

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        let response = try await base.send(request)
        if response.status == 403 { try? store.clear() }
        return response
    }
}
