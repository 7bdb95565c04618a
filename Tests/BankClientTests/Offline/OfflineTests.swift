import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// An error destroys nothing; cached data is never shown as current, and never to another customer.
struct OfflineTests {
    @Test(
        arguments: [
            .refused, .lost, .failure(TransportFailure(.timeout, "", mayHaveLeft: true)), .json(500, ""), .json(502, ""),
            .problem(503, "maintenance"), .problem(429, "rate-limited"), .json(200, "<html>", headers: ["Content-Type": "text/html"]),
            .json(200, #"{"accounts":["#), .json(200, "{}"), .json(302, ""),
        ] as [ScriptedTransport.Outcome])
    func `while the bank is unavailable its last answer is shown, marked with its time; then its current one`(
        _ trouble: ScriptedTransport.Outcome
    ) async throws {
        try await withCase { scene in
            let fresh = try await scene.client.accounts()
            let asOf = scene.bank.clock.now()
            scene.bank.clock.jump(by: .seconds(3600))
            scene.answer = trouble

            let old = try await scene.client.accounts()
            scene.answer = nil
            let again = try await scene.client.accounts()

            #expect(fresh.asOf == nil)
            #expect(again == fresh)
            #expect(old.asOf == asOf)
            #expect(old.rows == fresh.rows)
            #expect(!old.rows.isEmpty)
        }
    }

    @Test(
        arguments: [
            (.problem(400, "bad-request"), .rejected), (.problem(403, "scope-refused"), .forbidden),
            (.problem(403, "consent-expired"), .consentExpired), (.problem(404, "not-found"), .notFound), (.json(410, ""), .notFound),
            (.json(409, ""), .conflict), (.json(422, ""), .rejected), (.failure(TransportFailure(.tls, "", mayHaveLeft: false)), .tls),
            (.failure(TransportFailure(.tooLarge, "", mayHaveLeft: true)), .tooLarge),
            (.failure(TransportFailure(.cancelled, "", mayHaveLeft: true)), .cancelled),
        ] as [(ScriptedTransport.Outcome, ClientError)])
    func `a rejection about the request or about rights is reported instead, and destroys nothing either`(
        _ trouble: ScriptedTransport.Outcome, _ expected: ClientError
    ) async throws {
        try await withCase { scene in
            let fresh = try await scene.client.accounts()

            scene.answer = trouble
            #expect(await scene.bank.error { try await $0.accounts() } == expected)

            scene.answer = .refused
            #expect(try await scene.client.accounts().rows == fresh.rows)
        }
    }

    @Test
    func `a rejected token hides the cached data without removing it: the same customer sees it again after signing in`() async throws {
        try await withCase { scene in
            let fresh = try await scene.client.accounts()
            scene.answer = .problem(401, "token-rejected")
            #expect(await scene.bank.error { try await $0.accounts() } == .unauthorized)
            scene.answer = .refused
            #expect(await scene.bank.error { try await $0.accounts() } == .unauthorized)

            try await scene.client.signIn(user: "ava", password: "x")

            #expect(try await scene.client.accounts().rows == fresh.rows)
        }
    }

    @Test(
        arguments: ["counterfoil", "roundup"])
    func `another customer never sees the first one's data, which is removed`(_ name: String) async throws {
        try await withCase(name) { scene in
            _ = try await scene.client.accounts()
            scene.answer = .refused

            try await scene.signIn("ben")
            #expect(await scene.bank.error { try await $0.accounts() } == .offline)
            #expect(try scene.filesOfData().isEmpty)

            try await scene.signIn("ava")
            #expect(await scene.bank.error { try await $0.accounts() } == .offline)
        }
    }

    @Test
    func `data of a customer whose token was replaced behind the client's back is not shown, not even after a restart`() async throws {
        try await withCase { scene in
            _ = try await scene.client.accounts()
            try scene.store.save(Token(access: "bens", owner: "ben"))
            scene.answer = .refused

            #expect(await scene.bank.error { try await $0.accounts() } == .offline)
            let restarted = try await scene.restarted()
            #expect(await restarted.error { try await $0.accounts() } == .offline)
        }
    }

    @Test func `signing out leaves no file of data, and nothing to show`() async throws {
        try await withCase { scene in
            _ = try await scene.client.accounts()
            _ = try await scene.client.balance(of: "a1")
            #expect(try scene.filesOfData().count == 2)
            scene.answer = .refused

            try await scene.client.signOut()

            #expect(try scene.filesOfData().isEmpty)
            #expect(await scene.bank.error { try await $0.accounts() } == .unauthorized)
            try await scene.signIn("ava")
            #expect(await scene.bank.error { try await $0.accounts() } == .offline)
        }
    }

    @Test(arguments: [nil, "ben"])
    func `an answer that arrives after its customer has signed out is neither shown nor cached`(_ next: String?) async throws {
        try await withCase { scene in
            let latch = Latch()
            scene.latch = latch
            let late = Task { await scene.bank.error { try await $0.accounts() } }
            await latch.hasWaiting()

            if let next { try await scene.signIn(next) } else { try await scene.client.signOut() }
            latch.open()

            #expect(await late.value == .unauthorized)
            #expect(try scene.filesOfData().isEmpty)
        }
    }

    @Test func `old data is there after a restart`() async throws {
        try await withCase { scene in
            let fresh = try await scene.client.accounts()
            scene.answer = .refused

            let old = try await scene.restarted().client.accounts()

            #expect(old.rows == fresh.rows)
            #expect(old.asOf == scene.bank.clock.now())
        }
    }

    @Test func `each question has its own answer`() async throws {
        try await withCase { scene in
            _ = try await scene.client.transactions(of: "a1", Period(from: Instant(seconds: 1)))
            scene.answer = .refused

            #expect(try await scene.client.transactions(of: "a1", Period(from: Instant(seconds: 1))).asOf != nil)
            #expect(await scene.bank.error { try await $0.transactions(of: "a1", Period(to: Instant(seconds: 1))) } == .offline)
            #expect(await scene.bank.error { try await $0.transactions(of: "a2", Period(from: Instant(seconds: 1))) } == .offline)
            #expect(await scene.bank.error { try await $0.balance(of: "a1") } == .offline)
        }
    }

    @Test func `a part does not replace the whole`() async throws {
        try await withCase { scene in
            let whole = try await scene.client.transactions(of: "a1")
            scene.answer = .json(200, #"{"transactions":[],"next_cursor":"again"}"#)
            #expect(try await !scene.client.transactions(of: "a1").isComplete)
            scene.answer = .refused

            #expect(try await scene.client.transactions(of: "a1").rows == whole.rows)
        }
    }

    @Test func `data of a bank without tokens is cached too`() async throws {
        try await withCase("snapshot") { scene in
            let fresh = try await scene.client.transactions()
            scene.answer = .refused
            #expect(try await scene.client.transactions().rows == fresh.rows)
            #expect(try await scene.client.transactions().asOf != nil)
        }
    }

    @Test func `no text of a customer can be read in any file, nor from a file's name`() async throws {
        try await withCase { scene in
            let rows = try await scene.client.transactions(of: "a1").rows
            let accounts = try await scene.client.accounts().rows
            let texts = rows.map(\.description) + accounts.map(\.name) + ["transactions", "counterfoil"]

            #expect(texts.contains("Harbour Fish Market"))
            #expect(texts.contains("Everyday Account"))
            #expect(try readable(texts, in: scene.folder).isEmpty)
            let names = try FileManager.default.subpathsOfDirectory(atPath: scene.folder)
            #expect(names.allSatisfy { name in !texts.contains { name.contains($0) } })
        }
    }

    @Test func `a cache that cannot be emptied is reported when signing out, and is never shown again`() async throws {
        try await withFolder { folder in
            let key = SealingKey()
            let stuck = FileDataCache(folder: folder, keys: key, calls: FailingDisk.unremovable)
            let down = Locked(false)
            let bank = try await Bank("roundup", cache: stuck) { _, _ in
                down.withLock { $0 } ? .refused : .json(200, #"{"accounts":[]}"#)
            }
            _ = try await bank.client.accounts()
            down.withLock { $0 = true }
            #expect(try await bank.client.accounts().asOf != nil)

            #expect(await bank.error { try await $0.signOut() } == .unavailable)
            try await bank.client.signIn(token: "token")

            #expect(await bank.error { try await $0.accounts() } == .offline)
        }
    }
}
