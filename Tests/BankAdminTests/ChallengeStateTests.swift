import BankCore
import BankEngine
import BankModel
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// Challenges over the wire: the admin calls that decide them, and what a state file and the journal keep of them.
@Suite struct ChallengeStateTests {
    /// The small bank, in which payments are challenged.
    static let files = TestFiles().replacing(
        "till/bank.yaml", "roles: {login:", with: "challenges: {on: true, kind: decoupled}\nroles: {login:"
    ).replacing("till/bank.yaml", "  pay:\n", with: "  pay:\n    step_up: always\n")

    /// The small bank with a sign-in page, on which challenged payments are approved.
    private static let pageFiles = SignInStateTests.files.replacing(
        "till/bank.yaml", "roles: {login:", with: "challenges: {on: true, kind: redirect}\nroles: {login:"
    ).replacing("till/bank.yaml", "  pay:\n", with: "  pay:\n    step_up: always\n")

    private static let order = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#

    @Test func `a test lists and decides challenges`() async throws {
        try await withAdmin(files: Self.files) { admin in
            let calls = "POST /sessions/till/challenges"
            let token = try admin.stub.till.issueTokens(login: "ann").access.text
            #expect(try await pay(admin.stub, token, key: "k1").status == 403)
            #expect(try await pay(admin.stub, token, key: "k2").status == 403)

            let approved = try await admin.call("\(calls)/1", #"{"decision": "approve"}"#)
            let denied = try await admin.call("\(calls)/2", #"{"decision": "deny"}"#)

            #expect(approved.json["state"] == "approved" && approved.json["login"] == "ann" && approved.json["operation"] == "pay")
            #expect(denied.json["state"] == "denied")
            #expect(try await admin.call("\(calls)/1", #"{"decision": "deny"}"#).status == 409)
            #expect(try await admin.call("\(calls)/3", #"{"decision": "deny"}"#).status == 404)
            #expect(try await admin.call("\(calls)/x", #"{"decision": "deny"}"#).status == 404)
            #expect(try await admin.call("\(calls)/1", #"{"decision": "maybe"}"#).status == 400)
            let listed = try await admin.call("GET /sessions/till/challenges").json["challenges"]?.array ?? []
            #expect(listed.compactMap { $0["state"]?.string } == ["approved", "denied"])
            #expect(try admin.stub.till.ledger.movements.map(\.key) == ["k1"])
            #expect(try await pay(admin.stub, token, key: "k1").status == 201)
            #expect(try admin.stub.till.ledger.movements.count == 1)
        }
    }

    @Test func `a session says whether it challenges`() async throws {
        try await withAdmin(files: Self.files) { admin in
            let made = try await admin.call("POST /sessions", #"{"bank": "till", "name": "calm", "challenges": "off"}"#)
            #expect(made.status == 201)
            #expect(try await admin.call("PUT /sessions/calm", #"{"bank": "till", "challenges": "off"}"#).status == 200)
            #expect(try await admin.call("PUT /sessions/calm", #"{"bank": "till", "challenges": "otp"}"#).status == 409)
        }
    }

    @Test func `a held payment is made after a restart, once`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        var token = ""
        try await withStub([source(Self.files)], configure: { $0.keep(in: file) }) { stub in
            token = try stub.till.issueTokens(login: "ann").access.text
            #expect(try await pay(stub, token, key: "k1").status == 403)
            try await stub.till.durable()
        }
        try await withStub([source(Self.files)], configure: { $0.keep(in: file) }) { stub in
            #expect(try stub.till.ledger.movements.isEmpty)
            #expect(try stub.till.decide(approves: true).stage == .approved)
            try await stub.till.durable()
        }
        try await withStub([source(Self.files)], configure: { $0.keep(in: file) }) { stub in
            let till = try stub.till
            #expect(till.ledger.movements.map(\.key) == ["k1"])
            #expect(try await pay(stub, token, key: "k1").status == 201)
            #expect(till.ledger.movements.count == 1)
        }
    }

    @Test func `a page decides after a restart, once`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        var (token, form) = ("", "")
        try await withStub([source(Self.pageFiles)], configure: { $0.keep(in: file) }) { stub in
            token = try stub.till.issueTokens(login: "ann").access.text
            #expect(try await pay(stub, token, key: "k1").status == 403)
            form = try await openPage(stub).form
            try await stub.till.durable()
        }
        try await withStub([source(Self.pageFiles)], configure: { $0.keep(in: file) }) { stub in
            let till = try stub.till
            let answer = try await stub.ask(form)
            #expect(answer.status == 303)
            #expect(answer.header("Location")?.hasPrefix("app:/back?challenge=challenge-1&state=s2") == true)
            #expect(try await stub.ask(form).status == 400)
            #expect(till.ledger.movements.map(\.key) == ["k1"])
            try await till.durable()
        }
        try await withStub([source(Self.pageFiles)], configure: { $0.keep(in: file) }) { stub in
            let till = try stub.till
            #expect(till.challenges.map(\.stage) == [.approved])
            #expect(try await pay(stub, token, key: "k1").status == 201)
            #expect(till.ledger.movements.count == 1)
        }
    }

    @Test func `neither journal nor admin API has a secret of the page`() async throws {
        try await withAdmin(files: Self.pageFiles) { admin in
            let token = try admin.stub.till.issueTokens(login: "ann").access.text
            #expect(try await pay(admin.stub, token, key: "k1").status == 403)
            let (value, form) = try await openPage(admin.stub)
            #expect(try await admin.stub.ask(form).status == 303)
            _ = try await admin.stub.till.ended(3)

            let journal = try await admin.call("GET /sessions/till/journal").text
            let listed = try await admin.call("GET /sessions/till/authorizations").text

            for secret in ["apple", value] { #expect(!journal.contains(secret) && !listed.contains(secret), "\(secret)") }
            #expect(listed.contains("challenge=challenge-1"))
        }
    }

    /// Opens the page of the first challenge.
    ///
    /// - Returns: the value of its form's hidden field, and the request that approves.
    private func openPage(_ stub: Stub) async throws -> (value: String, form: String) {
        let page = try await stub.ask(request("GET /v1/authorize?challenge=challenge-1&client_id=app&state=s2"))
        let value = String(try #require(page.text.firstMatch(of: /name="csrf_token" value="([^"]+)"/)).1)
        let form = request("POST /v1/authorize", body: "csrf_token=\(value)&username=ann&password=apple&decision=approve")
        return (value, form)
    }

    private func pay(_ stub: Stub, _ token: String, key: String) async throws -> RawResponse {
        try await stub.ask(
            request(
                "POST /v1/payments",
                headers: ["Authorization: Bearer \(token)", "Idempotency-Key: \(key)", "Content-Type: application/json"],
                body: Self.order))
    }
}
