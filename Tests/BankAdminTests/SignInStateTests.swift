import BankCore
import BankEngine
import BankModel
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// The sign-in page over the wire: what the journal and a state file keep of it, and the admin calls that decide in its user's place.
@Suite struct SignInStateTests {
    /// The small bank with a sign-in page.
    static let files = TestFiles().replacing(
        "till/bank.yaml", "roles: {login:",
        with: "sign_in: {clients: {app: {redirects: [\"app:/back\"]}}, scopes: [openid], openid: {}}\nroles: {login:"
    ).replacing(
        "till/bank.yaml", "  renew:\n",
        with: """
              page: {request: GET /authorize, open: true, sign_in: page}
              decision: {request: POST /authorize, open: true, sign_in: decision}
              push: {request: POST /par, open: true, sign_in: push}
              code:
                request: POST /token
                when: {form: {grant_type: authorization_code}}
                open: true
                takes: {form: [code]}
                grant: {code: {code: {form: code}, redirect: {form: redirect_uri}, verifier: {form: code_verifier}}}
                reply: {access: {token: access}, refresh: {token: refresh}, id_token: {openid: id-token}}
                refuse: {invalid-grant: {status: 400, body: {error: invalid_grant}}}
              renew:

            """)

    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// The query of the page's address.
    static let asked = formEncoded([
        (name: "response_type", value: "code"), (name: "client_id", value: "app"),
        (name: "code_challenge", value: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), (name: "code_challenge_method", value: "S256"),
        (name: "scope", value: "openid"), (name: "nonce", value: "n1"),
    ])

    private let file = newStateFile()

    /// One run of the server after another, on the same file.
    private func life(_ test: (Stub) async throws -> Void) async throws {
        try await withStub([source(SignInStateTests.files)], configure: { $0.keep(in: file) }, test)
    }

    /// A code, by the page.
    private func newCode(_ stub: Stub) async throws -> String {
        let form = try decision(try await open(stub)).form
        return try code(in: try await stub.ask(request("POST /v1/authorize", body: form)).header("Location"))
    }

    private func open(_ stub: Stub, _ more: String = "") async throws -> RawResponse {
        try await stub.ask(request("GET /v1/authorize?\(SignInStateTests.asked)\(more)"))
    }

