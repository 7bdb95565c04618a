import BankCore
import BankModel
import TestBanks
import Testing

/// A bank's published rules for keyed writes, as its dialect declares them.
struct Promise: Sendable, CustomTestStringConvertible {
    let vendor: String
    /// Merged into the test dialect's `idempotency`.
    let policy: String
    /// The status of a mismatch, and of a key in flight.
    let mismatch: Int
    var inFlight = 409
    /// The statuses of rejections that a repeat gets again; all others are retried.
    let kept: Set<Int>
    /// In seconds.
    let window: Int64?
    var marker: String?

    var testDescription: String { vendor }

    static let rejections = [400, 402, 404, 422, 429, 500, 501, 503]

    static let all = [
        Promise(
            vendor: "Stripe v1",
            policy: "{quoted: no, longest: 255, window: 24h, stored: executed, marker: {Idempotent-Replayed: 'true'}}",
            mismatch: 400, kept: Set(rejections), window: 86_400, marker: "Idempotent-Replayed"),
        Promise(
            vendor: "Stripe v2", policy: "{quoted: no, longest: 255, window: 30d, stored: success}", mismatch: 400, kept: [],
            window: 30 * 86_400),
        Promise(vendor: "Column", policy: "{quoted: no, longest: 255, stored: success}", mismatch: 400, kept: [], window: nil),
        Promise(
            vendor: "PPRO", policy: "{longest: 255, stored: {not: [4xx]}, marker: {Request-Idempotency: 'true'}}", mismatch: 422,
            kept: [500, 501, 503], window: nil, marker: "Request-Idempotency"),
        Promise(
            vendor: "Fullstory", policy: "{longest: 255, stored: {not: [429, 501-599]}}", mismatch: 409, kept: [400, 402, 404, 422, 500],
            window: nil),
        Promise(
            vendor: "TrueLayer", policy: "{longest: 255, window: 30d, stored: executed}", mismatch: 422, kept: Set(rejections),
            window: 30 * 86_400),
        Promise(
            vendor: "whop",
            policy: "{longest: 255, scope: customer, stored: executed, marker: {Idempotent-Replayed: 'true'}}", mismatch: 400,
            kept: Set(rejections), window: nil, marker: "Idempotent-Replayed"),
        Promise(
            vendor: "Open Banking UK", policy: "{longest: 40, window: 24h, stored: success, replay: current}", mismatch: 400, kept: [],
            window: 86_400),
        Promise(
            vendor: "IETF draft", policy: "{quoted: either, longest: 255, stored: executed}", mismatch: 422, kept: Set(rejections),
            window: nil),
        Promise(vendor: "a list of statuses", policy: "{longest: 255, stored: [2xx, 402]}", mismatch: 422, kept: [402], window: nil),
    ]

    /// The test bank with these rules.
    func till(insufficientFunds: Int = 422) throws -> Till {
        try Till(
            TestFiles().promising(policy)
                .replacing("dialects/terse.yaml", "key-mismatch: {status: 422", with: "key-mismatch: {status: \(mismatch)")
                .replacing(
                    "dialects/terse.yaml", "insufficient-funds: {status: 422", with: "insufficient-funds: {status: \(insufficientFunds)"))
    }
}

extension TestFiles {
    /// The test bank with another policy; `key` and `required` remain, unless it has its own.
    func promising(_ policy: String) -> TestFiles {
        let dialect = files["dialects/terse.yaml"] ?? ""
        let rest = dialect.firstRange(of: "replies:").map { String(dialect[$0.lowerBound...]) } ?? ""
        let head = dialect.firstRange(of: "idempotency:").map { String(dialect[..<$0.lowerBound]) } ?? ""
        let usual = policy.contains("key:") ? "" : "key: {header: Idempotency-Key}, required: true, "
        var copy = self
        copy.files["dialects/terse.yaml"] = head + "idempotency: {" + usual + policy.dropFirst().dropLast() + "}\n" + rest
        return copy
    }
}

@Suite struct KeyPolicyTests {
    @Test(arguments: Promise.all)
    func `a success is replayed within the window and moves nothing twice`(_ promise: Promise) throws {
        var till = try promise.till()
        let first = till.pay("1.00", key: "k1", token: try till.token())

        till.now = till.now + .seconds((promise.window ?? 400 * 86_400) - 1)
        let late = till.pay("1.00", key: "k1", token: try till.token())
        till.now = till.now + .seconds(1)
        let later = till.pay("1.00", key: "k1", token: try till.token())

        #expect(first.status == 201)
        #expect(!first.replayed)
        #expect(late.status == 201)
        #expect(late.replayed)
        #expect(late.body == first.body)
        #expect(later.replayed == (promise.window == nil), "the window ends \(promise.window ?? 0) s after the first use")
        #expect(till.state.ledger.movements.count == (promise.window == nil ? 1 : 2))
        if let marker = promise.marker {
            #expect(late.header(marker) == "true")
            #expect(first.header(marker) == nil)
        } else {
            #expect(late.headers == first.headers)
        }
    }

