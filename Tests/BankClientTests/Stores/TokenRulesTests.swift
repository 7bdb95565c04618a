import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// The rules of tokens seen from outside: the requests sent, the errors reported, the sign-ins that remain.
struct TokenRulesTests {
    private let good = ScriptedTransport.Outcome.json(200, #"{"accounts":[]}"#)

    @Test func `many rejections at once cause one refresh, and each request is sent at most twice`() async throws {
        let bank = try await signedIn { [good] request, count in
            if request.url.hasSuffix("/oauth/token") { return .tokens(count == 0 ? "old" : "new", refresh: "r\(count)") }
            return request.headers["Authorization"] == "Bearer new" ? good : .problem(401, "token-expired")
        }

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { _ = try? await bank.client.accounts() } }
        }

        #expect(bank.count("/oauth/token") == 2)  // one to sign in, one to refresh
        #expect(bank.count("/v1/accounts") <= 32)
        #expect(bank.transport.requests.filter { $0.headers["Authorization"] == "Bearer new" }.count == 16)
        #expect(try await bank.client.status().prompts == 0)
    }

    @Test func `a rejected refresh signs out once: one prompt, no loop, and nothing is sent afterwards`() async throws {
        let bank = try await signedIn { request, count in
            if request.url.hasSuffix("/oauth/token"), count > 0 { return .json(400, #"{"error":"invalid_grant"}"#) }
            return request.url.hasSuffix("/oauth/token") ? .tokens("old", refresh: "r1") : .problem(401, "token-rejected")
        }

        await withTaskGroup(of: ClientError?.self) { group in
            for _ in 0..<8 { group.addTask { await bank.error { try await $0.accounts() } } }
            for await error in group { #expect(error == .unauthorized) }
        }
        let sent = bank.transport.requests.count
        #expect(await bank.error { try await $0.accounts() } == .unauthorized)

        #expect(bank.transport.requests.count == sent)
        #expect(bank.count("/oauth/token") == 2)
        let status = try await bank.client.status()
        #expect(!status.signedIn)
        #expect(status.prompts == 1)
        #expect(bank.transport.requests.allSatisfy { $0.headers["Authorization"] != "Bearer " })
    }

    @Test func `a new token that is rejected too is not renewed again for the same request`() async throws {
        let bank = try await signedIn { request, count in
            request.url.hasSuffix("/oauth/token") ? .tokens("t\(count)", refresh: "r\(count)") : .problem(401, "token-rejected")
        }

        #expect(await bank.error { try await $0.accounts() } == .unauthorized)

        #expect(bank.count("/v1/accounts") == 2)
        #expect(bank.count("/oauth/token") == 2)
        #expect(try await !bank.client.status().signedIn)
    }

    @Test(
        arguments: [
            ("scope-refused", ClientError.forbidden), ("step-up", .forbidden), ("consent-expired", .consentExpired),
        ])
    func `a rejected scope, a step-up and an expired consent are reported by name and preserve the token`(
        _ problem: String, _ expected: ClientError
    ) async throws {
        let rejected = Locked(true)
        let bank = try await signedIn { [good] request, _ in
            if request.url.hasSuffix("/oauth/token") { return .tokens("old", refresh: "r1") }
            return rejected.withLock { $0 } ? .problem(403, problem) : good
        }

        #expect(await bank.error { try await $0.accounts() } == expected)
        rejected.withLock { $0 = false }
        _ = try await bank.client.accounts()

        #expect(bank.count("/oauth/token") == 1)
        #expect(try await bank.client.status().prompts == 0)
    }

    @Test(arguments: [-4_000, 4_000])
    func `the device's clock decides nothing: a token is used until the bank rejects it`(_ days: Int64) async throws {
        let bank = try await signedIn { [good] request, _ in
            request.url.hasSuffix("/oauth/token") ? .tokens("old", refresh: "r1") : good
        }
        bank.clock.jump(by: .seconds(days * 86_400))

        for _ in 0..<3 { _ = try await bank.client.accounts() }

        #expect(bank.count("/oauth/token") == 1)
        #expect(bank.count("/v1/accounts") == 3)
    }

    @Test(arguments: [.json(200, ""), .json(503, ""), .refused, .lost] as [ScriptedTransport.Outcome])
    func `signing out calls the bank, and forgets even if the bank cannot be reached or rejects the call`(
        _ outcome: ScriptedTransport.Outcome
    ) async throws {
        let store = MemoryTokenStore()
        let bank = try await signedIn(store) { request, _ in
            request.url.hasSuffix("/oauth/token") ? .tokens("old", refresh: "r1") : outcome
        }

        try await bank.client.signOut()

        #expect(store.load() == nil)
        #expect(bank.count("/oauth/revoke") >= 1)
        #expect(bank.transport.requests.last?.headers["Authorization"] == nil)
        #expect(await bank.error { try await $0.accounts() } == .unauthorized)
        #expect(try await bank.client.status().prompts == 0)
    }

    @Test func `a token that cannot be removed from the disk is reported, never used, and revoked all the same`() async throws {
        try await withFolder { folder in
            let key = SealingKey()
            let bank = try await signedIn(FileTokenStore(path: folder + "/t", keys: key)) { request, _ in
                request.url.hasSuffix("/oauth/token") ? .tokens("old", refresh: "r1") : .json(200, "")
            }
            let stuck = try await Bank(store: FileTokenStore(path: folder + "/t", keys: key, calls: FailingDisk.readOnly), signedIn: false)
            { _, _ in
                .json(200, "")
            }
            _ = bank

            #expect(await stuck.error { try await $0.signOut() } == .unavailable)

            #expect(stuck.count("/oauth/revoke") == 2)
            #expect(try await !stuck.client.status().signedIn)
        }
    }

    private func signedIn(
        _ store: any TokenStore = MemoryTokenStore(), answer: @escaping @Sendable (HTTPRequest, Int) async -> ScriptedTransport.Outcome
    ) async throws -> Bank {
        let bank = try await Bank(store: store, signedIn: false, answer: answer)
        try await bank.client.signIn(user: "ava", password: "correct-horse")
        return bank
    }
}
