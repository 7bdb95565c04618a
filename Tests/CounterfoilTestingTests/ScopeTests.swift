import CounterfoilTesting
import Foundation
import Platform
import Testing

/// A bank lives as long as its closure, whatever becomes of that.
@Suite(.timeLimit(.minutes(10))) struct ScopeTests {
    @Test func `it is served at its address while the closure runs`() async throws {
        let (url, status) = try await withStubBank(.counterfoil) { bank in
            try await bank.inject(.status(418))
            return (bank.url, try await call(bank, "v1/atms").status)
        }

        #expect(status == 418)
        #expect(try await !isTeapot(url.appending(path: "v1/atms")))
    }

    @Test func `it ends when the closure throws`() async throws {
        var kept: StubBank?

        await #expect(throws: CocoaError.self) {
            try await withStubBank(.login) { bank in
                try await bank.inject(.status(418))
                kept = bank
                throw CocoaError(.userCancelled)
            }
        }

        let bank = try #require(kept)
        #expect(try await !isTeapot(bank.url.appending(path: "profile")))
    }

    @Test func `cancelling ends it even while a response is held`() async throws {
        let (held, hold) = AsyncStream<Void>.makeStream()
        let task = Task {
            // Also if the bank cannot be started.
            defer { hold.finish() }
            try await withStubBank(.login) { bank in
                try await bank.inject(.hang)
                // A separate task does not notice the cancellation, like a client that blocks.
                let client = Task.detached { try await call(bank, "profile") }
                _ = try await bank.waitForExchange { $0.path == "/profile" }
                hold.yield()
                _ = try await client.value
            }
        }
        for await _ in held { break }

        task.cancel()

        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test func `a bank that is used after its end reports it`() async throws {
        let bank = try await withStubBank(.counterfoil) { $0 }

        #expect(await trouble { try bank.clearJournal() }?.code == .ended)
        #expect(await trouble { try bank.arrange { _ in } }?.code == .ended)
        #expect(await trouble { try bank.respond(to: .get("/")) { _ in .status(200) } }?.code == .ended)
        #expect(await trouble { try bank.tokens.revoke() }?.code == .ended)
        #expect(await trouble { try await bank.inject(.hang) }?.code == .ended)
        #expect(await trouble { try await bank.startOutage("slow") }?.code == .ended)
        #expect(await trouble { try await bank.reset() }?.code == .ended)
        let error = await trouble { try await bank.require(.auth) }
        #expect(
            error?.description
                == "found the bank \"counterfoil\" used in the test \"a bank that is used after its end reports it\" after its end, expected it inside "
                + "the closure of withStubBank, before stop(), or in the test whose trait started it")
    }

    @Test func `banks of tests that run at once know nothing of each other`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 1...6 {
                group.addTask {
                    try await withStubBank(.counterfoil) { bank in
                        let token = try bank.tokens.issue(for: .ava).text
                        for payment in 1...number { _ = try await pay(bank, "1.00", token: token, key: "key-\(payment)") }
                        if number.isMultiple(of: 2) { try bank.clock.advance(by: .seconds(3600)) }
                        try await bank.waitUntilIdle()

                        #expect(bank.ledger.movements.count == number)
                        #expect(bank.journal.count == number)
                        #expect(try await call(bank, "v1/accounts", token: token).status == (number.isMultiple(of: 2) ? 401 : 200))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `sessions of one server know nothing of each other`() async throws {
        try await withStubBanks(.counterfoil, .login) { banks in
            #expect(banks.names == ["counterfoil", "login"])
            let one = try await banks.open(.counterfoil)
            let other = try await banks.open(.counterfoil)
            let token = try one.tokens.issue(for: .ava).text

            try await one.inject(.status(503))

            #expect(try await call(one, "v1/atms").status == 503)
            #expect(try await call(other, "v1/atms").status == 200)
            #expect(try await call(other, "v1/accounts", token: token).status == 401)
            try await banks.withSession(of: .login) { login in
                let status = try await call(login, "profile").status
                #expect(status == 401)
            }
            await one.stop()
            #expect(try await call(other, "v1/atms").status == 200)
            #expect(await trouble { try one.tokens.revoke() }?.code == .ended)
        }
    }

    @Test func `stopping twice is allowed and opening afterwards is not`() async throws {
        let banks = try await StubBanks.start([.login])
        let bank = try await banks.open(.login)

        await bank.stop()
        await bank.stop()
        await banks.stop()
        await banks.stop()

        #expect(await trouble { _ = try await banks.open(.login) }?.code == .ended)
    }

    @Test func `what is read after the end is what was there`() async throws {
        let rules = Locked<[StubBank.Rule]>([])
        let banks = try await withStubBanks(.counterfoil) { banks in
            let (stopped, open) = (try await banks.open(.counterfoil), try await banks.open(.counterfoil))
            for bank in [stopped, open] {
                let token = try bank.tokens.issue(for: .ava).text
                let rule = try await bank.inject(.delay(.milliseconds(1)), times: 1)
                rules.withLock { $0.append(rule) }
                #expect(try await pay(bank, token: token).status == 201)
                try await bank.waitUntilIdle()
            }
            await stopped.stop()
            return [stopped, open]
        }

        for bank in banks {
            #expect(bank.journal.map(\.status) == [201])
            #expect(bank.journal.matching(.role(.pay)).count == 1)
            #expect(bank.ledger.movements.count == 1)
            #expect(try bank.balance(of: "ava-gbp").major == "24910.55")
            #expect(bank.customers.first?.customer == .ava)
        }
        #expect(rules.withLock { $0.map(\.count) } == [1, 1])
    }

    @MainActor @Test func `the closure runs where the test does`() async throws {
        var seen: [String] = []
        try await withStubBank(.login) { bank in
            MainActor.assertIsolated()
            seen.append(bank.name.rawValue)
        }
        #expect(seen == ["login"])
    }

    @Test func `the same seed gives the same tokens`() async throws {
        func token(_ seed: UInt64) async throws -> String {
            try await withStubBank(.login, options: StubBankOptions(seed: seed)) { try $0.tokens.issue().text }
        }

        let first = try await token(7)
        let second = try await token(7)
        let other = try await token(8)

        #expect(first == second)
        #expect(first != other)
    }

    /// Whether the bank that was set to answer with 418 still does. An error and any other answer show that it does not: its
    /// port may be that of another test's bank by now.
    private func isTeapot(_ url: URL) async throws -> Bool {
        do {
            return try await call(url).status == 418
        } catch is URLError {
            return false
        }
    }
}
