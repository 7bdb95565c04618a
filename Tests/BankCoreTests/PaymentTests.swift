import BankCore
import BankModel
import Testing

@Suite struct PaymentTests {
    @Test func `a payment moves money once`() throws {
        var till = try Till()
        let ann = try till.token()

        let response = till.pay("12.30", key: "k1", token: ann)

        #expect(response.status == 201)
        #expect(response.committed)
        #expect(till.state.ledger.movements.count == 1)
        #expect(till.send("GET", "/v1/accounts/a1", token: ann).json["balance"]?.string == "87.70")
        let id = try #require(response.json["id"]?.string)
        #expect(till.send("GET", "/v1/payments/\(id)", token: ann).json["amount"]?.string == "12.30")
    }

    @Test func `another customer does not see the payment`() throws {
        var till = try Till()
        let (ann, bob) = (try till.token("ann"), try till.token("bob"))
        let id = try #require(till.pay("1.00", key: "k1", token: ann).json["id"]?.string)

        #expect(till.send("GET", "/v1/payments/\(id)", token: bob).status == 404)
    }

    @Test func `the same key again gives the stored bytes and moves nothing`() throws {
        var till = try Till()
        let ann = try till.token()
        let first = till.pay("1.00", key: "k1", token: ann)

        let second = till.pay("1.00", key: "\"k1\"", token: ann)

        #expect(second.body == first.body)
        #expect(second.status == 201)
        #expect(second.replayed)
        #expect(second.header("Idempotent-Replayed") == "true")
        #expect(first.header("Idempotent-Replayed") == nil)
        #expect(till.state.ledger.movements.count == 1)
    }

    @Test func `the same key with another payload is a mismatch`() throws {
        var till = try Till()
        let ann = try till.token()
        _ = till.pay("1.00", key: "k1", token: ann)

        #expect(till.pay("2.00", key: "k1", token: ann).error == "key-mismatch")
        #expect(till.state.ledger.movements.count == 1)
    }

    @Test func `a key is its customer's own`() throws {
        var till = try Till()
        let (ann, bob) = (try till.token("ann"), try till.token("bob"))
        _ = till.pay("1.00", key: "k1", token: ann)

        let response = till.send("POST", "/v1/payments", token: bob, key: "k1", body: #"{"from": "b1", "to": "p1", "amount": "1.00"}"#)

        #expect(response.status == 201)
        #expect(!response.replayed)
    }

    @Test func `a key whose first request is not executed yet is in flight`() throws {
        var till = try Till()
        let ann = try till.token()
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
        guard case .success(.ready(let ticket)) = till.admit("POST", "/v1/payments", token: ann, key: "k1", body: body) else {
            Issue.record("the first request was not admitted")
            return
        }

        #expect(till.send("POST", "/v1/payments", token: ann, key: "k1", body: body).error == "key-in-flight")
        till.state.abandon(ticket)
        #expect(till.send("POST", "/v1/payments", token: ann, key: "k1", body: body).status == 201)
    }

    @Test func `a key is forgotten after its window`() throws {
        var till = try Till()
        _ = till.pay("1.00", key: "k1", token: try till.token())

        till.now = till.now + .seconds(86_399)
        #expect(till.pay("1.00", key: "k1", token: try till.token()).replayed)
        till.now = till.now + .seconds(1)
        #expect(!till.pay("1.00", key: "k1", token: try till.token()).replayed)
        #expect(till.state.ledger.movements.count == 2)
    }

    @Test func `a key that is missing or too long is rejected`() throws {
        var till = try Till()
        let ann = try till.token()
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#

        #expect(till.send("POST", "/v1/payments", token: ann, body: body).error == "key-missing")
        #expect(till.pay("1.00", key: String(repeating: "k", count: 40), token: ann).status == 201)
        #expect(till.pay("1.00", key: String(repeating: "k", count: 41), token: ann).error == "bad-request")
    }

    @Test(arguments: ["0.00", "-1.00", "1.001", "1e2", "x", "", "99999999999999999999"])
    func `an invalid amount is rejected and nothing moves`(_ amount: String) throws {
        var till = try Till()

        #expect(till.pay(amount, key: "k1", token: try till.token()).error == "bad-request")
        #expect(till.state.ledger.movements.isEmpty)
    }

    @Test func `a payment above the balance is rejected and the rejection is stored`() throws {
        var till = try Till()
        let ann = try till.token()

        #expect(till.pay("100.01", key: "k1", token: ann).error == "insufficient-funds")
        #expect(till.pay("100.01", key: "k1", token: ann).replayed)
        #expect(till.pay("100.00", key: "k2", token: ann).status == 201)
        #expect(till.pay("0.01", key: "k3", token: ann).error == "insufficient-funds")
    }

    @Test func `money between own accounts changes both`() throws {
        var till = try Till()
        let ann = try till.token()

        _ = till.pay("10.00", key: "k1", token: ann, to: "a2")

        #expect(till.send("GET", "/v1/accounts/a1", token: ann).json["balance"]?.string == "90.00")
        #expect(till.send("GET", "/v1/accounts/a2", token: ann).json["balance"]?.string == "15.50")
    }

    @Test func `another customer's account neither pays nor is paid`() throws {
        var till = try Till()
        let ann = try till.token()

        #expect(till.pay("1.00", key: "k1", token: ann, to: "b1").error == "bad-request")
        let response = till.send("POST", "/v1/payments", token: ann, key: "k2", body: #"{"from": "b1", "to": "p1", "amount": "1.00"}"#)
        #expect(response.error == "bad-request")
        #expect(till.state.ledger.movements.isEmpty)
    }

    @Test(arguments: ["", "{", "[]", #"{"from": "a1", "to": "p1"}"#, #"{"from": "a1", "to": "p1", "amount": null}"#])
    func `a body that is not what it must be claims no key`(_ body: String) throws {
        var till = try Till()
        let ann = try till.token()

        #expect(till.send("POST", "/v1/payments", token: ann, key: "k1", body: body).error == "bad-request")
        #expect(till.pay("1.00", key: "k1", token: ann).status == 201)
    }

    @Test func `a snapshot is an assignment`() throws {
        var till = try Till()
        let ann = try till.token()
        let snapshot = till.state
        _ = till.pay("10.00", key: "k1", token: ann)

        till.state = snapshot

        #expect(till.send("GET", "/v1/accounts/a1", token: ann).json["balance"]?.string == "100.00")
        #expect(till.pay("10.00", key: "k1", token: ann).replayed == false)
    }

    @Test func `a request that matches nothing gets the near misses`() throws {
        let till = try Till()

        let nearest = till.state.prepared.router.nearMisses(BankRequest("PUT", "/v1/payments"))

        #expect(nearest.first?.operation == "pay")
        #expect(nearest.first?.reasons == ["method: found PUT, expected POST"])
    }
}
