import BankEngine
import BankModel
import Faults
import StubServer
import Testing
import TestServer

@testable import BankAdmin

/// The admin API's OpenAPI document, held against what is routed and what is answered.
@Suite struct AdminDocumentTests {
    private let api = DescribedAPI(document: AdminDocument(version: "1.2.3", server: "/", needsToken: false).json)

    /// The calls that end the server.
    private static let ends: Set<String> = ["POST /__admin/shutdown", "POST /__admin/drain"]

    @Test func `only calls that make or remove a session are not within it`() {
        let withSession = AdminCall.all.filter { $0.path.contains("{session}") }.map(\.name)
        let ofSession = AdminCall.all.filter { if case .ofSession = $0.answer { true } else { false } }.map(\.name)

        #expect(Set(withSession).subtracting(ofSession) == ["putSession", "deleteSession"])
        #expect(Set(ofSession).isSubset(of: withSession))
    }

    @Test func `each call answers with a described status, type and body`() async throws {
        try await withAdmin { admin in
            var seen: Set<String> = []
            for call in api.calls where !Self.ends.contains(call) {
                let asked = call.replacing("{session}", with: "till").replacing("{seq}", with: "1").replacing(/\{[^}]*\}/, with: "x")
                let response = try await admin.ask(asked)

                #expect(api.faults(in: response, to: call, seen: &seen) == [])
                #expect(response.json["detail"]?.string?.contains("no admin call") != true, "\(call): \(response.text)")
            }
            #expect(api.calls.count == AdminCall.all.count)
        }
    }

    @Test(arguments: [
        ("POST /sessions", #"{"bank": "nothing"}"#, 404), ("POST /sessions", #"{"bank": "till", "name": "till"}"#, 409),
        ("POST /sessions", #"{"bank": "till", "nmae": "a"}"#, 400), ("POST /sessions", "{", 400),
        ("POST /sessions", #"{"bank": "till", "listen": "tls"}"#, 422), ("POST /sessions", #"{"bank": "till", "listen": ["tls"]}"#, 400),
        ("POST /sessions", String(repeating: " ", count: 1_048_577), 413),
        ("POST /sessions", #"{"bank": "till", "plan": "x"}"#, 404), ("DELETE /sessions/{session}", "", 409),
        ("PUT /sessions/{session}", #"{"bank": "till", "seed": 8}"#, 409), ("PUT /sessions/{session}", #"{"bank": "x"}"#, 409),
        ("PUT /sessions/{session}/clock", #"{"now": "2001-01-01T00:00:00Z"}"#, 422),
        ("POST /sessions/{session}/tokens", #"{"login": "zoe"}"#, 422),
        ("POST /sessions/{session}/tokens/revoke", #"{"token": "token#9"}"#, 404),
        ("POST /sessions/{session}/restore", "", 409), ("POST /sessions/{session}/faults", #"{"fault": "cloze"}"#, 400),
        ("POST /sessions/{session}/faults", #"{"fault": "close", "on": {"operation": "x"}}"#, 422),
        ("POST /sessions/{session}/provider-state", #"{"state": "all is well"}"#, 422),
        ("POST /sessions/{session}/outage", #"{"name": "x"}"#, 404),
    ])
    func `a rejection is described`(_ line: String, _ body: String, _ status: Int) async throws {
        try await withAdmin { admin in
            var seen: Set<String> = []
            let call = line.replacing(" ", with: " /__admin", maxReplacements: 1)

            let response = try await admin.call(line.replacing("{session}", with: "till"), body)

            #expect(response.status == status, "\(response.text)")
            #expect(api.faults(in: response, to: call, seen: &seen) == [])
            #expect(response.json["detail"]?.string?.isEmpty == false)
        }
    }

    @Test func `rejections of strangers, and of what other nodes have, are described`() async throws {
        func aside(_ configuration: inout ServerConfiguration) {
            configuration.node = ServerNode("n2")
            configuration.servesDefaultSessions = false
        }
        try await withAdmin(token: "t", configure: aside) { admin in
            var seen: Set<String> = []
            let known = ["Authorization: Bearer t"]
            let responses = [
                ("GET /__admin/health", try await admin.call("GET /health")),
                ("GET /__admin/health", try await admin.call("GET /health", host: "bank.example", headers: known)),
                ("GET /__admin/sessions/{session}", try await admin.call("GET /sessions/n1-mine", headers: known)),
                ("PUT /__admin/sessions/{session}", try await admin.call("PUT /sessions/n1-a", #"{"bank": "till"}"#, headers: known)),
                ("POST /__admin/sessions/{session}/reset", try await admin.call("POST /sessions/till/reset", headers: known)),
            ]

            #expect(responses.map { $0.1.status } == [401, 403, 421, 421, 421])
            for (call, response) in responses { #expect(api.faults(in: response, to: call, seen: &seen) == []) }
        }
    }

    @Test func `a body's keys are described`() throws {
        for call in AdminCall.all {
            guard case .object(let body)? = call.body else { continue }

            let described = api.component(body.name)?["properties"]?.object?.keys

            #expect(described == body.keys, "\(call.line)")
        }
    }

    @Test func `a name stands for one call, and for one mapping`() {
        let names = AdminCall.all.map(\.name)
        var keys: [String: [String]] = [:]
        for object in AdminCall.all.flatMap({ [$0.body].compactMap(\.self) + $0.allResponses.compactMap(\.schema) }).flatMap(\.objects) {
            #expect(keys.updateValue(object.keys, forKey: object.name) ?? object.keys == object.keys, "\(object.name)")
        }

        #expect(Set(names).count == names.count)
        #expect(keys.count > 50)
    }

    @Test func `it is served with the address and the token that the server has`() async throws {
        try await withAdmin(token: "t", publicURL: "https://mock.example/admin") { admin in
            let stranger = try await admin.call("GET /openapi.json")
            let served = try await admin.call("GET /openapi.json", headers: ["Authorization: Bearer t"])

            #expect(stranger.status == 401)
            #expect(served.header("Content-Type") == "application/json")
            #expect(served.json["servers"] == [["url": "https://mock.example/admin"]])
            #expect(served.json["security"] == [["bearer": []]])
            #expect(served.json["paths"] == api.document["paths"])
            #expect(served.json["components"] == api.document["components"])
        }
    }

    @Test func `a method is offered only where the router has it`() async throws {
        try await withAdmin { admin in
            let release = try await admin.call("DELETE /sessions/till/faults/release")
            let rule = try await admin.call("POST /sessions/till/faults/rule-1")

            let statuses = [release.status, rule.status]
            #expect(statuses == [405, 405])
            #expect(release.header("Allow") == "POST")
            #expect(rule.header("Allow") == "DELETE")
        }
    }
}