    private func decision(_ page: RawResponse) throws -> (value: String, form: String) {
        let value = String(try #require(page.text.firstMatch(of: /name="csrf_token" value="([^"]+)"/)).1)
        return (value, "csrf_token=\(value)&username=ann&password=apple&decision=approve")
    }

    private func code(in address: String?) throws -> String { String(try #require(address?.firstMatch(of: /[?&]code=([^&]+)/)).1) }

    private func exchange(_ code: String) -> String {
        let form = "grant_type=authorization_code&code=\(code)&client_id=app&code_verifier=\(SignInStateTests.verifier)"
        return request("POST /v1/token", body: form)
    }

    @Test func `neither journal nor admin API has the password, the code or the form's value`() async throws {
        try await withAdmin(files: SignInStateTests.files) { admin in
            let pushed = try await admin.stub.ask(request("POST /v1/par", body: SignInStateTests.asked))
            let page = try await open(admin.stub)
            let (value, form) = try decision(page)
            let answer = try await admin.stub.ask(request("POST /v1/authorize", body: form))
            let code = try code(in: answer.header("Location"))
            let tokens = try await admin.stub.ask(exchange(code))
            #expect(tokens.status == 200)
            let rejected = try await admin.stub.ask(
                request(
                    "POST /v1/token", headers: ["Authorization: Basic YXBwOnNlY3JldC13b3Jk"], body: "grant_type=authorization_code&code=a"))
            #expect(rejected.status == 400)
            let entries = try await admin.stub.till.ended(5)

            let journal = try await admin.call("GET /sessions/till/journal").text
            let listed =
                try await admin.call("GET /sessions/till/authorizations").text + (try await admin.call("GET /sessions/till/tokens").text)

            let request = try #require(pushed.json["request_uri"]?.string?.split(separator: ":").last.map(String.init))
            let idToken = try #require(tokens.json["id_token"]?.string)
            let access = try #require(tokens.json["access"]?.string)
            for secret in [value, code, request, SignInStateTests.verifier, "apple", "YXBw", access, idToken] {
                #expect(!journal.contains(secret) && !listed.contains(secret), "\(secret)")
            }
            #expect(journal.contains("code#1"), "the journal has the code's name")
            #expect(entries.last?.token == nil, "a client's own credentials are no token")
        }
    }

    @Test(arguments: [("/v1/token", "grant_type=none"), ("/v1/token", "grant_type=refresh_token&refresh_token=a"), ("/v1/none", "a=b")])
    func `a client's own credentials are no token where tokens are asked for`(path: String, body: String) async throws {
        try await withAdmin(files: SignInStateTests.files) { admin in
            _ = try await admin.stub.ask(request("POST \(path)", headers: ["Authorization: Basic YXBwOnNlY3JldC13b3Jk"], body: body))

            #expect(try await admin.stub.till.ended(1).last?.token == (path == "/v1/token" ? nil : "unknown"))
        }
    }

    @Test func `codes, forms and pushed requests are good after a restart, once`() async throws {
        defer { removeStateFile(file) }
        var (code, form, used, pushed) = ("", "", "", "")
        try await life { stub in
            code = try await newCode(stub)
            used = try await newCode(stub)
            #expect(try await stub.ask(exchange(used)).status == 200)
            form = try decision(try await open(stub)).form
            pushed = try #require(try await stub.ask(request("POST /v1/par", body: SignInStateTests.asked)).json["request_uri"]?.string)
            try await stub.till.durable()
        }
        let stored = String(decoding: try #require(FileManager.default.contents(atPath: file)), as: UTF8.self)
        for secret in [code, used, pushed.split(separator: ":").last.map(String.init) ?? ""] { #expect(!stored.contains(secret)) }

        try await life { stub in
            let again = try await stub.ask(exchange(used))
            #expect(again.status == 400)
            let tokens = try await stub.ask(exchange(code))
            #expect(tokens.status == 200)
            let claims = tokens.json["id_token"]?.string?.split(separator: ".").dropFirst().first.flatMap { Base64.urlDecoded(String($0)) }
            #expect(try JSON(parsing: try #require(claims))["nonce"] == "n1")
            #expect(try await stub.ask(exchange(code)).status == 400)
            #expect(try await stub.ask(request("POST /v1/authorize", body: form)).status == 303)
            #expect(try await stub.ask(request("POST /v1/authorize", body: form)).status == 400)
            let page = request("GET /v1/authorize?client_id=app&request_uri=\(percentEncoded(pushed))")
            #expect(try await stub.ask(page).status == 200)
            #expect(try stub.till.authorizations.map(\.stage) == [.approved, .approved, .approved, .pending])
        }
    }

    @Test func `a test decides by the admin API`() async throws {
        try await withAdmin(files: SignInStateTests.files) { admin in
            for _ in 1...3 { #expect(try await open(admin.stub).status == 200) }
            let calls = "POST /sessions/till/authorizations"

            let approved = try await admin.call("\(calls)/1", #"{"decision": "approve", "login": "bob"}"#)
            let denied = try await admin.call("\(calls)/2", #"{"decision": "deny"}"#)
            let abandoned = try await admin.call("\(calls)/3", #"{"decision": "abandon"}"#)

            #expect(approved.json["state"] == "approved" && approved.json["login"] == "bob")
            #expect(try await admin.stub.ask(exchange(try code(in: approved.json["redirect"]?.string))).status == 200)
            #expect(denied.json["redirect"]?.string?.hasPrefix("app:/back?error=access_denied") == true)
            #expect(abandoned.json["state"] == "abandoned" && abandoned.json["redirect"] == nil)
            #expect(try await admin.call("\(calls)/1", #"{"decision": "deny"}"#).status == 409)
            #expect(try await admin.call("\(calls)/4", #"{"decision": "deny"}"#).status == 404)
            #expect(try await admin.call("\(calls)/x", #"{"decision": "deny"}"#).status == 404)
            #expect(try await admin.call("\(calls)/1", #"{"decision": "maybe"}"#).status == 400)
            #expect(try await admin.call("\(calls)/1", #"{"decision": "approve", "login": "zoe"}"#).status == 409)
            let listed = try await admin.call("GET /sessions/till/authorizations").json["authorizations"]?.array ?? []
            #expect(listed.compactMap { $0["state"]?.string } == ["approved", "denied", "abandoned"])
        }
    }

    @Test func `a session made for it approves by itself`() async throws {
        try await withAdmin(files: SignInStateTests.files) { admin in
            let made = try await admin.call("POST /sessions", #"{"bank": "till", "name": "auto", "authorize": "auto"}"#)
            #expect(made.status == 201)

            let target = "/v1/authorize?\(SignInStateTests.asked)&auto=approve"
            #expect(try await admin.stub.ask(request("GET /s/auto\(target)")).status == 303)
            #expect(try await admin.stub.ask(request("GET \(target)")).status == 200)
            #expect(try await admin.call("PUT /sessions/auto", #"{"bank": "till", "authorize": "auto"}"#).status == 200)
            #expect(try await admin.call("PUT /sessions/auto", #"{"bank": "till", "authorize": "page"}"#).status == 409)
        }
    }
}