    @Test(arguments: Promise.all, Promise.rejections)
    func `a rejection is stored if the policy demands it`(_ promise: Promise, _ status: Int) throws {
        var till = try promise.till(insufficientFunds: status)
        let ann = try till.token()

        let first = till.pay("100.01", key: "k1", token: ann)
        let again = till.pay("100.01", key: "k1", token: ann)
        let corrected = till.pay("1.00", key: "k1", token: ann)

        #expect(first.status == status)
        #expect(again.status == status)
        #expect(again.replayed == promise.kept.contains(status))
        #expect(corrected.status == (promise.kept.contains(status) ? promise.mismatch : 201), "a key that is not kept is free again")
    }

    @Test(arguments: Promise.all)
    func `another payload is a mismatch and an unfinished first request a conflict`(_ promise: Promise) throws {
        var till = try promise.till()
        let ann = try till.token()
        _ = till.pay("1.00", key: "k1", token: ann)
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#

        let mismatch = till.pay("2.00", key: "k1", token: ann)
        _ = till.admit("POST", "/v1/payments", token: ann, key: "k2", body: body)
        let inFlight = till.send("POST", "/v1/payments", token: ann, key: "k2", body: body)

        #expect(mismatch.status == promise.mismatch)
        #expect(mismatch.error == "key-mismatch")
        #expect(inFlight.status == promise.inFlight)
        #expect(inFlight.error == "key-in-flight")
        #expect(till.state.ledger.movements.count == 1)
    }

    @Test(arguments: Promise.all)
    func `a rejection before the execution leaves the key free`(_ promise: Promise) throws {
        var till = try promise.till()
        let (ann, readOnly) = (try till.token(), try till.token(scopes: ["read"]))

        let rejected = [
            till.send("POST", "/v1/payments", token: ann, key: "k1", body: #"{"from": "a1"}"#),
            till.send("POST", "/v1/payments", token: ann, key: "k1", body: "{"),
            till.send("POST", "/v1/payments", token: "none", key: "k1", body: "{}"),
            till.pay("1.00", key: "k1", token: readOnly),
        ]

        #expect(rejected.map(\.status) == [400, 400, 401, 403])
        #expect(till.pay("1.00", key: "k1", token: ann).status == 201)
    }
}

/// The parts of a policy, each by itself.
@Suite struct KeyRuleTests {
    private func pay(_ till: inout Till, key: String, body: String, token: String) -> BankResponse {
        till.send("POST", "/v1/payments", token: token, key: key, body: body)
    }

