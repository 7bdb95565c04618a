import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Webhooks after changes were undone, because the disk had no room for them: nothing that is undone is announced, and nothing twice.
@Suite struct WebhookUndoTests {
    @Test func `changes that are undone leave no delivery`() throws {
        var (till, token) = try Till.withWebhook()
        till.state.isLogged = true
        let before = till.state.webhooks.deliveries
        _ = till.pay("12.30", key: "k1", token: token)
        _ = try till.state.happen(BankEvent(.paymentSettles), at: till.now)
        #expect(till.state.webhooks.deliveries.count > before.count)
        till.state.undo(till.state.drainChanges())
        #expect(till.state.webhooks.deliveries == before)
        #expect(!till.state.webhooks.isWaiting)
    }

    @Test func `an end whose announcement is undone is announced again`() throws {
        var (till, token) = try Till.withWebhook()
        till.state.isLogged = true
        _ = till.pay("12.30", key: "k1", token: token)
        _ = till.state.drainChanges()
        till.now = till.now + .seconds(3600)
        till.announce()
        till.state.undo(till.state.drainChanges())
        #expect(!till.announced.contains("payment.settled"))

        till.announce()

        #expect(till.announced.count { $0 == "payment.settled" } == 1)
    }

    @Test func `an end is not announced if its payment is undone after its announcement`() throws {
        var (till, token) = try Till.withWebhook()
        till.state.isLogged = true
        let payments = till.state.ledger.movements.count
        _ = till.pay("12.30", key: "k1", token: token)
        let paid = till.state.drainChanges()
        till.now = till.now + .seconds(3600)
        till.announce()
        till.state.undo(till.state.drainChanges())
        till.state.undo(paid)
        #expect(till.state.ledger.movements.count == payments)

        till.announce()

        #expect(!till.announced.contains("payment.settled"))
    }

    @Test func `an end is not announced if it is undone after its announcement, and the next end is`() throws {
        var (till, token) = try Till.withWebhook()
        till.state.isLogged = true
        _ = till.pay("12.30", key: "k1", token: token)
        _ = till.state.drainChanges()
        _ = try till.state.happen(BankEvent(.paymentRejected), at: till.now)
        till.announce()
        let ended = till.state.drainChanges()
        till.state.undo(ended)
        till.announce()
        #expect(till.announced.allSatisfy { !["payment.settled", "payment.rejected"].contains($0) }, "it is pending again")
        till.now = till.now + .seconds(3600)

        till.announce()

        #expect(till.announced.count { $0 == "payment.settled" } == 1)
        #expect(!till.announced.contains("payment.rejected"))
    }

    @Test func `an end is not announced if the authorisation before it is undone, too`() throws {
        let webhooks = "webhooks: {retries: [5s]}\noperations:\n"
        var till = try Till(TestFiles.authorising.replacing("till/bank.yaml", "operations:\n", with: webhooks))
        _ = try till.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        let token = try till.token()
        till.state.isLogged = true
        _ = till.pay("12.30", key: "k1", token: token)
        _ = till.state.drainChanges()
        _ = try till.state.happen(BankEvent(.paymentAuthorised), at: till.now)
        let authorised = till.state.drainChanges()
        till.now = till.now + .seconds(60)
        till.announce()
        try #require(till.announced.contains("payment.settled"))
        till.state.undo(till.state.drainChanges())
        till.state.undo(authorised)
        till.now = till.now + .seconds(86_400)

        till.announce()

        #expect(!till.announced.contains("payment.settled"))
        #expect(till.announced.count { $0 == "payment.rejected" } == 1, "nobody has authorised it")
    }
}
