import BankClient
import BankModel
import Testing

/// A payment belongs to its customer: it is never sent with another's token, and never shown to another.
@Suite(.timeLimit(.minutes(10)))
struct PaymentOwnerTests {
    @Test(
        arguments: [false, true])
    func `an open payment remains unchanged while another customer is signed in, and continues when its own is back`(
        _ isPaying: Bool
    ) async throws {
        let bank = try await Bank { _, count in count < 4 ? .lost : .paid }
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)
        let key = Set(bank.keys)

        try await bank.client.signIn(token: "of ben", of: "ben")
        #expect(await bank.error { try await $0.resume("A") } == .nothingToDo)
        #expect(bank.payments.count == 4)

        try await bank.client.signIn(token: "ava's next", of: "ava")
        _ = try await isPaying ? bank.client.pay("A", order("10.00")) : bank.client.resume("A")
        #expect(bank.payments.count == 5)
        #expect(Set(bank.keys) == key)
        #expect(bank.payments.last?.headers["Authorization"] == "Bearer ava's next")
    }

    @Test func `a payment that was made is shown to its customer only`() async throws {
        let bank = try await Bank { _, _ in .paid }
        _ = try await bank.client.pay("A", order("10.00"))

        try await bank.client.signIn(token: "of ben", of: "ben")
        let failure = await #expect(throws: ClientFailure.self) { try await bank.client.resume("A") }

        #expect(failure?.error == .nothingToDo)
        #expect(failure?.detail.contains("10.00") == false)
        try await bank.client.signIn(token: "ava's next", of: "ava")
        #expect(try await bank.client.resume("A") == PaymentReceipt(id: "p1", state: .accepted))
        #expect(bank.payments.count == 1)
    }

    @Test func `one intent of two customers is two payments, each with a key and a token of its own`() async throws {
        let bank = try await Bank { _, _ in .paid }
        _ = try await bank.client.pay("A", order("10.00"))

        try await bank.client.signIn(token: "of ben", of: "ben")
        _ = try await bank.client.pay("A", order("12.00"))

        #expect(Set(bank.keys).count == 2)
        #expect(bank.payments.map { $0.headers["Authorization"] } == ["Bearer token", "Bearer of ben"])
    }

    @Test func `a retry is never sent with the token of a customer who has signed in meanwhile`() async throws {
        let latch = Latch()
        let bank = try await Bank { _, count in
            if count == 0 { await latch.wait() }
            return count == 0 ? .lost : .paid
        }

        async let paid = bank.error { try await $0.pay("A", order("10.00")) }
        await latch.hasWaiting()
        try await bank.client.signIn(token: "of ben", of: "ben")
        latch.open()

        #expect(await paid == .outcomeUnknown)
        #expect(bank.payments.map { $0.headers["Authorization"] } == ["Bearer token"])
        #expect(await bank.error { try await $0.resume("A") } == .nothingToDo)
    }

    @Test func `nobody signed in: no payment is shown`() async throws {
        let bank = try await Bank { _, _ in .paid }
        _ = try await bank.client.pay("A", order("10.00"))
        try await bank.client.signOut()

        #expect(await bank.error { try await $0.resume("A") } == .unauthorized)
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .unauthorized)
        #expect(await bank.error { try await $0.pay("B", order("10.00")) } == .unauthorized)
        #expect(bank.keys.count == 1)
    }

    @Test(arguments: [(nil, nil), ("ava", nil), (nil, "ava")] as [(String?, String?)])
    func `if a token names no customer, another token means an unknown customer: nothing is sent, under the old key or a new one`(
        _ first: String?, _ second: String?
    ) async throws {
        let bank = try await Bank(signedIn: false) { _, count in count < 4 ? .lost : .paid }
        try await bank.client.signIn(token: "one", of: first)
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)

        try await bank.client.signIn(token: "two", of: second)
        #expect(await bank.error { try await $0.resume("A") } == .unauthorized)
        #expect(await bank.error { try await $0.pay("A", order("10.00")) } == .unauthorized)
        #expect(bank.payments.count == 4)

        // The first token is the first customer, named or not.
        try await bank.client.signIn(token: "one", of: first)
        _ = try await bank.client.resume("A")
        #expect(Set(bank.keys).count == 1)
    }

    @Test func `the payment's customer survives a restart`() async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            let before = try await Bank(outbox: try SQLiteOutbox(path: path)) { _, _ in .lost }
            #expect(await before.error { try await $0.pay("A", order("10.00")) } == .outcomeUnknown)

            let after = try await Bank(outbox: try SQLiteOutbox(path: path), signedIn: false) { _, _ in .paid }
            try await after.client.signIn(token: "of ben", of: "ben")
            #expect(await after.error { try await $0.resume("A") } == .nothingToDo)
            try await after.client.signIn(token: "of ava", of: "ava")
            _ = try await after.client.resume("A")

            #expect(Set(before.keys + after.keys).count == 1)
            #expect(after.payments.map { $0.headers["Authorization"] } == ["Bearer of ava"])
        }
    }

    @Test func `a round-up computed while another customer signs in is not theirs`() async throws {
        let latch = Latch()
        let bank = try await Bank { request, _ in
            if request.method == "POST" { return .paid }
            await latch.wait()
            return .json(
                200,
                #"{"transactions":[{"id":"1","booked_at":"2027-01-13T08:00:00Z","status":"booked","direction":"debit","#
                    + #""amount":{"amount":"4.35","currency":"GBP"}}]}"#)
        }

        async let moved = bank.error { try await $0.roundUp("A", account: "a", goal: "g") }
        await latch.hasWaiting()
        try await bank.client.signIn(token: "of ben", of: "ben")
        latch.open()

        #expect(await moved == .unauthorized)
        #expect(bank.payments.isEmpty)
        try await bank.client.signIn(token: "token", of: "ava")
        #expect(await bank.error { try await $0.resume("A") } == .nothingToDo)
    }
}
