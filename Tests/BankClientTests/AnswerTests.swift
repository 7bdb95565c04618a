import BankClient
import BankModel
import DriverProtocol
import Foundation
import Testing

/// The meaning of answers, by dialect, and their effect on the sign-in.
struct AnswerTests {
    @Test(
        arguments: [
            (400, ClientError.rejected), (401, .unauthorized), (403, .forbidden), (404, .notFound), (405, .rejected), (409, .conflict),
            (410, .notFound), (415, .rejected), (422, .rejected), (429, .rateLimited), (500, .unavailable), (502, .unavailable),
            (503, .unavailable), (504, .unavailable), (418, .rejected), (599, .unavailable), (302, .decode), (204, .decode), (700, .decode),
        ])
    func `a status without words means the same at every bank`(_ status: Int, _ expected: ClientError) async throws {
        for name in KnownBanks.names {
            let bank = try await Bank(name) { _, _ in .success(HTTPResponse(status: status)) }

            let error = await bank.error { client in
                if client.operations.contains(.accounts) { _ = try await client.accounts() } else { _ = try await client.transactions() }
            }
            #expect(error == expected, "\(name)")
            #expect(try await bank.client.status().signedIn == (status != 401 || name == "snapshot" || name == "bins"))
        }
    }

    @Test(
        arguments: [
            (#"{"error":"invalid_token","error_description":"x"}"#, ClientError.unauthorized, false),
            (#"{"error":"insufficient_scope"}"#, .forbidden, true),
            ("", .forbidden, true), ("<html>", .forbidden, true), (#"{"error":{}}"#, .forbidden, true),
        ])
    func `starling: only a 403 with invalid_token ends the sign-in`(
        _ body: String, _ expected: ClientError, _ staysIn: Bool
    ) async throws {
        let bank = try await Bank("roundup") { _, _ in .json(403, body, headers: ["Content-Type": "application/json"]) }

        #expect(await bank.error { try await $0.accounts() } == expected)
        #expect(try await bank.client.status().signedIn == staysIn)
    }

    @Test func `after a rejection no token is sent, not even an empty one, until somebody signs in`() async throws {
        let bank = try await Bank { _, _ in .problem(401, "token-rejected") }

        for _ in 0..<3 { #expect(await bank.error { try await $0.accounts() } == .unauthorized) }

        #expect(bank.transport.requests.count == 1)
        #expect(try await bank.client.status() == (false, 1))
    }

    @Test func `a rejected token is renewed once and the call sent again with the new one; a second rejection ends it`() async throws {
        let bank = try await Bank { request, _ in
            guard request.url.hasSuffix("/oauth/token") else {
                return request.headers["Authorization"] == "Bearer good" ? .json(200, #"{"accounts":[]}"#) : .problem(401, "token-expired")
            }
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            let access = body.contains("password") ? "first" : body.contains("r1") ? "good" : "bad"
            return .json(200, #"{"access_token":"\#(access)","token_type":"Bearer","refresh_token":"r1"}"#)
        }
        try await bank.client.signIn(user: "ava", password: "a&b=c")

        _ = try await bank.client.accounts()

        #expect(bank.transport.requests.map { $0.headers["Authorization"] } == [nil, "Bearer first", nil, "Bearer good"])
        #expect(
            String(decoding: bank.transport.requests[0].body ?? [], as: UTF8.self) == "grant_type=password&username=ava&password=a%26b%3Dc")
    }

    @Test(arguments: [
        (ScriptedTransport.Outcome.json(400, #"{"error":"invalid_grant"}"#), ClientError.unauthorized, false), (.lost, .offline, true),
    ])
    func `a rejected renewal signs out; one that is lost does not`(
        _ outcome: ScriptedTransport.Outcome, _ expected: ClientError, _ staysIn: Bool
    ) async throws {
        let bank = try await Bank { request, count in
            if count == 0 { return .json(200, #"{"access_token":"t","token_type":"Bearer","refresh_token":"r"}"#) }
            return request.url.hasSuffix("/oauth/token") ? outcome : .problem(401, "token-expired")
        }
        try await bank.client.signIn(user: "ava", password: "x")

        #expect(await bank.error { try await $0.accounts() } == expected)
        #expect(try await bank.client.status().signedIn == staysIn)
    }

    @Test func `wrong name or password is unauthorized`() async throws {
        let bank = try await Bank { _, _ in .json(400, #"{"error":"invalid_grant"}"#, headers: ["Content-Type": "application/json"]) }

        #expect(await bank.error { try await $0.signIn(user: "ava", password: "no") } == .unauthorized)
    }
}