    @Test func `chosen fields are compared by value and nothing else`() throws {
        var till = try Till(TestFiles().promising("{longest: 40, stored: success, fingerprint: [amount, to]}"))
        let ann = try till.token()
        let first = pay(&till, key: "k1", body: #"{"from": "a1", "to": "p1", "amount": "1.00"}"#, token: ann)

        let other = pay(&till, key: "k1", body: #"{"note": "again", "amount":"1.00", "from": "a2", "to": "p1"}"#, token: ann)
        let mismatch = pay(&till, key: "k1", body: #"{"from": "a1", "to": "p1", "amount": "1.01"}"#, token: ann)

        #expect(other.replayed)
        #expect(other.body == first.body)
        #expect(mismatch.error == "key-mismatch")
    }

    private static let first = #"{"from": "a1", "to": "p1", "amount": "1.00", "note": {"tags": ["é", 10.0], "url": "a/b"}}"#

    @Test(
        arguments: [
            #"{"note":{"url":"a/b","tags":["é",10.0]},"amount":"1.00","to":"p1","from":"a1"}"#,
            #"{"from": "a1", "to": "p1", "amount": "1.00", "note": {"tags": ["\u00e9", 1e1], "url": "a\/b"}}"#,
            " {\n\t\"from\" : \"a1\" , \"to\":\"p1\", \"amount\":\"1.00\", \"note\":{\"tags\":[\"é\",10.000],\"url\":\"a/b\"}}\r\n",
        ], ["whole", "bytes"])
    func `the same JSON in another spelling is the same payment, and one that compares bytes takes it for another`(
        _ body: String, policy: String
    ) throws {
        let isSame = policy == "whole"
        var till = try Till(TestFiles().promising("{longest: 40, stored: success, fingerprint: \(policy)}"))
        let ann = try till.token()
        let first = pay(&till, key: "k1", body: KeyRuleTests.first, token: ann)

        let again = pay(&till, key: "k1", body: body, token: ann)

        #expect(first.status == 201)
        #expect(again.replayed == isSame)
        #expect(again.body == first.body || !isSame)
        #expect(again.error == (isSame ? nil : "key-mismatch"))
        #expect(till.state.ledger.movements.count == 1)
    }

    @Test(arguments: [
        #"{"from": "a1", "to": "p1", "amount": "1.01", "note": {"tags": ["é", 10.0], "url": "a/b"}}"#,
        #"{"from": "a1", "to": "p1", "amount": "1.00", "note": {"tags": ["é", 10.1], "url": "a/b"}}"#,
        #"{"from": "a1", "to": "p1", "amount": "1.00", "note": {"tags": [10.0, "é"], "url": "a/b"}}"#,
        "{\"from\": \"a1\", \"to\": \"p1\", \"amount\": \"1.00\", \"note\": {\"tags\": [\"e\u{301}\", 10.0], \"url\": \"a/b\"}}",
        #"{"from": "a1", "to": "p1", "amount": "1.00"}"#,
    ])
    func `another value under the same key is another payment`(_ body: String) throws {
        var till = try Till()
        let ann = try till.token()
        _ = pay(&till, key: "k1", body: KeyRuleTests.first, token: ann)

        #expect(pay(&till, key: "k1", body: body, token: ann).error == "key-mismatch")
    }

    @Test func `a member with the name of another is no payment at all`() throws {
        var till = try Till()
        let ann = try till.token()

        let response = pay(&till, key: "k1", body: #"{"from": "a1", "to": "p1", "amount": "1.00", "amount": "1.00"}"#, token: ann)

        #expect(response.error == "bad-request")
        #expect(till.state.ledger.movements.isEmpty)
    }

    @Test func `another query under the same key is another request`() throws {
        var till = try Till()
        let ann = try till.token()
        _ = pay(&till, key: "k1", body: KeyRuleTests.first, token: ann)

        let queried = till.send("POST", "/v1/payments?x=1", token: ann, key: "k1", body: KeyRuleTests.first)

        #expect(queried.error == "key-mismatch")
    }

    @Test func `a key from the image of a session knows the same JSON in another spelling`() throws {
        var till = try Till()
        let ann = try till.token()
        let first = pay(&till, key: "k1", body: #"{"from": "a1", "to": "p1", "amount": "1.00"}"#, token: ann)
        var restarted = try Till()

        try restarted.state.restore(image: till.state.image)
        let again = pay(&restarted, key: "k1", body: #"{"amount":"1.00","to":"p1","from":"a1"}"#, token: ann)
        let other = pay(&restarted, key: "k1", body: #"{"amount":"1.01","to":"p1","from":"a1"}"#, token: ann)

        #expect(again.replayed)
        #expect(again.body == first.body)
        #expect(other.error == "key-mismatch")
    }

    @Test func `a key in flight knows the same JSON in another spelling`() throws {
        var till = try Till()
        let ann = try till.token()
        _ = till.admit("POST", "/v1/payments", token: ann, key: "k1", body: #"{"from": "a1", "to": "p1", "amount": "1.00"}"#)

        let again = pay(&till, key: "k1", body: #"{"amount":"1.00","to":"p1","from":"a1"}"#, token: ann)

        #expect(again.error == "key-in-flight")
    }

    @Test(arguments: [("operation", 201), ("customer", 422)])
    func `a key on another operation is another key or a mismatch`(_ scope: String, _ status: Int) throws {
        let second = "operations:\n  tip: {request: POST /tips, key: dialect, status: 201, insert: {payments: {id: {uuid: \"\"}}}}\n"
        var till = try Till(
            TestFiles().promising("{longest: 40, stored: success, scope: \(scope)}").replacing(
                "till/bank.yaml", "operations:\n", with: second))
        let (ann, bob) = (try till.token("ann"), try till.token("bob"))
        _ = till.pay("1.00", key: "k1", token: ann)

        #expect(till.send("POST", "/v1/tips", token: ann, key: "k1").status == status)
        #expect(till.send("POST", "/v1/tips", token: bob, key: "k1").status == 201, "another customer's key is another")
    }

    @Test func `a current replay shows the row's present state`() throws {
        var till = try Till(
            TestFiles().promising("{longest: 40, stored: success, replay: current}")
                .replacing(
                    "till/bank.yaml", "reply: {inserted: payments}", with: "reply: {payment: {inserted: payments}, time: {now: seconds}}"))
        let ann = try till.token()
        let first = till.pay("1.00", key: "k1", token: ann)
        till.now = till.now + .seconds(60)

        let again = till.pay("1.00", key: "k1", token: ann)

        #expect(again.status == 201)
        #expect(again.replayed)
        #expect(again.committed)
        #expect(again.json["payment"] == first.json["payment"])
        #expect(again.json["time"] != first.json["time"])
        #expect(till.state.ledger.movements.count == 1)
    }

    @Test(arguments: [
        ("either", "k1", 201), ("either", "\"k1\"", 201), ("either", "\"k1", 400), ("either", "\"k\"1\"", 400), ("either", "\"\"", 400),
        ("no", "k1", 201), ("no", "\"k1\"", 400),
        ("required", "\"k1\"", 201), ("required", "k1", 400), ("required", "\"k1\";a=1", 400), ("required", #""k\1""#, 400),
        ("required", #""k\"\\1""#, 201), ("required", "\"k1", 400),
    ])
    func `quotes are what the bank wants`(_ quoted: String, _ key: String, _ status: Int) throws {
        var till = try Till(TestFiles().promising("{longest: 5, stored: success, quoted: \(quoted)}"))

        #expect(till.pay("1.00", key: key, token: try till.token()).status == status)
    }

    @Test func `a key is compared without its quotes and escapes`() throws {
        var till = try Till(TestFiles().promising("{longest: 40, stored: success, quoted: either}"))
        let ann = try till.token()
        _ = till.pay("1.00", key: #"a"b\c"#, token: ann)

        #expect(till.pay("1.00", key: #""a\"b\\c""#, token: ann).replayed)
    }

    @Test(arguments: ["k\u{E9}y", "k\u{1F511}", "k\ty", "k\u{7F}"])
    func `a key that is no printable ASCII is a bad request`(_ key: String) throws {
        var till = try Till()

        let response = till.pay("1.00", key: key, token: try till.token())

        #expect(response.error == "bad-request")
        #expect(response.text.contains("printable ASCII"))
        #expect(till.state.ledger.movements.isEmpty)
    }

    @Test func `two key headers are a bad request that names them`() throws {
        var till = try Till()
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#

        let response = till.send(
            "POST", "/v1/payments", token: try till.token(), key: "k1", headers: [.init("idempotency-key", "k1")], body: body)

        #expect(response.error == "bad-request")
        #expect(response.text.contains("the header Idempotency-Key more than once"))
    }

    @Test func `an optional key may be missing and an empty one is none`() throws {
        var till = try Till(TestFiles().promising("{key: {header: Idempotency-Key}, required: false, longest: 40, stored: success}"))
        let ann = try till.token()
        let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#

        let responses =
            (1...2).map { _ in till.send("POST", "/v1/payments", token: ann, body: body) }
            + (1...2).map { _ in till.pay("1.00", key: "", token: ann) }

        #expect(responses.map(\.status) == [201, 201, 201, 201])
        #expect(responses.allSatisfy { !$0.replayed })
    }

    @Test func `ten kilobytes of key are rejected by length`() throws {
        var till = try Till()

        let response = till.pay("1.00", key: String(repeating: "k", count: 10_240), token: try till.token())

        #expect(response.error == "bad-request")
        #expect(response.text.contains("10240 characters, expected at most 40"))
    }

    @Test func `keys that are over are forgotten and those under way are not`() throws {
        var till = try Till()
        let body = #"{"from": "a1", "to": "p1", "amount": "0.01"}"#
        _ = till.admit("POST", "/v1/payments", token: try till.token(), key: "held", body: body)

        for number in 1...500 {
            till.now = till.now + .seconds(3600)
            _ = till.pay("0.01", key: "k\(number)", token: try till.token())
        }

        #expect(till.state.ledger.movements.count == 500)
        #expect(till.send("POST", "/v1/payments", token: try till.token(), key: "held", body: body).error == "key-in-flight")
        #expect(till.pay("0.01", key: "k476", token: try till.token()).status == 201)
        #expect(till.pay("0.01", key: "k477", token: try till.token()).replayed)
        #expect(till.state.keys.records.count < 550)
    }

    @Test func `the book does not grow for ever`() throws {
        var till = try Till()

        for number in 1...500 {
            till.now = till.now + .seconds(3600)
            _ = till.pay("0.01", key: "k\(number)", token: try till.token())
        }

        #expect(till.state.keys.records.count == 24, "one an hour, for 24 hours")
    }

    @Test func `a fingerprint of unknown fields is rejected on reading`() {
        #expect(throws: (any Error).self) {
            try Till(TestFiles().promising("{longest: 40, stored: success, fingerprint: [amuont]}"))
        }
    }
}
