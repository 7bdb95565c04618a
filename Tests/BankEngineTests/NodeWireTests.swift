import BankCore
import BankEngine
import BankModel
import EventStore
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// A node on HTTP/2, with several banks and with refreshes in JSON; and what its admin API lets one do to default sessions.
@Suite struct NodeWireTests {
    private func asNode(_ configuration: inout ServerConfiguration) {
        configuration.node = ServerNode("n2")
        configuration.servesDefaultSessions = false
    }

    private func fields(
        _ method: String, _ path: String, _ more: [(name: String, value: String)] = []
    ) -> [(name: String, value: String)] {
        [(":method", method), (":scheme", "http"), (":authority", "bank"), (":path", path)] + more
    }

    @Test func `on HTTP/2 a refresh by the token alone reaches its session, and no other request does`() async throws {
        try await withStub(configure: asNode) { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            let refresh = try #require(try session.issueTokens(login: "ann").refresh?.text)
            let client = try await HTTP2Client(stub)
            let form = [(name: "content-type", value: "application/x-www-form-urlencoded")]

            let streams = [
                await client.send(fields("POST", "/v1/token", form), body: "grant_type=refresh_token&refresh_token=\(refresh)"),
                await client.send(fields("POST", "/v1/token", form), body: "grant_type=refresh_token&refresh_token=cf_n1-a_0_abcdefgh"),
                await client.send(fields("POST", "/v1/token", form), body: "grant_type=refresh_token&refresh_token=cf_n2-gone_0_abcdefgh"),
                await client.send(fields("POST", "/v1/token", form), body: "grant_type=refresh_token&refresh_token=x"),
                await client.get("/v1/clock"), await client.get("/s/n1-a/v1/clock"), await client.get("/s/n2-mine/v1/clock"),
            ]
            await client.read { $0.haveEnded(streams) }

            #expect(streams.map { client.streams[$0]?.status } == [200, 421, 404, 421, 421, 421, 200])
            #expect(Set(await session.ended(2).map(\.operation)) == ["renew", "clock"])
            #expect(try stub.till.journal().entries.isEmpty)
        }
    }

    @Test func `with several banks a refresh finds the session under its bank's path only`() async throws {
        try await withStub(twoBanks()) { stub in
            let session = try await stub.server.openSession(bank: "safe", name: "mine")
            let refresh = try #require(try session.issueTokens(login: "ann").refresh?.text)
            func renewal(_ path: String) -> String {
                request(
                    "POST \(path)", headers: ["Content-Type: application/x-www-form-urlencoded"],
                    body: "grant_type=refresh_token&refresh_token=\(refresh)")
            }

            #expect(try await stub.ask(renewal("/till/v1/token")).status == 400)
            #expect(try await stub.ask(renewal("/safe/v1/token")).status == 200)
            #expect(await session.ended(1).map(\.operation) == ["renew"])
        }
    }

    @Test func `a client's own Basic credentials do not hide the refresh token`() async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            let refresh = try #require(try session.issueTokens(login: "ann").refresh?.text)

            let response = try await stub.ask(
                request(
                    "POST /v1/token",
                    headers: ["Content-Type: application/x-www-form-urlencoded", "Authorization: Basic YXBwOnNlY3JldA=="],
                    body: "grant_type=refresh_token&refresh_token=\(refresh)"))

            #expect(response.status == 200)
            #expect(await session.ended(1).map(\.operation) == ["renew"])
        }
    }

    @Test func `a refresh in JSON reaches its session too`() async throws {
        let files = TestFiles()
            .replacing("till/bank.yaml", "when: {form: {grant_type: refresh_token}}", with: "when: {body: {grant_type: refresh_token}}")
            .replacing("till/bank.yaml", "takes: {form: [refresh_token]}", with: "takes: {json: [refresh_token, grant_type]}")
            .replacing(
                "till/bank.yaml", "grant: {refresh: {token: {form: refresh_token}}}",
                with: "grant: {refresh: {token: {body: refresh_token}}}")
        try await withStub([source(files)]) { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")
            let refresh = try #require(try session.issueTokens(login: "ann").refresh?.text)

            let response = try await stub.ask(
                request(
                    "POST /v1/token", headers: ["Content-Type: application/json"],
                    body: #"{"grant_type": "refresh_token", "refresh_token": "\#(refresh)"}"#))

            #expect(response.status == 200)
            #expect(await session.ended(1).map(\.operation) == ["renew"])
        }
    }

    @Test(arguments: ["grant_type=refresh_token&refresh_token=", "grant_type=refresh_token", "%", "{", "cf_mine_0_x", "[1"])
    func `a body that names no session is the bank's own to reject`(_ body: String) async throws {
        try await withStub { stub in
            let session = try await stub.server.openSession(bank: "till", name: "mine")

            let response = try await stub.ask(
                request("POST /v1/token", headers: ["Content-Type: application/x-www-form-urlencoded"], body: body))

            #expect((400..<500).contains(response.status))
            #expect(try await stub.till.ended(1).count == 1)
            #expect(session.journal().entries.isEmpty)
        }
    }

    // MARK: the admin API

    @Test func `a default session that does not answer is listed, and cannot be changed`() async throws {
        try await withAdmin(configure: asNode) { admin in
            for line in ["POST /sessions/till/faults", "POST /sessions/default/tokens", "POST /sessions/till/reset"] {
                let response = try await admin.call(line, line.hasSuffix("faults") ? #"{"fault": "close"}"# : "{}")
                #expect(response.status == 421, "\(line)")
                #expect(response.json["detail"]?.string?.contains("POST /__admin/sessions creates one") == true)
            }
            #expect(try await admin.call("GET /sessions/till/clock").status == 200)
            #expect(try await admin.call("GET /sessions").json["sessions"]?.array?.count == 1)
            #expect(try admin.stub.till.tokens.isEmpty)
        }
    }

    @Test func `a rejection of bytes that are no request names the node too`() async throws {
        try await withAdmin(configure: asNode) { admin in
            let responses = await admin.responses(to: ["GET /__admin HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"])

            #expect(responses.map(\.status) == [400])
            #expect(responses.first?.header("X-Counterfoil-Node") == "n2")
        }
    }

    // MARK: state files

    @Test func `a node rejects a state file with sessions that no node has made, and leaves it as it is`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        try await withStub(configure: { $0.keep(in: file) }) { stub in
            _ = try await stub.server.openSession(bank: "till", name: "mine")
        }

        let error = await #expect(throws: ServerError.self) {
            try await withStub(
                configure: {
                    asNode(&$0)
                    $0.keep(in: file)
                }, { _ in })
        }

        #expect(error?.description.contains("found the session mine in \(file), which has no node prefix") == true)
        try await withStub(configure: { $0.keep(in: file) }) { stub in
            #expect(stub.server.registry.all.map(\.id) == ["mine", "till"])
        }
    }
}
