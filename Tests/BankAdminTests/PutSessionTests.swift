import BankEngine
import BankModel
import Foundation
import StubServer
import TestServer
import Testing

/// `PUT /__admin/sessions/{id}`: a session that is made once, however often it is asked for.
@Suite struct PutSessionTests {
    private static let wanted = #"{"bank": "till", "seed": 9, "clock": "2026-01-12T09:00:00Z"}"#

    @Test func `the first makes it, and the same again finds it`() async throws {
        try await withAdmin { admin in
            let first = try await admin.call("PUT /sessions/mine", PutSessionTests.wanted)
            let session = try #require(admin.stub.server.registry.session("mine"))
            let again = try await admin.call("PUT /sessions/mine", PutSessionTests.wanted)

            let statuses = [first.status, again.status]
            #expect(statuses == [201, 200])
            #expect(again.json["id"] == "mine")
            #expect(admin.stub.server.registry.session("mine") === session)
        }
    }

    @Test func `a session that was used, and whose clock has moved, is still the same`() async throws {
        try await withAdmin { admin in
            _ = try await admin.call("PUT /sessions/mine", PutSessionTests.wanted)
            _ = try await admin.call("POST /sessions/mine/clock/advance", #"{"by": "1h"}"#)

            #expect(try await admin.call("PUT /sessions/mine", PutSessionTests.wanted).status == 200)
            #expect(try await admin.call("PUT /sessions/mine", #"{"bank": "till"}"#).status == 200)
        }
    }

    @Test(arguments: [
        (#"{"bank": "till", "seed": 10}"#, "seed", "found 9, expected 10"),
        (#"{"bank": "till", "clock": "2026-01-12T09:00:01Z"}"#, "clock", "found 2026-01-12T09:00:00.000Z, frozen"),
        (#"{"bank": "till", "clock": {"now": "2026-01-12T09:00:00Z", "mode": "running"}}"#, "clock", "2026-01-12T09:00:00.000Z, running"),
        (#"{"bank": "till", "listen": true}"#, "listen", "found no separate port, expected a separate port without TLS"),
    ])
    func `another setting is a conflict that names both, and changes nothing`(
        _ body: String, _ setting: String, _ found: String
    ) async throws {
        try await withAdmin { admin in
            _ = try await admin.call("PUT /sessions/mine", PutSessionTests.wanted)

            let response = try await admin.call("PUT /sessions/mine", body)

            #expect(response.status == 409)
            #expect(response.json["detail"]?.string?.contains("with another \(setting)") == true)
            #expect(response.json["detail"]?.string?.contains(found) == true, "\(response.json)")
            #expect(try await admin.call("PUT /sessions/mine", PutSessionTests.wanted).status == 200)
        }
    }

    @Test func `a bank's own session is no other bank's, and an unknown bank is named`() async throws {
        try await withAdmin { admin in
            let own = try await admin.call("PUT /sessions/till", #"{"bank": "till"}"#)
            let unknown = try await admin.call("PUT /sessions/mine", #"{"bank": "tll"}"#)

            let statuses = [own.status, unknown.status]
            #expect(statuses == [200, 404])
            #expect(admin.stub.server.registry.session("mine") == nil)
        }
    }

    @Test(arguments: [
        ("mine", #"{"bank": "till", "name": "yours"}"#, 400), ("Mine", #"{"bank": "till"}"#, 400), ("mine", #"{"name": "mine"}"#, 400),
        ("default", #"{"bank": "till"}"#, 200),
    ])
    func `a name that is not the address's, and one that is none, are rejected`(_ id: String, _ body: String, _ status: Int) async throws {
        try await withAdmin { admin in
            let response = try await admin.call("PUT /sessions/\(id)", body)

            #expect(response.status == status)
        }
    }

    @Test func `on a node the id has the node's name`() async throws {
        try await withAdmin(configure: { $0.node = ServerNode("n2") }) { admin in
            let bare = try await admin.call("PUT /sessions/mine", #"{"bank": "till"}"#)
            let whole = try await admin.call("PUT /sessions/n2-mine", #"{"bank": "till", "name": "mine"}"#)
            let other = try await admin.call("PUT /sessions/n2-mine", #"{"bank": "till", "name": "yours"}"#)
            let elsewhere = try await admin.call("PUT /sessions/n1-mine", #"{"bank": "till"}"#)

            let statuses = [bare.status, whole.status, other.status, elsewhere.status]
            #expect(statuses == [201, 200, 400, 421])
            #expect(bare.json["id"] == "n2-mine")
            #expect(whole.json["id"] == "n2-mine")
            #expect(admin.stub.server.registry.all.map(\.id) == ["n2-mine", "till"])
        }
    }

    @Test func `a default on a node is a session like others`() async throws {
        try await withAdmin(configure: { $0.node = ServerNode("n2") }) { admin in
            let made = try await admin.call("PUT /sessions/default", #"{"bank": "till"}"#)

            #expect(made.status == 201)
            #expect(made.json["id"] == "n2-default")
        }
    }

    @Test func `a session is made once, however many ask for it at the same time`() async throws {
        try await withAdmin { admin in
            let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 1...8 { group.addTask { try await admin.call("PUT /sessions/mine", PutSessionTests.wanted).status } }
                return try await group.reduce(into: [Int?]()) { $0.append($1) }
            }

            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.filter { $0 == 200 }.count == 7)
        }
    }

    @Test func `a session that came back from a state file is the same`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        var statuses: [Int?] = []
        for _ in 1...2 {
            try await withAdmin(configure: { $0.keep(in: file) }) { admin in
                statuses.append(try await admin.call("PUT /sessions/mine", PutSessionTests.wanted).status)
            }
        }
        try await withAdmin(configure: { $0.keep(in: file) }) { admin in
            let response = try await admin.call("PUT /sessions/mine", #"{"bank": "till", "seed": 10}"#)

            #expect(statuses == [201, 200])
            #expect(response.status == 409)
        }
    }
}
