import BankCore
import BankEngine
import BankModel
import EventStore
import Foundation
import Logging
import StubServer
import TestBanks
import TestServer
import Testing

/// No output contains a password or a token, however a client encodes it; and sentences remain unchanged.
@Suite struct SecretTests {
    private let names = [
        "password", "passwd", "pin", "otp", "code", "secret", "client_secret", "refresh_token", "access_token", "id_token", "assertion",
    ]

    @Test(arguments: [
        ("Bearer null", "Bearer null"), ("bearer Undefined", "bearer Undefined"), ("Bearer ", "Bearer empty"),
        ("Bearer nullable-secret", "Bearer unknown"), ("Basic bnVsbA==", SecretFields.mark),
    ])
    func `of what stands for a token the journal shows words for nothing only`(sent: String, shown: String) async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(request("GET /v1/accounts", headers: ["Authorization: \(sent)"]))
            _ = try #require(await client.response())

            let entry = try #require(try await stub.till.ended(1).first)

            #expect(entry.requestHeaders.filter { $0.name == "Authorization" }.map(\.value) == [shown])
        }
    }

    /// A hundred passwords in more than twenty encodings each, searched for in every output about requests.
    @Test func `no output shows a password`() async throws {
        var generator = SeededGenerator(seed: 20_261_122)
        let passwords = (0..<100).map { SoughtPassword($0, &generator) }
        let search = PasswordSearch(passwords)
        let file = newStateFile()
        defer { removeStateFile(file) }

        try await withAdmin(configure: { $0.keep(in: file) }) { admin in
            let client = try admin.stub.client()
            var sent = 0
            for (number, password) in passwords.enumerated() {
                for asked in password.requests(names[number % names.count]) {
                    await client.send(request(asked.line, headers: asked.headers, body: asked.body))
                    _ = try #require(await client.response(), "\(asked)")
                    sent += 1
                }
                // The state file contains a key's record of its request.
                let body = #"{"from": "a1", "to": "p1", "amount": "0.01", "pin": \#(JSON.string(password.text).text)}"#
                let paid = request("POST /v1/payments", token: try admin.stub.token(), key: "k\(number)", body: body)
                for _ in 1...2 {
                    await client.send(paid)
                    #expect(await client.response()?.status == 201)
                    sent += 1
                }
            }
            try await admin.stub.till.durable()
            #expect(try await admin.stub.till.ended(sent).count == sent)

            let session = "/sessions/till"
            var calls = [
                "/journal", "/journal?brief=true", "/journal/har", "/journal/unmatched", "/verdict", "/ledger", "/faults", "/balances",
            ]
            calls = calls.map { session + $0 } + ["/metrics", "/sessions", "/banks"]
            calls += (1...sent / 9).map { "\(session)/journal/\($0 * 9)" }
            for call in calls {
                let response = try await admin.call("GET \(call)")
                #expect(response.status == 200, "\(call)")
                #expect(search.found(in: response.body) == [], "\(call)")
            }
            #expect(search.found(in: Array("\(try admin.stub.till.journal())".utf8)) == [])
        }
        // Closed: it has nothing beside it.
        let stored = try #require(FileManager.default.contents(atPath: file))
        #expect(search.found(in: Array(stored)) == [], "the state file")
    }

    /// The search itself finds each of the encodings.
    @Test func `the search finds every writing`() {
        var generator = SeededGenerator(seed: 1)
        for number in 0..<20 {
            let password = SoughtPassword(number, &generator)
            let search = PasswordSearch([password])
            for asked in password.requests("password") {
                let text = "\(asked.line) \(asked.headers) \(asked.body)"
                #expect(!search.found(in: Array(text.utf8)).isEmpty, "\(text)")
            }
        }
    }

    @Test func `a key's request is known after a restart without its secrets`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        func paid(_ amount: String, _ pin: String, _ token: String) -> String {
            request(
                "POST /v1/payments", token: token, key: "k1",
                body: #"{"from": "a1", "to": "p1", "amount": "\#(amount)", "pin": "\#(pin)"}"#)
        }
        var (token, first) = ("", "")
        try await withStub(configure: { $0.keep(in: file) }) { stub in
            token = try stub.token()
            first = try await stub.ask(paid("1.00", "1234", token)).text
            #expect(try await stub.ask(paid("1.00", "9999", token)).status == 422)
            try await stub.till.durable()
        }

        try await withStub(configure: { $0.keep(in: file) }) { stub in
            let again = try await stub.ask(paid("1.00", "1234", token))
            #expect(again.text == first)
            #expect(try await stub.ask(paid("2.00", "1234", token)).status == 422)
        }
    }

    @Test func `a state file has digests of tokens, which recognise them after a restart`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let file = folder.path + "/state"
        var texts: [String] = []
        func stored() -> [UInt8] {
            ["", "-journal"].flatMap { suffix in Array((try? Data(contentsOf: URL(filePath: file + suffix))) ?? Data()) }
        }
        try await withStub(configure: { $0.keep(in: file) }) { stub in
            let till = try stub.till
            let signedIn = try till.issueTokens(login: "ann")
            let (revoked, expired) = (try till.issueTokens(login: "ann").access, try till.issueTokens(login: "ann").access)
            till.snapshot()
            try till.revokeTokens(id: revoked.id)
            try till.expireTokens(id: expired.id)
            texts = [signedIn.access.text, revoked.text, expired.text] + [signedIn.refresh?.text].compactMap(\.self)
            for key in 1...300 { _ = try await stub.ask(payment("0.01", key: "k\(key)", token: texts[0])) }
            try await till.durable()
            let bytes = stored()
            #expect(bytes.count > 50_000)
            for text in texts { #expect(bytes.firstPosition(of: Array(text.utf8)) == nil, "\(text)") }
        }
        // Closed, with what a checkpoint has.
        let bytes = stored()
        for text in texts { #expect(bytes.firstPosition(of: Array(text.utf8)) == nil, "\(text)") }

        try await withStub(configure: { $0.keep(in: file) }) { stub in
            let statuses = try await stub.ask(texts.prefix(3).map { request("GET /v1/accounts", token: $0) }).map(\.status)
            #expect(statuses == [200, 401, 401])
            #expect(try stub.till.journal().entries.compactMap(\.token) == ["token#1", "token#2", "token#3"])
            #expect(try stub.till.tokens.map(\.text) == Array(repeating: nil, count: 6))
            #expect(try await stub.ask(payment("0.01", key: "k7", token: texts[0])).header("Idempotent-Replayed") == "true")
            // A refresh token is known again too, once.
            let refresh = request(
                "POST /v1/token", headers: ["Content-Type: application/x-www-form-urlencoded"],
                body: "grant_type=refresh_token&refresh_token=\(texts[3])")
            #expect(try await stub.ask(refresh).status == 200)
            #expect(try await stub.ask(refresh).status == 400)
            let isBack = try stub.till.restore()
            #expect(isBack)
            #expect(try await stub.ask(request("GET /v1/accounts", token: texts[1])).status == 200)
        }
    }

    @Test func `tokens stand nowhere in any writing`() async throws {
        try await withAdmin { admin in
            let stub = admin.stub
            let token = try stub.token()
            let bytes = Array(token.utf8)
            let escaped = "\\u00" + hexadecimal(Array(bytes.prefix(1))) + token.dropFirst()
            let twice = percentEncoded(bytes.map { "%" + hexadecimal([$0]) }.joined())
            let writings = [
                token, token.uppercased(), escaped, twice, percentEncoded(twice), Base64.encoded(bytes), hexadecimal(bytes),
                Base64.encoded(Array("a:\(token)".utf8)), Base64.encoded(Array("ab:\(token)".utf8)),
            ]
            for writing in writings {
                let body = #"{"note": "\#(writing)"}"#
                _ = try await stub.ask(
                    request(
                        "POST /v1/nothing?note=\(writing.replacing("\\", with: "%5C"))", headers: ["X-Note: \(writing)"], body: body))
            }
            _ = try await stub.ask(
                request("GET /v1/clock", headers: ["\(token): 1", "X-Auth-Token: foreign-1", "X-Access-Token: \(token)"]))
            _ = try await stub.ask(request("GET /v1/clock?access_token=foreign-2"))
            _ = try stub.till.set(rule(#"{"on": {"header": {"Authorization": "Bearer \#(token)"}}, "fault": "hang"}"#))
            _ = try stub.till.set(rule(#"{"on": {"header": {"X-Auth-Token": "foreign-3"}, "path": "/v1/\#(token)"}, "fault": "hang"}"#))
            let entries = try await stub.till.ended(writings.count + 2)

            for (entry, writing) in zip(entries, writings) {
                let plain = Escapes.allRemoved(entry.json.text)
                #expect(!plain.contains(writing), "\(plain)")
                #expect(!plain.contains(token), "\(plain)")
                #expect(entry.path == "/v1/nothing")
                #expect(entry.query == "note=token#1")
                #expect(entry.requestHeaders.contains(JournalEntry.Header("X-Note", "token#1")), "\(entry.requestHeaders)")
                #expect(String(decoding: entry.requestBody, as: UTF8.self) == #"{"note": "token#1"}"#)
            }
            let headers = entries[writings.count].requestHeaders
            #expect(headers.contains(JournalEntry.Header("token#1", "1")))
            #expect(headers.contains(JournalEntry.Header("X-Auth-Token", "[redacted]")))
            #expect(headers.contains(JournalEntry.Header("X-Access-Token", "token#1")))
            #expect(entries[writings.count + 1].query == "access_token=[redacted]")
            let faults = try await admin.call("GET /sessions/till/faults").text
            #expect(!faults.contains(token))
            #expect(!faults.contains("foreign-3"))
            #expect(faults.contains("Bearer token#1"))
            #expect(faults.contains("/v1/token#1"))
        }
    }

    @Test(arguments: [
        #"{"reference": "an apple a day, my code: 42 and the password is apple"}"#, "reference=apple+pie+and+pin+code&amount=1",
        #"{"sort_code": "04-00-04", "currencyCode": "GBP", "page_token": "n2", "description": "Secret garden: tickets"}"#,
    ])
    func `a sentence stays whatever somebody's password is`(_ body: String) async throws {
        try await withStub { stub in
            _ = try await stub.ask(request("POST /v1/token", body: "grant_type=password&username=ann&password=apple"))
            _ = try await stub.ask(
                request("POST /v1/nothing/apple?q=apple+password&note=code", headers: ["X-Note: the apple: a code"], body: body))

            let entry = try #require(try await stub.till.ended(2).last)
            #expect(String(decoding: entry.requestBody, as: UTF8.self) == body)
            #expect(entry.path == "/v1/nothing/apple")
            #expect(entry.query == "q=apple+password&note=code")
            #expect(entry.requestHeaders.contains(JournalEntry.Header("X-Note", "the apple: a code")))
        }
    }

    @Test(arguments: [
        "X-Auth", "X-Credential", "X-Credentials", "X-Password", "X-Secret", "X-Pin", "X-Otp", "X-Passphrase", "X-Jwt", "Api-Secret-Key",
        "Ocp-Apim-Subscription-Key",
    ])
    func `the journal has no value of a header with a secret's name`(name: String) async throws {
        try await withStub { stub in
            _ = try await stub.ask(request("GET /v1/clock", headers: ["\(name): foreign-1"]))

            let entry = try #require(try await stub.till.ended(1).first)

            #expect(entry.requestHeaders.contains(JournalEntry.Header(name, SecretFields.mark)), "\(entry.requestHeaders)")
        }
    }

    /// A bank may give its key any name.
    @Test(arguments: [
        ("header: X-Bank-Hash", "/v1/accounts", ["X-Bank-Hash: ann-key-1"]), ("query: hash", "/v1/accounts?hash=ann-key-1", []),
    ])
    func `the journal has no key of a customer`(location: String, target: String, headers: [String]) async throws {
        let files = TestFiles()
            .replacing("till/bank.yaml", "auth: {lifetime: 10m,", with: "auth: {scheme: api-key, in: {\(location)}, lifetime: 10m,")
            .replacing("till/bank.yaml", "{login: ann, password: apple,", with: "{login: ann, password: apple, token: ann-key-1,")
        try await withStub([source(files)]) { stub in
            #expect(try await stub.ask(request("GET \(target)", headers: headers)).status == 200)

            let entry = try #require(try await stub.till.ended(1).first)

            let text = entry.json.text
            #expect(!text.contains("ann-key-1"), "\(text)")
            #expect(text.contains(SecretFields.mark))
        }
    }
}
