import BankCore
import BankEngine
import BankModel
import EventStore
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// One of several servers behind a proxy: its ids, what it answers, and what it leaves to others.
@Suite struct NodeTests {
    private func asNode(_ name: String, standing: Bool = false) -> (inout ServerConfiguration) -> Void {
        { configuration in
            configuration.node = ServerNode(name)
            configuration.servesDefaultSessions = standing
        }
    }

    private func form(_ line: String, _ body: String, headers: [String] = []) -> String {
        request(line, headers: ["Content-Type: application/x-www-form-urlencoded"] + headers, body: body)
    }

    // MARK: names

    @Test(arguments: ["", "N2", "n-2", "n_2", "ñ", String(repeating: "n", count: 21)])
    func `a node's name is 1 to 20 of a-z and 0-9`(_ name: String) {
        #expect(ServerNode(name) == nil)
        #expect(ServerNode(String(repeating: "n", count: 20)) != nil)
    }

    @Test func `the ids of all sessions begin with the node's name, given by the server or by name`() async throws {
        try await withAdmin(configure: asNode("n2")) { admin in
            let named = try await admin.call("POST /sessions", #"{"bank": "till", "name": "mine"}"#)
            let own = try await admin.call("POST /sessions", #"{"bank": "till"}"#)
            let whole = try await admin.call("POST /sessions", #"{"bank": "till", "name": "n2-yours"}"#)

            #expect(named.json["id"] == "n2-mine")
            #expect(own.json["id"]?.string?.hasPrefix("n2-till-") == true)
            #expect(whole.json["id"] == "n2-yours")
            #expect(named.json["base_url"]?.string?.hasSuffix("/s/n2-mine") == true)
            #expect(named.header("X-Counterfoil-Node") == "n2")
        }
    }

    @Test func `a name that is too long with the node's is rejected`() async throws {
        try await withAdmin(configure: asNode("n2")) { admin in
            let name = String(repeating: "m", count: 61)

            let response = try await admin.call("POST /sessions", #"{"bank": "till", "name": "\#(name)"}"#)

            #expect(response.status == 400)
            #expect(response.json["detail"]?.string?.contains("1 to 63") == true)
            #expect(try await admin.call("POST /sessions", #"{"bank": "till", "name": "\#(name.dropLast())"}"#).status == 201)
        }
    }

    @Test func `every admin response names the node, probes and problems too, and no other server's does`() async throws {
        try await withAdmin(token: "secret", configure: asNode("n2")) { admin in
            for line in ["GET /livez", "GET /readyz", "GET /__admin/version", "GET /nothing"] {
                #expect(try await admin.ask(line).header("X-Counterfoil-Node") == "n2", "\(line)")
            }
            let version = try await admin.call("GET /version", headers: ["Authorization: Bearer secret"])
            #expect(version.json["node"] == "n2")
        }
        try await withAdmin { admin in
            let version = try await admin.call("GET /version")
            #expect(version.header("X-Counterfoil-Node") == nil)
            #expect(version.json["node"] == nil)
        }
    }

    // MARK: other nodes

    @Test(arguments: ["GET /s/n1-a/v1/clock", "GET /v1/clock"])
    func `a request for another node's session is misdirected`(_ line: String) async throws {
        try await withStub(configure: asNode("n2", standing: true)) { stub in
            let asks =
                line.contains("/s/")
                ? [request(line)]
                : [
                    request(line, headers: ["X-Counterfoil-Session: n1-a"]),
                    request(line, token: "cf_n1-a_0_abcdefghijklmnopqrstuvwxyz"),
                ]
            for ask in asks {
                let response = try await stub.ask(ask)

                #expect(response.status == 421)
                #expect(response.json["detail"]?.string?.contains("send the request to n1") == true)
            }
            #expect(try stub.till.journal().entries.isEmpty)
        }
    }

    @Test func `the admin API distinguishes another node's session from one that is gone`() async throws {
        try await withAdmin(configure: asNode("n2")) { admin in
            let elsewhere = try await admin.call("GET /sessions/n1-a/clock")
            let gone = try await admin.call("DELETE /sessions/n2-a")
            let unknown = try await admin.call("GET /sessions/a")

            #expect(elsewhere.status == 421)
            #expect(elsewhere.json["detail"]?.string?.contains("n1-a is a session of the node n1, and this is the node n2") == true)
            #expect(gone.status == 404)
            #expect(gone.json["detail"]?.string?.contains("the node n2 has run since 20") == true)
            #expect(gone.json["detail"]?.string?.contains("restored 0 sessions") == true)
            #expect(unknown.status == 404)
        }
    }

    @Test(arguments: [
        request("GET /s/n2-a/v1/clock"), request("GET /v1/clock", headers: ["X-Counterfoil-Session: n2-a"]),
        request("GET /v1/clock", token: "cf_n2-a_0_abcdefghijklmnopqrstuvwxyz"),
    ])
    func `a session that is gone is not found on the wire, and the response shows since when the node runs`(ask: String) async throws {
        try await withStub(configure: asNode("n2")) { stub in
            let response = try await stub.ask(ask)

            #expect(response.status == 404)
            #expect(response.json["detail"]?.string?.contains("the node n2 has run since 20") == true)
        }
    }

    // MARK: default sessions

    @Test func `the default session of a node answers only with an option`() async throws {
        try await withStub(configure: asNode("n2")) { stub in
            for ask in [
                request("GET /v1/clock"), request("GET /s/till/v1/clock"),
                request("GET /v1/clock", headers: ["X-Counterfoil-Session: default"]),
                request("GET /v1/clock", token: try stub.token()),
            ] {
                let response = try await stub.ask(ask)
                #expect(response.status == 421)
                #expect(response.json["detail"]?.string?.contains("POST /__admin/sessions") == true)
            }
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            #expect(try await stub.ask(request("GET /s/n2-mine/v1/clock")).status == 200)
            #expect(session.id == "n2-mine")
        }
        try await withStub(configure: asNode("n2", standing: true)) { stub in
            let response = try await stub.ask(request("GET /v1/clock"))
            #expect(response.status == 200)
        }
    }

    @Test func `two nodes with one seed issue different tokens, and one node the same again`() async throws {
        func tokens(_ node: String?) async throws -> [String] {
            var texts: [String] = []
            try await withStub(configure: { $0.node = node.flatMap { ServerNode($0) } }) { stub in
                let named = try await stub.server.openSession(bank: "till", name: "mine")
                texts = [try stub.token(), try named.issueTokens(login: "ann").access.text]
            }
            return texts
        }
        let n1 = try await tokens("n1")

        #expect(try await tokens("n1") == n1)
        #expect(try await Set(n1).isDisjoint(with: tokens("n2")))
        #expect(try await Set(n1).isDisjoint(with: tokens(nil)))
    }

    // MARK: a refresh by the token alone

    @Test(arguments: [nil, "n2"])
    func `a refresh and a revocation by the token alone reach its session`(_ node: String?) async throws {
        try await withStub(configure: { $0.node = node.flatMap { ServerNode($0) } }) { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            let refresh = try #require(try session.issueTokens(login: "ann").refresh?.text)
            let client = try stub.client()

            // On one connection, with the same head as the login before it.
            await client.send(
                form("POST /v1/token", "grant_type=refresh_token&refresh_token=\(String(repeating: "x", count: refresh.count))"))
            let unknown = await client.response()
            await client.send(form("POST /v1/token", "grant_type=refresh_token&refresh_token=\(refresh)"))
            let renewed = await client.response()
            await client.send(form("POST /v1/revoke", "token=\(renewed?.json["refresh"]?.string ?? "")"))
            let revoked = await client.response()

            #expect([unknown?.status, renewed?.status, revoked?.status] == [400, 200, 200])
            #expect(await session.ended(2).map(\.operation) == ["renew", "revoke"])
            #expect(try await stub.till.ended(1).map(\.operation) == ["renew"])
        }
    }

    @Test func `a refresh token of another node is misdirected`() async throws {
        try await withStub(configure: asNode("n2", standing: true)) { stub in
            let response = try await stub.ask(
                form("POST /v1/token", "grant_type=refresh_token&refresh_token=cf_n1-a_0_abcdefghijklmnopqrstuvwxyz"))

            #expect(response.status == 421)
        }
    }

    @Test func `a session's text in any other field names nothing`() async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            let refresh = try #require(try session.issueTokens(login: "ann").refresh?.text)

            _ = try await stub.ask(form("POST /v1/token", "grant_type=password&username=\(refresh)&password=x"))

            #expect(try await stub.till.ended(1).map(\.operation) == ["signIn"])
            #expect(session.journal().entries.isEmpty)
        }
    }

    // MARK: state files

    @Test func `a node rejects the state file of another node, and leaves it as it is`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        func life(_ node: String, _ test: (Stub) async throws -> Void) async throws {
            try await withStub(
                configure: {
                    asNode(node)(&$0)
                    $0.keep(in: file)
                }, test)
        }
        try await life("n1") { stub in _ = try await stub.server.openSession(bank: "till", name: "mine") }

        let error = await #expect(throws: ServerError.self) { try await life("n2") { _ in } }

        #expect(
            error?.description.contains(
                "found the session n1-mine in \(file), which belongs to the node n1, expected only sessions of the node n2"
            ) == true)
        try await life("n1") { stub in
            #expect(stub.server.registry.session("n1-mine") != nil)
            #expect(stub.server.registry.absence(of: "n1-yours").description.contains("when it restored 1 session"))
        }
    }

    @Test func `a second process with the same state file is rejected`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        try await withStub(configure: { $0.keep(in: file) }) { _ in
            let error = await #expect(throws: ServerError.self) { try await withStub(configure: { $0.keep(in: file) }) { _ in } }

            #expect(error?.description.contains(file) == true)
        }
    }
}
