import BankClient
import BankModel
import DriverProtocol
import Testing

/// Payments at a rate that the user was shown.
@Suite struct QuoteTests {
    private struct Asked {
        let order: PaymentOrder
        let euros: Currency

        init() throws {
            let pounds = try #require(Currency("GBP"))
            order = PaymentOrder(from: "a", to: "b", amount: Money(minorUnits: 1000, currency: pounds))
            euros = try #require(Currency("EUR"))
        }

        func quote(_ bank: Bank) async throws -> String { try await bank.client.quote("A", for: order.amount, in: euros).rate }
    }

    /// A bank whose quotes are named by their position among all requests, `q0`, `q2`, …, and that accepts payments with one of them alone.
    private func bank(accepting valid: String, outbox: any Outbox = MemoryOutbox()) async throws -> Bank {
        try await Bank(outbox: outbox) { request, count in
            if request.url.hasSuffix("/v1/quotes") {
                return .json(201, #"{"id":"q\#(count)","rate":"1.1\#(count)","expires_at":"2026-01-12T09:00:30Z"}"#)
            }
            let named = (try? JSON(parsing: request.body ?? []))?["quote"]?.string
            return named == valid ? .paid : .json(422, #"{"type":"urn:counterfoil:problem:quote-ended","title":"over"}"#)
        }
    }

    private func named(_ bank: Bank) -> [String?] {
        bank.transport.requests.filter { $0.url.hasSuffix("/v1/payments") }.map { (try? JSON(parsing: $0.body ?? []))?["quote"]?.string }
    }

    @Test func `after an expired quote the client pays only once the user has seen another, under another key`() async throws {
        let (asked, bank) = (try Asked(), try await bank(accepting: "q2"))
        #expect(try await asked.quote(bank) == "1.10")
        #expect(await bank.error { try await $0.pay("A", asked.order) } == .rejected)
        #expect(named(bank) == ["q0"])
        #expect(bank.count("/v1/quotes") == 1)

        #expect(try await asked.quote(bank) == "1.12")
        #expect(try await bank.client.pay("A", asked.order).state == .accepted)
        #expect(try await bank.client.pay("A", asked.order).state == .accepted, "the same payment, which is done")
        #expect(named(bank) == ["q0", "q2"])
        #expect(Set(bank.keys).count == 2)
    }

    @Test func `a payment that is taken up after a restart keeps its quote`() async throws {
        let (asked, outbox) = (try Asked(), MemoryOutbox())
        let lost = try await Bank(outbox: outbox) { request, _ in
            request.url.hasSuffix("/v1/quotes") ? .json(201, #"{"id":"q1","rate":"1.1"}"#) : .lost
        }
        _ = try await asked.quote(lost)
        #expect(await lost.error { try await $0.pay("A", asked.order) } == .outcomeUnknown)

        let again = try await bank(accepting: "q1", outbox: outbox)
        #expect(try await again.client.pay("A", asked.order).state == .accepted)
        #expect(again.keys == [lost.keys.first])
    }

    @Test func `a quote belongs to the customer who was shown it`() async throws {
        let (asked, bank) = (try Asked(), try await bank(accepting: "none"))
        _ = try await asked.quote(bank)
        try await bank.client.signIn(token: "other", of: "ben")
        _ = await bank.error { try await $0.pay("A", asked.order) }
        #expect(named(bank) == [nil])
    }

    @Test(arguments: [#"{"id":"q1"}"#, #"{"rate":"1.1"}"#, #"{"id":1,"rate":1.1}"#, "[]"])
    func `a quote that cannot be read is an error`(_ body: String) async throws {
        let (asked, bank) = (try Asked(), try await Bank { _, _ in .json(201, body) })
        #expect(await bank.error { try await $0.quote("A", for: asked.order.amount, in: asked.euros) } == .decode)
        #expect(try await Bank("roundup") { _, _ in .lost }.client.operations.contains(.quote) == false)
    }
}
