import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// Rotated refresh tokens are valid for one use, and losing one signs the user out.
struct TokenRotationTests {
    private let old = Token(access: "old", refresh: "r1", owner: "ava")
    private let new = Token(access: "new", refresh: "r2", owner: "ava")

    @Test func `a renewed token that cannot be stored is not used, not lost, and not fetched twice: it is stored before the next use`()
        async throws
    {
        let store = FailingStore()
        let refresher = OneRefresh { .success(Token(access: "new", refresh: "r2")) }
        let keeper = TokenKeeper(store: store, refresher: refresher)
        try await keeper.signIn(old)
        store.isFull = true

        for _ in 0..<2 {
            let failure = await #expect(throws: ClientFailure.self) { try await keeper.replacement(for: old) }
            #expect(failure?.error == .unavailable)
        }
        #expect(store.kept == old)

        store.isFull = false
        #expect(try await keeper.replacement(for: old) == new)
        #expect(store.kept == new)
        #expect(refresher.count == 1)
    }

    @Test func `a refreshed token is on the disk before the first request with it is sent`() async throws {
        try await withFolder { folder in
            let path = folder + "/t"
            let bank = try await Bank(store: FileTokenStore(path: path)) { request, _ in
                if request.url.hasSuffix("/oauth/token") { return .tokens("new", refresh: "r2") }
                guard request.headers["Authorization"] == "Bearer new" else { return .problem(401, "token-expired") }
                let onDisk = try? FileTokenStore(path: path).load()
                return onDisk?.refresh == "r2" ? .json(200, #"{"accounts":[]}"#) : .problem(500, "not-on-disk")
            }
            try FileTokenStore(path: path).save(old)

            _ = try await bank.client.accounts()

            #expect(bank.transport.requests.count == 3)
        }
    }

    @Test
    func `a bank that gives no new refresh token leaves the old one good (RFC 6749 §6); whose token it is stays known`() async throws {
        let keeper = TokenKeeper(store: FailingStore(), refresher: OneRefresh { .success(Token(access: "new")) })
        try await keeper.signIn(old)

        #expect(try await keeper.replacement(for: old) == Token(access: "new", refresh: "r1", owner: "ava"))
    }

    @Test func `signing out during a refresh is final, and the token that arrives too late is revoked`() async throws {
        let (latch, store) = (Latch(), FailingStore())
        let refresher = OneRefresh {
            await latch.wait()
            return .success(Token(access: "late", refresh: "r2"))
        }
        let keeper = TokenKeeper(store: store, refresher: refresher)
        try await keeper.signIn(old)

        async let replacement = keeper.replacement(for: old)
        await latch.hasWaiting()
        #expect(try await keeper.signOut() == old)
        latch.open()

        #expect(try await replacement == nil)
        #expect(store.kept == nil)
        #expect(refresher.abandoned.map(\.access) == ["late"])
    }

    @Test(
        arguments: [
            (ClientFailure(.unauthorized, "", mayHaveLeft: true, problem: "invalid_grant"), false),
            (ClientFailure(.unauthorized, "invalid_grant", mayHaveLeft: true), false),
            (ClientFailure(.rejected, "", mayHaveLeft: true, problem: "unauthorized_client"), false),
            (ClientFailure(.rejected, "a gateway's 400", mayHaveLeft: true), true),
            (ClientFailure(.forbidden, "a gateway's 403", mayHaveLeft: true), true),
            (ClientFailure(.rateLimited, "", mayHaveLeft: true), true), (ClientFailure(.unavailable, "", mayHaveLeft: true), true),
            (ClientFailure(.decode, "", mayHaveLeft: true), true), (ClientFailure(.timeout, "", mayHaveLeft: true), true),
            (ClientFailure(.offline, "lost", mayHaveLeft: true), true),
        ])
    func `only the bank's own rejection ends the sign-in`(_ failure: ClientFailure, _ staysIn: Bool) async throws {
        let keeper = TokenKeeper(store: FailingStore(), refresher: OneRefresh { .failure(failure) })
        try await keeper.signIn(old)

        let replacement = try? await keeper.replacement(for: old)

        #expect(replacement == nil)
        #expect(try await keeper.current() == (staysIn ? old : nil))
        #expect(await keeper.prompts == (staysIn ? 0 : 1))
    }

    @Test func `a damaged store asks the user once to sign in again, and the sign-in repairs it`() async throws {
        let store = FailingStore()
        let keeper = TokenKeeper(store: store)
        store.isDamaged = true

        for _ in 0..<3 {
            let failure = await #expect(throws: ClientFailure.self) { try await keeper.current() }
            #expect(failure?.error == .unauthorized)
        }
        #expect(await keeper.prompts == 1)

        try await keeper.signIn(new)
        #expect(try await keeper.current() == new)
    }

    @Test func `a damaged store can be signed out of`() async throws {
        let store = FailingStore()
        let keeper = TokenKeeper(store: store)
        store.isDamaged = true

        #expect(try await keeper.signOut() == nil)
        #expect(try await keeper.current() == nil)
    }

    @Test func `a store that fails for now does not require a new sign-in`() async throws {
        let keeper = TokenKeeper(store: FileTokenStore(path: "/dev/null/t", keys: SealingKey()))

        let failure = await #expect(throws: ClientFailure.self) { try await keeper.current() }

        #expect(failure?.error == .unavailable)
        #expect(await keeper.prompts == 0)
    }
}

/// Refreshes as configured; records how often, and the abandoned tokens.
private final class OneRefresh: TokenRefreshing {
    private let answer: @Sendable () async -> Result<Token, ClientFailure>
    private let seen = Locked((count: 0, abandoned: [Token]()))

    init(_ answer: @escaping @Sendable () async -> Result<Token, ClientFailure>) { self.answer = answer }

    var count: Int { seen.withLock { $0.count } }
    var abandoned: [Token] { seen.withLock { $0.abandoned } }

    func refresh(_ refresh: String) async throws(ClientFailure) -> Token {
        seen.withLock { $0.count += 1 }
        return try await answer().get()
    }

    func abandon(_ token: Token) async { seen.withLock { $0.abandoned.append(token) } }
}
