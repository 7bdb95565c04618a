import BankCore
import BankEngine
import BankModel
import EventStore
import Foundation
import Platform
import StubServer
import Testing
import TestServer

/// Labels, lifetimes, tokens and quotas of sessions, for a server that many teams share.
@Suite struct SessionMetadataTests {
    private static let secret = ["Authorization: Bearer secret"]

    private func bearer(_ response: RawResponse) throws -> [String] {
        ["Authorization: Bearer \(try #require(response.json["token"]?.string))"]
    }

    // MARK: labels

    @Test func `a session is found by its labels`() async throws {
        try await withAdmin { admin in
            let made = try await admin.call(
                "POST /sessions", #"{"bank": "till", "name": "a", "labels": {"team": "ios", "run": "refs/pull/7 (x)"}}"#)
            #expect(made.status == 400)
            for (name, labels) in [("a", #"{"team": "ios", "run": "7"}"#), ("b", #"{"team": "ios"}"#), ("c", #"{"team": "web"}"#)] {
                let made = try await admin.call("POST /sessions", #"{"bank": "till", "name": "\#(name)", "labels": \#(labels)}"#)
                #expect(made.json["labels"]?["team"]?.string != nil)
            }

            func found(_ query: String) async throws -> [String?] {
                try await admin.call("GET /sessions?\(query)").json["sessions"]?.array?.map { $0["id"]?.string } ?? []
            }
            #expect(try await found("label=team=ios") == ["a", "b"])
            #expect(try await found("label=team%3Dios&label=run%3D7") == ["a"])
            #expect(try await found("label=team=io") == [])
            #expect(try await admin.call("GET /sessions?label=team").status == 400)
            #expect(try await admin.call("GET /sessions/a").json["labels"] == ["run": "7", "team": "ios"])
        }
    }

    @Test(arguments: [
        #"{"Team": "ios"}"#, #"{"": "ios"}"#, #"{"team": ""}"#, #"{"team": 7}"#, #"{"team": "a\u001b[2Jb"}"#, #"["team"]"#,
        "{" + (0...16).map { #""l\#($0)": "x""# }.joined(separator: ", ") + "}", #"{"team": "\#(String(repeating: "x", count: 64))"}"#,
        #"{"\#(String(repeating: "x", count: 64))": "ios"}"#,
    ])
    func `labels that are none are rejected, and no session is made`(_ labels: String) async throws {
        try await withAdmin { admin in
            let response = try await admin.call("POST /sessions", #"{"bank": "till", "name": "a", "labels": \#(labels)}"#)

            #expect(response.status == 400)
            #expect(response.json["detail"]?.string?.contains("labels") == true)
            #expect(admin.stub.server.registry.session("a") == nil)
        }
    }

    @Test func `a session has up to 16 labels, each name and value of up to 63 characters`() async throws {
        try await withAdmin { admin in
            let labels = (1...16).map { number in
                "\"\(String(repeating: "l", count: 61))\(number + 10)\": \"\(String(repeating: "v", count: 63))\""
            }
            let made = try await admin.call(
                "POST /sessions", #"{"bank": "till", "name": "a", "labels": {\#(labels.joined(separator: ","))}}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.json["labels"]?.object?.keys.count == 16)
        }
    }

    // MARK: lifetimes

    @Test func `a session is removed after its own time unused, another after the server's`() async throws {
        let machine = TestMachine()
        try await withStub(configure: { $0.clock = machine.clock }) { stub in
            let short = SessionMetadata(timeToLive: .seconds(10))
            _ = try await stub.server.openSession(bank: "till", name: "short", metadata: short)
            let long = try await stub.server.openSession(bank: "till", name: "long", metadata: SessionMetadata(timeToLive: .seconds(100)))
            _ = try await stub.server.openSession(bank: "till", name: "usual")
            func left(after seconds: Int64) -> [String] {
                machine.advance(seconds)
                stub.server.registry.removeUnused(for: 50_000_000_000)
                return stub.server.registry.all.map(\.id)
            }

            #expect(left(after: 10) == ["long", "short", "till", "usual"])
            #expect(left(after: 1) == ["long", "till", "usual"])
            #expect(left(after: 40) == ["long", "till"])
            #expect(left(after: 60) == ["till"])
            #expect(long.isClosed)
        }
    }

    // MARK: tokens

    @Test func `a session's own token allows its own calls, and no others`() async throws {
        try await withAdmin(token: "secret") { admin in
            let mine = try await admin.call("POST /sessions", #"{"bank": "till", "name": "mine"}"#, headers: SessionMetadataTests.secret)
            let yours = try await admin.call("PUT /sessions/yours", #"{"bank": "till"}"#, headers: SessionMetadataTests.secret)
            let own = try bearer(mine)

            for line in ["GET /sessions/mine", "GET /sessions/mine/journal", "POST /sessions/mine/reset", "DELETE /sessions/mine/faults"] {
                #expect(try await [200, 204].contains(admin.call(line, headers: own).status), "\(line)")
            }
            for line in [
                "GET /sessions", "POST /sessions", "GET /sessions/yours", "GET /sessions/mine-2", "GET /sessions/till/journal",
                "GET /metrics",
                "POST /shutdown", "GET /sessions/yours/../mine", "GET /sessions/%6Dine2",
            ] {
                #expect(try await admin.call(line, headers: own).status == 401, "\(line)")
            }
            #expect(try await admin.call("GET /sessions/mine", headers: bearer(yours)).status == 401)
            let detail = try await admin.call("GET /sessions", headers: own).json["detail"]?.string ?? ""
            #expect(detail.contains("found the token of the session mine"), "\(detail)")
            #expect(detail.contains("--session mine"), "\(detail)")
            let unknown = try await admin.call("GET /sessions", headers: ["Authorization: Bearer cfs_0"]).json["detail"]?.string
            #expect(unknown == "found another token, expected Authorization: Bearer and the token given as --admin-token")
            #expect(try await admin.call("DELETE /sessions/mine", headers: own).status == 204)
        }
    }

    @Test func `a token is reported once, and stands in no list`() async throws {
        try await withAdmin(token: "secret") { admin in
            let body = #"{"bank": "till"}"#
            let made = try await admin.call("PUT /sessions/mine", body, headers: SessionMetadataTests.secret)
            let token = try #require(made.json["token"]?.string)

            for line in ["PUT /sessions/mine", "GET /sessions", "GET /sessions/mine", "GET /sessions/mine/journal"] {
                let response = try await admin.call(line, line.hasPrefix("PUT") ? body : "", headers: SessionMetadataTests.secret)
                #expect(response.status == 200)
                #expect(!String(decoding: response.body, as: UTF8.self).contains(token), "\(line)")
            }
        }
        try await withAdmin { admin in
            let made = try await admin.call("POST /sessions", #"{"bank": "till"}"#)
            #expect(made.json["token"] == nil)
        }
    }

    // MARK: quotas

    @Test func `a label's quota is per value, and a removed session gives its slot back`() async throws {
        try await withAdmin(configure: { $0.quotas = ["team": 2] }) { admin in
            func make(_ team: String) async throws -> RawResponse {
                try await admin.call("POST /sessions", #"{"bank": "till", "labels": {"team": "\#(team)"}}"#)
            }
            let first = try await make("ios")
            #expect(try await make("ios").status == 201)

            let rejected = try await make("ios")

            #expect(rejected.status == 429)
            #expect(rejected.json["detail"]?.string?.contains("2 sessions labelled team=ios already exist") == true)
            #expect(try await make("web").status == 201)
            #expect(try await admin.call("POST /sessions", #"{"bank": "till"}"#).status == 201)
            #expect(admin.stub.server.registry.all.count == 5)
            _ = try await admin.call("DELETE /sessions/\(first.json["id"]?.string ?? "")")
            #expect(try await make("ios").status == 201)
        }
    }

    // MARK: PUT and restarts

    @Test func `another label or lifetime is a conflict`() async throws {
        try await withAdmin { admin in
            let wanted = #"{"bank": "till", "labels": {"team": "ios"}, "ttl": "10m"}"#
            _ = try await admin.call("PUT /sessions/mine", wanted)
            let label = try await admin.call("PUT /sessions/mine", #"{"bank": "till", "labels": {"team": "web"}}"#)
            let lifetime = try await admin.call("PUT /sessions/mine", #"{"bank": "till", "ttl": "11m"}"#)

            #expect(label.json["detail"]?.string?.contains("found team=ios, expected team=web") == true)
            #expect(lifetime.json["detail"]?.string?.contains("found 10m, expected 11m") == true)
            #expect(try await admin.call("PUT /sessions/mine", wanted).status == 200)
        }
    }

    @Test func `labels, lifetime and the token's digest come back with the state file, the token's text is not in it`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        var token: [String] = []
        try await withAdmin(token: "secret", configure: { $0.keep(in: file) }) { admin in
            let body = #"{"bank": "till", "name": "mine", "labels": {"team": "ios"}, "ttl": "10m"}"#
            token = try bearer(try await admin.call("POST /sessions", body, headers: SessionMetadataTests.secret))
            _ = try await admin.call("POST /sessions/mine/reset", headers: token)
        }
        let text = try #require(token.first?.split(separator: " ").last)
        for path in [file, file + "-journal"] {
            let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
            #expect(bytes.range(of: Data(text.utf8)) == nil)
        }

        try await withAdmin(token: "secret", configure: { $0.keep(in: file) }) { admin in
            let session = try await admin.call("GET /sessions/mine", headers: token)

            #expect(session.json["labels"] == ["team": "ios"])
            #expect(session.json["ttl"] == "10m")
        }
    }
}

/// A machine whose clocks stand until a test moves them.
private final class TestMachine: Sendable {
    private let passed = Locked<Int64>(0)

    var clock: MachineClock {
        MachineClock(
            now: { Instant(nanoseconds: 1_768_208_400_000_000_000 + self.passed.withLock { $0 }) },
            monotonic: { 1_000_000_000_000 + self.passed.withLock { $0 } })
    }

    func advance(_ seconds: Int64) { passed.withLock { $0 += seconds * 1_000_000_000 } }
}
