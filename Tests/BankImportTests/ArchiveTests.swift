import BankFiles
import BankModel
import Contracts
import Testing

@testable import BankImport

/// HAR files are checked with the rules for recorded traffic, and report nothing that a HAR cannot show.
@Suite struct ArchiveTests {
    @Test(
        arguments: ArchiveStory.tokens + ArchiveStory.payments + ArchiveStory.others + ArchiveStory.doubts + ArchiveStory.recorders
            + ArchiveStory.gaps)
    func `a rule finds what the HAR shows`(_ story: ArchiveStory) throws {
        let found = try story.found()

        #expect(try story.isReported(), "\(story.rule): \(story.name): expected \(story.verdict), found \(found)")
    }

    @Test func `no output has a token, a password or a cookie`() throws {
        let secret = "Zm9vYmFyLXNlY3JldA"
        let entries = [
            HAREntry(
                0, "POST", "/oauth/token", body: "grant_type=password&username=ava&password=correct-horse",
                sends: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": "sid=cookie-secret"],
                response: #"{"access_token":"\#(secret)","refresh_token":"refresh-secret-text"}"#),
            HAREntry(900, "GET", "/v1/\(secret)/accounts?t=\(secret)&password=correct-horse", 401, token: secret),
            HAREntry(1900, "GET", "/v1/\(secret)/accounts?t=\(secret)&password=correct-horse", 401, token: secret),
            HAREntry(2900, "POST", "/v1/\(secret)/payments", 201, token: secret, key: secret, body: "{}"),
        ]
        let verdict = try ArchiveVerdict([ArchiveStory.file(entries)])
        var document = verdict.reports.document(command: { _ in "judge" }, duration: 0)
        document.notes = verdict.notes
        let texts = [
            verdict.notes.joined(), verdict.reports.text(), document.json.text, HTMLReport([document]).text,
            ReportDocument.junit(of: [document]),
        ]

        #expect(verdict.reports.exitCode() == .failed)
        for text in texts {
            for word in [secret, "refresh-secret-text", "correct-horse", "cookie-secret"] { #expect(!text.contains(word), "\(word)") }
        }
        #expect(texts[1].contains("token#1"))
        #expect(texts.dropFirst(2).allSatisfy { $0.contains("assumed  sign-in: POST /oauth/token (by name)") })
    }

    /// As a token, behind a name, in base64 beside another word, and a JWT of which nothing else is known.
    @Test(arguments: ["Zm9vYmFyLXNlY3JldA", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhdmEifQ.c2lnbmF0dXJl-c2lnbmF0dXJl"])
    func `a token is taken out of the words that have it`(_ secret: String) throws {
        let basic = Base64.encoded(Array("name:\(secret)".utf8))
        let unknown = "eyJ" + String(repeating: "x", count: 2000)
        let places = ["/v1/accounts/\(secret)", "/v1/x=\(secret)", "/v1/\(basic)", "/v1/\(unknown)"]
        let entries = places.indices.map { HAREntry($0 * 900, "GET", places[$0], 401, token: secret) }

        let text = try ArchiveVerdict([ArchiveStory.file(entries)]).reports.document(command: { _ in "judge" }, duration: 0).json.text

        for word in [secret, basic, unknown] { #expect(!text.contains(word), "\(word)") }
        #expect(text.contains("token#1"))
    }

    @Test func `payments whose bodies are JWTs are in doubt for that reason`() throws {
        let signed = "eyJhbGciOiJQUzI1NiJ9.eyJhbW91bnQiOiI1LjAwIn0."
        let entries = [(0, 500, "Zmlyc3Qtc2lnbmF0dXJl"), (2000, 201, "c2Vjb25kLXNpZ25hdHVyZQ")].map { at, status, signature in
            HAREntry(
                at, "POST", "/v1/payments", status, token: ArchiveStory.one, key: "key-0001", body: signed + signature,
                sends: ["Content-Type": "application/jose"])
        }

        let rules = try ArchiveVerdict([ArchiveStory.file(entries)]).reports.reports.flatMap(\.rules)
        let reason = rules.first { $0.id == "pay.retry-same-bytes" }?.openFindings.first?.reason

        #expect(reason?.hasPrefix("the bodies of exchanges 1 and 2 are JWTs") == true, "\(reason ?? "")")
    }

    @Test func `a body has the media type of its own where no header states it`() throws {
        let signIn = HAREntry(
            0, "POST", "/oauth/token", body: "grant_type=password&username=ava&password=correct-horse",
            response: #"{"access_token":"\#(ArchiveStory.one)"}"#)
        let form = signIn.with("request.postData.mimeType", "application/x-www-form-urlencoded")
        func notes(_ entry: HAREntry) throws -> [String] {
            try ArchiveVerdict([ArchiveStory.file([entry, HAREntry(900, token: ArchiveStory.one)])]).notes
        }

        #expect(try notes(form).contains("assumed  sign-in: POST /oauth/token (by name)"))
        #expect(try notes(signIn).contains { $0.hasPrefix("assumed  sign-in: none") })
    }

    @Test func `what is assumed and left out is listed`() throws {
        let entries = [
            HAREntry(0, token: ArchiveStory.one), HAREntry(10, "OPTIONS"), HAREntry(20, host: "stats.example"),
            HAREntry(30).with("request.url", "wss://bank.example/live"), HAREntry(40).with("startedDateTime", "yesterday"),
            HAREntry(50).with("_resourceType", "image"), HAREntry(55, "CONNECT", "/"),
            HAREntry(60, "POST", "/v1/goals", 201, token: ArchiveStory.one, key: "key-0001", body: "{}"),
            HAREntry(70, token: ArchiveStory.one).with("response.content", ["size": 4, "text": "%%%%", "encoding": "base64"]),
        ]
        let notes = try ArchiveVerdict([ArchiveStory.file(entries)]).notes

        #expect(notes.first == "3 of 9 requests checked (recorded by mitmproxy 1)")
        for line in [
            "assumed  hosts: bank.example (by name: requests with a token, a key, a sign-in or a payment)", "assumed  pays: none found",
            "assumed  key: header idempotency-key (by name)", "left out 1 that are OPTIONS requests, which browsers send by themselves",
            "left out 1 that are to other hosts", "left out 1 that are WebSockets", "left out 1 that have no readable URL, method or start",
            "left out 1 that are CONNECT requests, which open a tunnel through the proxy",
            "left out 1 that are pages, scripts, images and the like",
            "a.har: $.log.entries[8].response.content: found broken base 64, so this body is missing",
            "note: POST /v1/goals with an idempotency key; if that pays, name it in api.yaml",
        ] {
            #expect(notes.contains(line), "\(line): \(notes)")
        }
    }

    @Test func `a doubt says what to record instead`() throws {
        func advice(_ rule: String, _ entries: [HAREntry]) throws -> String? {
            let rules = try ArchiveVerdict([ArchiveStory.file(entries)]).reports.reports.flatMap(\.rules)
            return rules.first { $0.id == rule }?.openFindings.first?.advice
        }
        func page(_ name: String) -> [String: String] { ["User-Agent": "Mozilla/5.0", "Referer": "https://app.example/\(name)"] }
        let pages = [(0, "a"), (900, "b")].map { at, name in
            HAREntry(at, "GET", "/v1/accounts", 401, token: ArchiveStory.one, sends: page(name))
        }
        let signOut = HAREntry(900, "POST", "/auth/revoke", token: ArchiveStory.one, body: #"{"deviceId":"device-8"}"#)

        #expect(
            try advice("auth.token-cleared-on-rejection", pages)
                == "record in the tab with the browser's developer tools, which record no other")
        #expect(
            try advice("invariant.own-token-only", [signOut, HAREntry(9000, token: ArchiveStory.one)])
                == "record from the sign-in on: if that has the same `deviceId`, it is this client's")
    }

    @Test func `the numbers of several files are distinguished`() throws {
        let first = ArchiveStory.file([HAREntry(0, token: ArchiveStory.one), HAREntry(900, token: ArchiveStory.one)])
        let second = ArchiveStory.file([HAREntry(1900, token: ArchiveStory.one)], named: "b.har")
        let notes = try ArchiveVerdict([first, second]).notes

        #expect(notes.contains("exchanges 1 to 2 are the entries of a.har") && notes.contains("exchanges 3 to 3 are the entries of b.har"))
        #expect(try !ArchiveVerdict([first]).notes.contains { $0.hasPrefix("exchanges") })
    }

    @Test func `nothing follows in a file of whole seconds`() throws {
        let entries = [0, 1000].map { HAREntry($0, "GET", "/v1/accounts", 401, token: ArchiveStory.one) }
        let whole = zip(entries, ["2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"]).map { $0.with("startedDateTime", .string($1)) }
        let story = ArchiveStory("auth.token-cleared-on-rejection", "", .fail, whole)

        #expect(try ArchiveStory("auth.token-cleared-on-rejection", "", .fail, entries).found() == [.fail])
        #expect(try !story.found().contains(.fail))
        #expect(
            try ArchiveVerdict([ArchiveStory.file(whole)]).notes
                .contains("a.har: its times are whole seconds, so no request is known to follow another"))
    }

    @Test(arguments: [
        ("push.test", "device-key-12345", "", false), ("push.bank.example", "device-key-12345", "", true),
        ("push.test", ArchiveStory.one, "", true), ("push.test", "device-key-12345", "device-key-12345", true),
    ])
    func `a host with a token of its own is another party's`(host: String, token: String, issued: String, isBank: Bool) throws {
        let entries = [
            HAREntry(
                0, "POST", "/oauth/token", body: "grant_type=password&username=a",
                sends: ["Content-Type": "application/x-www-form-urlencoded"],
                response: #"{"access_token":"\#(ArchiveStory.one)","push":"\#(issued)"}"#),
            HAREntry(100, token: ArchiveStory.one), HAREntry(900, "POST", "/v1/register", 401, token: token, host: host),
        ]
        let hosts = ["bank.example"] + (isBank ? [host] : [])
        let reason = "(by name: requests with a token, a key, a sign-in or a payment)"

        #expect(
            try ArchiveVerdict([ArchiveStory.file(entries)]).notes.contains(
                "assumed  hosts: \(hosts.sorted().joined(separator: ", ")) \(reason)"))
    }

    @Test func `without a token at the host that signs in, every host with one is the bank's`() throws {
        let entries = [
            HAREntry(0, "POST", "/login", body: #"{"username":"a","password":"b"}"#, host: "auth.test"),
            HAREntry(100, token: ArchiveStory.one),
        ]
        let notes = try ArchiveVerdict([ArchiveStory.file(entries)]).notes

        #expect(notes.contains { $0.hasPrefix("assumed  hosts: auth.test, bank.example ") })
    }

    @Test func `an IPv6 host is given without its port`() throws {
        let file = ArchiveStory.file([HAREntry(0, token: ArchiveStory.one, host: "[::1]:8443")])
        let verdict = try ArchiveVerdict([file], ArchiveStory.description("hosts: [\"[::1]\"]"))

        #expect(verdict.notes.first?.hasPrefix("1 of 1 request checked") == true)
    }

    @Test func `customers are those who sign in`() throws {
        func signIn(_ at: Int, _ user: String, _ token: String) -> HAREntry {
            HAREntry(
                at, "POST", "/login", body: #"{"username":"\#(user)","password":"a"}"#, response: #"{"access_token":"\#(token)"}"#)
        }
        let body = #"{"amount":"5.00"}"#
        func pay(_ at: Int, _ status: Int, _ token: String, _ key: String) -> HAREntry {
            HAREntry(at, "POST", "/v1/payments", status, token: token, key: key, body: body)
        }
        func verdicts(_ second: String) throws -> [Verdict] {
            let entries = [
                signIn(0, "ava", ArchiveStory.one), signIn(100, second, ArchiveStory.two), pay(2000, 500, ArchiveStory.one, "key-0001"),
                pay(2300, 201, ArchiveStory.two, "key-0002"),
            ]
            return try ArchiveStory("pay.server-error-same-key", "", .fail, entries).found()
        }

        #expect(try verdicts("ben") == [.notExercised])
        #expect(try verdicts("ava") == [.fail])
    }

    @Test(arguments: [
        ("{", "a.har:1:2: found the end of the text"), ("[]", "a.har: found no `log.entries`, expected a HAR file"),
        (#"{"log": {"entries": 1}}"#, "a.har: found no `log.entries`, expected a HAR file"),
    ])
    func `a file that is no HAR is rejected with its position`(text: String, expected: String) {
        let error = #expect(throws: ComplaintsError.self) { try ArchiveVerdict([ImportFile("a.har", text)]) }

        #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
    }

    @Test func `a byte order mark is read, and nothing is exercised without requests`() throws {
        let file = ImportFile("a.har", [0xEF, 0xBB, 0xBF] + ArchiveStory.file([]).bytes)
        let verdict = try ArchiveVerdict([file])

        #expect(verdict.reports.exitCode() == .nothingExercised)
        #expect(verdict.notes.contains { $0.hasPrefix("note: no request has a token, an idempotency key") })
    }

    @Test(arguments: [
        ("pay: [POST /a]", "api.yaml:1:1: unknown key `pay` in a description of an API; did you mean `pays`?"),
        ("pays: [payments]", "api.yaml:1:8: found `payments`, expected a method and a path such as POST /v1/accounts/{id}/payments"),
        ("key: {header: A, body: b}", "api.yaml:1:6: found a mapping, expected one of `header` and `body`"),
        ("rejected: {status: [200]}", "api.yaml:1:21: found `200`, expected a whole number from 400 to 499"),
    ])
    func `an error in a description has its position`(text: String, expected: String) {
        let complaints = Complaints()
        if let node = Node.parse(yaml: text, file: "api.yaml", complaints) { _ = APIDescription(node, complaints) }

        #expect(complaints.errors.map(\.description) == [expected])
    }
}
