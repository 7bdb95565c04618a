import BankCore
import BankEngine
import BankModel
import Foundation
import StubServer
import TestBanks
import Testing

/// Challenges over the wire: the admin calls that decide them, and what a state file and the journal keep of them.
@Suite struct ChallengeStateTests {
    /// The small bank, in which payments are challenged.
    static let files = TestFiles().replacing(
        "till/bank.yaml", "roles: {login:", with: "challenges: {on: true, kind: decoupled}\nroles: {login:"
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
        let file = NSTemporaryDirectory() + "counterfoil-challenges-\(UUID().uuidString).sqlite"
        defer { for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
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

    private func pay(_ stub: Stub, _ token: String, key: String) async throws -> RawReply {
        try await stub.ask(
            request(
                "POST /v1/payments",
                headers: ["Authorization: Bearer \(token)", "Idempotency-Key: \(key)", "Content-Type: application/json"],
                body: Self.order))
    }
}
