import BankClient
import BankModel
import Foundation
import Platform
import Testing

struct TokenKeeperTests {
    @Test func `a rejected token is removed and the user asked once, however many requests were in flight`() async throws {
        let store = MemoryTokenStore()
        let keeper = TokenKeeper(store: store)
        try await keeper.signIn(Token(access: "old"))

        for _ in 0..<3 { #expect(try await keeper.replacement(for: Token(access: "old")) == nil) }

        #expect(store.load() == nil)
        #expect(await keeper.prompts == 1)
    }

    @Test func `a late rejection of an older token leaves the newer one, which is sent instead`() async throws {
        let keeper = TokenKeeper(store: MemoryTokenStore())
        try await keeper.signIn(Token(access: "new"))

        #expect(try await keeper.replacement(for: Token(access: "old")) == Token(access: "new"))
        try await keeper.discard(Token(access: "old"))

        #expect(try await keeper.current() == Token(access: "new"))
        #expect(await keeper.prompts == 0)
    }

    @Test func `many rejections share one refresh, and the new token is stored before anybody has it`() async throws {
        let store = MemoryTokenStore()
        let refresher = Refresher { .success(Token(access: "new", refresh: "r2")) }
        let keeper = TokenKeeper(store: store, refresher: refresher)
        let old = Token(access: "old", refresh: "r1")
        try await keeper.signIn(old)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let replacement = try await keeper.replacement(for: old)

                    #expect(replacement == Token(access: "new", refresh: "r2"))
                    #expect(store.load() == Token(access: "new", refresh: "r2"))
                }
            }
            try await group.waitForAll()
        }

        #expect(refresher.asked == ["r1"])
    }

    @Test func `a sign-in during a refresh remains`() async throws {
        let store = MemoryTokenStore()
        let fresh = Token(access: "fresh")
        let refresher = Refresher {
            store.save(fresh)
            return .success(Token(access: "renewed", refresh: "r2"))
        }
        let keeper = TokenKeeper(store: store, refresher: refresher)
        try await keeper.signIn(Token(access: "old", refresh: "r1"))

        #expect(try await keeper.replacement(for: Token(access: "old", refresh: "r1")) == fresh)
        #expect(store.load() == fresh)
    }

    @Test func `a token that cannot be removed is not used again all the same`() async throws {
        let keeper = TokenKeeper(store: StuckStore())
        let stuck = Token(access: "stuck")
        #expect(try await keeper.current() == stuck)

        await #expect(throws: ClientFailure.self) { try await keeper.discard(stuck) }

        #expect(try await keeper.current() == nil)
    }
}

/// Answers as configured and records the refresh tokens it was given.
private final class Refresher: TokenRefreshing {
    private let answer: @Sendable () -> Result<Token, ClientFailure>
    private let given = Locked<[String]>([])

    init(_ answer: @escaping @Sendable () -> Result<Token, ClientFailure>) { self.answer = answer }

    var asked: [String] { given.withLock { $0 } }

    func refresh(_ refresh: String) async throws(ClientFailure) -> Token {
        given.withLock { $0.append(refresh) }
        await Task.yield()
        return try answer().get()
    }
}

private struct StuckStore: TokenStore {
    func load() -> Token? { Token(access: "stuck") }
    func save(_ token: Token) {}
    func clear() throws(StorageError) { throw StorageError("read-only") }
}
