import BankEngine
import BankModel
import StubServer
import TestServer
import Testing

/// The requests of pact verifiers before each interaction.
@Suite struct ProviderStateTests {
    private func enter(_ admin: Admin, _ state: String, _ params: String = "{}") async throws -> RawResponse {
        try await admin.call("POST /sessions/till/provider-state", #"{"state": "\#(state)", "params": \#(params), "action": "setup"}"#)
    }

    private func status(
        _ admin: Admin, _ request: String, token: String?, _ headers: [String] = [], _ body: String = ""
    ) async throws -> Int {
        let lines = ["\(request) HTTP/1.1", "Host: a", "Content-Length: \(body.utf8.count)"] + headers
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        return try await admin.stub.ask((lines + authorization).joined(separator: "\r\n") + "\r\n\r\n" + body).status
    }

    @Test func `a signed-in customer's token and rows are reported`() async throws {
        try await withAdmin { admin in
            let response = try await enter(admin, "customer bob is signed in")

            #expect(response.status == 200, "\(response.text)")
            #expect(response.json["accounts"]?.string == "b1", "\(response.text)")
            let token = try #require(response.json["token"]?.string)
            #expect(try await status(admin, "GET /v1/accounts/b1", token: token) == 200)
            #expect(try await status(admin, "GET /v1/accounts/a1", token: token) == 404)
        }
    }

    @Test(arguments: [("the token is revoked", 401), ("the token is expired", 401), ("the token lacks the scope read", 403)])
    func `the newest token alone is changed`(_ state: String, _ status: Int) async throws {
        try await withAdmin { admin in
            let older = try await enter(admin, "customer ann is signed in").json["token"]?.string
            let newer = try await enter(admin, "customer ann is signed in").json["token"]?.string

            #expect(try await enter(admin, state).status == 200)
            #expect(try await self.status(admin, "GET /v1/accounts/a1/entries", token: newer) == status)
            #expect(try await self.status(admin, "GET /v1/accounts/a1/entries", token: older) == 200)
        }
    }

    @Test func `a used key has paid once and a new one nothing`() async throws {
        try await withAdmin { admin in
            let token = try await enter(admin, "customer ann is signed in").json["token"]?.string
            let fresh = try await enter(admin, "the payment key k1 is new").json["key"]?.string
            let used = try await enter(admin, "the payment key k1 was used", #"{"operation": "pay"}"#).json["key"]?.string

            #expect(fresh != nil)
            #expect(used != nil)
            #expect(fresh != used)
            #expect(try await admin.call("GET /sessions/till/ledger").json["movements"]?.array?.count == 1)
            let other = #"{"from": "a1", "to": "p1", "amount": "2.00"}"#
            #expect(try await status(admin, "POST /v1/payments", token: token, ["Idempotency-Key: \(used ?? "")"], other) == 422)
            #expect(try await status(admin, "POST /v1/payments", token: token, ["Idempotency-Key: \(fresh ?? "")"], other) == 201)
        }
    }

    @Test func `an entry is added and its key reported`() async throws {
        try await withAdmin { admin in
            let token = try await enter(admin, "customer ann is signed in").json["token"]?.string
            let payment = try await enter(admin, "payments has an entry").json["payments"]?.string

            #expect(try await status(admin, "GET /v1/payments/\(payment ?? "")", token: token) == 200)
        }
    }

    @Test(arguments: [
        ("the moon is full", "found the state \\\"the moon is full\\\", expected one of: customer {customer} is known"),
        ("customer zoe is signed in", "expected ann"), ("the token is revoked", "found no token that was issued"),
        ("payees has an entry", "expected payments"), ("the token lacks the scope moon", "expected read"),
    ])
    func `an impossible states are reported`(_ state: String, _ words: String) async throws {
        try await withAdmin { admin in
            let response = try await enter(admin, state)

            #expect(response.status == 422, "\(response.text)")
            #expect(response.text.contains(words), "\(response.text)")
        }
    }

    @Test func `tearing down changes nothing and an empty state is none`() async throws {
        try await withAdmin { admin in
            let token = try await enter(admin, "customer ann is signed in").json["token"]?.string
            let over = #"{"state": "customer ann is signed in", "params": {}, "action": "teardown"}"#
            let (teardown, empty) = (
                try await admin.call("POST /sessions/till/provider-state", over), try await enter(admin, "")
            )
            let query = try await admin.call("POST /sessions/till/provider-state?state=customer%20bob%20is%20signed%20in&action=setup")

            #expect(teardown.status == 200, "\(query.text)")
            #expect(empty.status == 200, "\(query.text)")
            #expect(query.json["accounts"]?.string == "b1", "\(query.text)")
            #expect(try await status(admin, "GET /v1/accounts", token: token) == 200)
            for body in ["[]", "{", #"{"state": "", "colour": 1}"#, #"{"state": "", "action": "dance"}"#, #"{"params": {}}"#] {
                #expect(try await admin.call("POST /sessions/till/provider-state", body).status == 400, "\(body)")
            }
        }
    }

    @Test func `parameters are an object or nothing`() async throws {
        try await withAdmin { admin in
            let list = try await enter(admin, "customer ann is signed in", #"["x"]"#)
            let text = try await admin.call("POST /sessions/till/provider-state?state=customer%20ann%20is%20signed%20in&params=x")
            let nothing = try await enter(admin, "customer ann is signed in", "null")

            #expect(list.status == 400, "\(list.text)")
            #expect(list.text.contains("params: found a list, expected a mapping"), "\(list.text)")
            #expect(text.status == 400, "\(text.text)")
            #expect(nothing.status == 200, "\(nothing.text)")
        }
    }
}
