import BankCore
import BankEngine
import BankModel
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

@testable import BankAdmin

/// The shapes of responses in the OpenAPI document, held against real responses: no member less, and no member more.
@Suite struct DescribedResponseTests {
    private let api = DescribedAPI(document: AdminDocument(version: "1.2.3", server: "/", needsToken: false).json)

    /// Every mapping of a response, with its members; without those of rules, of which no response has all.
    private static let declared: [String: [FieldSchema]] = {
        let shared = Set([Schema.object(Rule.schema), Schema.object(Plan.schema)].flatMap(\.objects).map(\.name))
        let shapes = AdminCall.all.flatMap(\.allResponses).compactMap(\.schema).flatMap(\.objects).filter { !shared.contains($0.name) }
        let ofRules = Set(Rule.schema.keys)
        return Dictionary(shapes.map { ($0.name, $0.fields.filter { !ofRules.contains($0.key) }) }) { first, _ in first }
    }()

    /// Two payments with one key, a request that meets nothing, one with a fault, and one whose client goes on with a dead token.
    private func use(_ stub: Stub) async throws {
        let token = try stub.token()
        for _ in 1...2 { #expect(try await stub.ask(payment(key: "k", token: token)).status == 201) }
        let trace = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(try await stub.ask(request("GET /v1/nothing?a=b", headers: [trace])).status == 404)
        _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 503}}, "on": {"operation": "clock"}}"#))
        #expect(try await stub.ask(request("GET /v1/clock")).status == 503)
        try stub.till.revokeTokens()
        let client = try stub.client()
        for _ in 1...2 {
            await client.send(request("GET /v1/accounts", token: token))
            #expect(await client.response()?.status == 401)
        }
        _ = try await stub.till.ended(6)
    }

    /// A delivery that succeeds, one that is never sent, and one that waits with a fault.
    private func checkWebhooks(_ asked: inout Set<String>, _ seen: inout Set<String>) async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let path = "/sessions/{session}/webhooks"
            func check(_ call: String, _ body: String = "") async throws {
                let real = call.replacing("{session}", with: "till").replacing("{webhook}", with: "webhook-1")
                let described = call.replacing(" ", with: " /__admin")
                asked.insert(described)
                let response = try await admin.call(real, body)
                #expect(api.faults(in: response, to: described, seen: &seen) == [], "\(response.text)")
            }
            try await check("POST \(path)", #"{"url": "\#(admin.stub.server.address)/v1/hook", "sign": "jws"}"#)
            for fault in ["missing", "slow", "late"] {
                if fault != "slow" { try await check("POST \(path)/{webhook}/faults", #"{"fault": "\#(fault)"}"#) }
                _ = try await admin.call(
                    "POST /sessions/till/events", #"{"event": "payment-in", "account": "a1", "amount": "5.00"}"#)
            }
            while try admin.stub.till.webhooks.deliveries[1].attempts.isEmpty { await Task.yield() }
            try await check("GET \(path)")
            try await check("GET \(path)/{webhook}")
            try await check("POST \(path)/{webhook}/resend", "{}")
            try await check("POST \(path)/{webhook}/secret")
            try await check("DELETE \(path)/{webhook}")
        }
    }

    /// A challenged payment, which a test approves.
    private func checkChallenges(_ asked: inout Set<String>, _ seen: inout Set<String>) async throws {
        try await withAdmin(files: ChallengeStateTests.files.replacing("till/bank.yaml", "kind: decoupled", with: "kind: otp")) { admin in
            let token = try admin.stub.token()
            #expect(try await admin.stub.ask(payment(key: "k", token: token)).status == 403)
            for (call, body) in [("GET", ""), ("POST", #"{"decision": "approve"}"#)] {
                let response = try await admin.call("\(call) /sessions/till/challenges\(body.isEmpty ? "" : "/1")", body)
                let described = "\(call) /__admin/sessions/{session}/challenges\(body.isEmpty ? "" : "/{challenge}")"
                #expect(api.faults(in: response, to: described, seen: &seen) == [], "\(response.text)")
                asked.insert(described)
            }
        }
    }

    /// A consent that is revoked, its schedule, and a standing order that cannot be paid.
    private func checkConsents(_ asked: inout Set<String>, _ seen: inout Set<String>) async throws {
        try await withAdmin(files: ConsentCallTests.files) { admin in
            #expect(try await admin.stub.ask(request("GET /v1/authorize?\(SignInStateTests.asked)")).status == 200)
            let decision = #"{"decision": "approve", "login": "ann", "accounts": ["a1"]}"#
            #expect(try await admin.call("POST /sessions/till/authorizations/1", decision).status == 200)
            let id = try #require(try await admin.call("GET /sessions/till/consents").json["consents"]?.array?.first?["id"]?.string)
            for event in ["GET consents", "POST events", "POST schedule", "GET schedule", "GET schedule after"] {
                let words = event.split(separator: " ")
                if words.count == 3 { _ = try await admin.call("POST /sessions/till/clock/advance", #"{"by": "2d"}"#) }
                let when = words[1] == "schedule" ? #""in": "1d", "# : ""
                let body = words[0] == "GET" ? "" : #"{\#(when)"event": "consent-revoked", "consent": "\#(id)"}"#
                let response = try await admin.call("\(words[0]) /sessions/till/\(words[1])", body)
                let described = "\(words[0]) /__admin/sessions/{session}/\(words[1])"
                #expect(api.faults(in: response, to: described, seen: &seen) == [], "\(response.text)")
                asked.insert(described)
            }
        }
        try await withAdmin(files: TestFiles.withOrders) { admin in
            let tomorrow = try (admin.stub.till.now + .seconds(86_400)).rfc3339().prefix(10)
            let order = #"{"from": "a1", "to": "p1", "amount": "900.00", "starts": "\#(tomorrow)"}"#
            let token = try admin.stub.token()
            #expect(try await admin.stub.ask(request("POST /v1/plain", token: token, key: "o", body: order)).status == 201)
            _ = try await admin.call("POST /sessions/till/clock/advance", #"{"by": "2d"}"#)
            let schedule = try await admin.call("GET /sessions/till/schedule")
            #expect(api.faults(in: schedule, to: "GET /__admin/sessions/{session}/schedule", seen: &seen) == [], "\(schedule.text)")
        }
    }

    @Test func `every described member is there, and no other`() async throws {
        var seen: Set<String> = []
        var asked: Set<String> = []
        let storm = #"{"about": "A test.", "seed": 3, "entries": [{"rules": [{"fault": {"status": {"status": 503}}, "times": 1}]}]}"#
        let plans = PlanSource(names: { ["odd", "storm"] }) { name in try plan(name == "storm" ? storm : "{}", name: name) }
        try await withAdmin(token: "t", plans: plans) { admin in
            /// Sends a call and holds its response against the document.
            func check(_ call: String, id: String = "till", query: String = "", _ body: String = "", status: Int = 200) async throws {
                // The third exchange has all that one can have.
                let path = call.replacing("{session}", with: id).replacing("{seq}", with: "3").replacing("{name}", with: "storm")
                let described = call.replacing(" ", with: " /__admin")
                asked.insert(described)

                let response = try await admin.call(path + query, body, headers: ["Authorization: Bearer t"])

                #expect(response.status == status, "\(call): \(response.text)")
                #expect(api.faults(in: response, to: described, seen: &seen) == [])
            }
            try await use(admin.stub)

            for path in ["", "/openapi.json", "/health", "/version", "/banks", "/fault-kinds", "/outages", "/outages/{name}"] {
                try await check("GET \(path)")
            }
            let mine = #"{"bank": "till", "name": "mine", "listen": true, "labels": {"team": "ios"}, "ttl": "1h"}"#
            try await check("POST /sessions", mine, status: 201)
            try await check("PUT /sessions/{session}", id: "mine", mine)
            try await check("PUT /sessions/{session}", id: "yours", #"{"bank": "till", "plan": "storm"}"#, status: 201)
            for part in ["", "/journal", "/journal/har", "/journal/unmatched", "/journal/{seq}", "/verdict", "/ledger", "/balances"] {
                try await check("GET /sessions/{session}\(part)")
            }
            try await check("GET /sessions/{session}/journal", query: "?brief=true")
            for part in ["/clock", "/tokens", "/faults"] { try await check("GET /sessions/{session}\(part)") }
            try await check("PUT /sessions/{session}/clock", #"{"mode": "frozen"}"#)
            try await check("POST /sessions/{session}/clock/advance", #"{"by": "1m"}"#)
            try await check("POST /sessions/{session}/tokens", status: 201)
            try await check("POST /sessions/{session}/provider-state", #"{"state": ""}"#)
            try await check("POST /sessions/{session}/faults", #"{"fault": "close", "on": {"operation": "pay"}}"#, status: 201)
            try await check("POST /sessions/{session}/faults/release")
            try await check("POST /sessions/{session}/outage", #"{"name": "storm", "for": "5m"}"#, status: 201)
            let token = try admin.stub.token()
            for status in [503, 200] {
                #expect(try await admin.stub.ask(request("GET /v1/accounts", token: token)).status == status)
            }
            try await check("GET /sessions/{session}/outage")
            try await check("GET /sessions")
            try await check("POST /sessions", "{}", status: 400)
        }
        try await withAdmin(configure: { $0.node = ServerNode("n2") }) { admin in
            let version = try await admin.call("GET /version")
            #expect(api.faults(in: version, to: "GET /__admin/version", seen: &seen) == [])
        }
        try await withAdmin(files: SignInStateTests.files) { admin in
            for _ in 1...2 { #expect(try await admin.stub.ask(request("GET /v1/authorize?\(SignInStateTests.asked)")).status == 200) }
            let decided = try await admin.call("POST /sessions/till/authorizations/2", #"{"decision": "approve"}"#)
            let decide = "POST /__admin/sessions/{session}/authorizations/{authorization}"
            #expect(api.faults(in: decided, to: decide, seen: &seen) == [])
            let listed = try await admin.call("GET /sessions/till/authorizations")
            let list = "GET /__admin/sessions/{session}/authorizations"
            #expect(api.faults(in: listed, to: list, seen: &seen) == [])
            asked.formUnion([decide, list])
        }

        try await withAdmin(files: TestFiles.living) { admin in
            let call = "POST /__admin/sessions/{session}/events"
            asked.insert(call)
            for event in [
                #"{"event": "card-authorised", "account": "a1", "amount": "20.00"}"#, #"{"event": "card-captured"}"#,
                #"{"event": "card-refunded"}"#,
            ] {
                let made = try await admin.call("POST /sessions/till/events", event)
                #expect(api.faults(in: made, to: call, seen: &seen) == [], "\(made.text)")
            }
            let debit =
                #"{"in": "1d", "every": "month", "event": "direct-debit", "account": "a1", "amount": "900.00", "name": "A", "reference": "b"}"#
            let back = #"{"in": "1d", "event": "card-refunded", "payment": "movement-1", "amount": "900.00"}"#
            let returned = #"{"in": "9d", "event": "payment-returns", "payment": "movement-1", "reason": "AC04"}"#
            let later = "POST /__admin/sessions/{session}/schedule"
            let list = "GET /__admin/sessions/{session}/schedule"
            for step in 1...2 {
                for event in [debit, back, returned] {
                    let made = try await admin.call("POST /sessions/till/schedule", event)
                    #expect(api.faults(in: made, to: later, seen: &seen) == [], "\(made.text)")
                }
                if step == 1 { _ = try await admin.call("POST /sessions/till/clock/advance", #"{"by": "2d"}"#) }
            }
            let schedule = try await admin.call("GET /sessions/till/schedule")
            #expect(api.faults(in: schedule, to: list, seen: &seen) == [], "\(schedule.text)")
            asked.formUnion([later, list])
            let ledger = try await admin.call("GET /sessions/till/ledger")
            #expect(api.faults(in: ledger, to: "GET /__admin/sessions/{session}/ledger", seen: &seen) == [])
        }

        try await checkWebhooks(&asked, &seen)
        try await checkChallenges(&asked, &seen)
        try await checkConsents(&asked, &seen)

        let unasked = AdminCall.all.filter { call in
            call.responses.contains { $0.type == "application/json" } && !asked.contains(call.line)
        }
        #expect(unasked.map(\.line) == [])
        let found = Self.declared.filter { shape in seen.contains { $0.hasPrefix("\(shape.key).") } }
        let unseen = found.flatMap { shape in shape.value.map { "\(shape.key).\($0.key)" } }.filter { !seen.contains($0) }
        // A clear journal leaves no doubt, no exchange had several faults or was reset, and no outage has affected one.
        #expect(Set(Self.declared.keys).subtracting(found.keys).subtracting(["doubt", "one-of-several-faults"]) == [])
        #expect(Set(unseen).subtracting(["fault-of-an-exchange.all", "receipt.reset", "verdict.outage"]) == [])
    }
}
