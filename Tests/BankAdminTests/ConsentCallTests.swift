import BankCore
import BankModel
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// Consents over the wire: the admin calls that list and revoke them, and what a state file keeps.
@Suite struct ConsentCallTests {
    /// The small bank, each sign-in of which makes a consent.
    static let files = SignInStateTests.files.replacing(
        "till/bank.yaml", "sign_in: {",
        with: """
            consents:
              consents:
                state: state
                lifetime: 90d
                covers: accounts
                permissions: allowed
                row: {id: {uuid: ""}, state: new, allowed: [read]}
            sign_in: {
            """
    ).replacing("till/bank.yaml", "tables:\n", with: "tables:\n  consents: {key: id}\n")

    private let file = newStateFile()

    /// The token of a sign-in that shares some accounts.
    private func token(_ admin: Admin, accounts: String) async throws -> String {
        #expect(try await admin.stub.ask(request("GET /v1/authorize?\(SignInStateTests.asked)")).status == 200)
        let decided = try await admin.call(
            "POST /sessions/till/authorizations/1", #"{"decision": "approve", "login": "ann", "accounts": \#(accounts)}"#)
        let code = try #require(decided.json["redirect"]?.string?.firstMatch(of: /[?&]code=([^&]+)/)).1
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let form = "grant_type=authorization_code&code=\(code)&client_id=app&code_verifier=\(verifier)"
        return try #require(try await admin.stub.ask(request("POST /v1/token", body: form)).json["access"]?.string)
    }

    private func read(_ admin: Admin, _ token: String) async throws -> RawResponse {
        try await admin.stub.ask(request("GET /v1/accounts", headers: ["Authorization: Bearer \(token)"]))
    }

    @Test func `a consent is listed, limits what is shown, and is revoked after a restart`() async throws {
        defer { removeStateFile(file) }
        var token = ""
        try await withAdmin(files: Self.files, configure: { $0.keep(in: file) }) { admin in
            #expect(try await admin.call("GET /sessions/till/consents").json["consents"] == [])
            token = try await self.token(admin, accounts: #"["a1"]"#)
            let listed = try await admin.call("GET /sessions/till/consents").json["consents"]?.array ?? []
            #expect(listed.compactMap { $0["state"] } == ["authorised"])
            #expect(listed.first?["accounts"] == ["a1"])
            #expect(listed.first?["login"] == "ann")
            let all = try await admin.call("POST /sessions/till/tokens", #"{"login": "ann"}"#).json["token"]?.string ?? ""
            let (whole, part) = (try await read(admin, all), try await read(admin, token))
            #expect(whole.text.contains("\"a2\"") && part.text.contains("\"a1\"") && !part.text.contains("\"a2\""), "\(part.text)")
            let again = try await read(admin, all)
            #expect(again.text == whole.text, "what is kept of one is not sent to the other")
        }
        try await withAdmin(files: Self.files, configure: { $0.keep(in: file) }) { admin in
            #expect(try await read(admin, token).status == 200)
            let revoked = try await admin.call("POST /sessions/till/events", #"{"event": "consent-revoked"}"#)
            #expect(revoked.status == 201)
            #expect(revoked.json["state"] == "revoked")
            #expect(try await read(admin, token).status == 403)
            #expect(try await admin.call("POST /sessions/till/events", #"{"event": "consent-revoked"}"#).status == 404)
            #expect(try await admin.call("POST /sessions/till/events", #"{"event": "consent-revoked", "consent": "none"}"#).status == 404)
        }
    }
}
