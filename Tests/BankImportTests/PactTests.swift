import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

@testable import BankImport

/// Pacts for tests: those that pact-python wrote (`Corpus/pact`), or interactions written in the test.
private enum Pacts {
    static let request = #""request": {"method": "GET", "path": "/a"}"#

    /// A pact of these interactions.
    static func file(_ interactions: String..., version: Int = 4) -> [ImportFile] {
        let all = interactions.joined(separator: ",\n")
        return [
            ImportFile("p.json", #"{"interactions": [\#(all)], "metadata": {"pactSpecification": {"version": "\#(version).0"}}}"#)
        ]
    }

    /// The unconverted locations of one request, beside an interaction that is converted.
    static func warnings(request: String, version: Int = 4) throws -> [ImportWarning] {
        try PactImport(name: "b").convert(
            file(
                #"{"description": "it", "request": \#(request), "response": {"status": 200}}"#,
                #"{"description": "rest", "request": {"method": "GET", "path": "/rest"}, "response": {"status": 200}}"#, version: version)
        ).warnings
    }

    /// The bank that these files make, ready to be asked.
    static func session(_ files: [ImportFile]) throws -> SessionState {
        let imported = try PactImport(name: "b").convert(files)
        let written = Dictionary(imported.files.map { ($0.path, $0.bytes) }) { first, _ in first }
        let bank = try BankLibrary(inMemory: written).load("b").bank
        return SessionState(
            id: "b", seed: 7, prepared: PreparedBank(bank), baseURL: "http://127.0.0.1", startedAt: Instant(nanoseconds: 0))
    }

    static func complaints(_ files: [ImportFile]) -> [String] {
        do throws(ComplaintsError) {
            _ = try PactImport(name: "b").convert(files)
            return []
        } catch { return error.complaints.map(\.description) }
    }
}

@Suite struct PactTests {
    @Test(arguments: [2, 3, 4])
    func `what pact-python writes is served`(_ version: Int) throws {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let bytes = try FileReader.disk.read(named: "\(folder)/Corpus/pact/v\(version).json")
        var session = try Pacts.session([ImportFile("v\(version).json", bytes)])
        let json = JournalEntry.Header("Content-Type", "application/json; charset=utf-8")
        func status(
            _ method: String, _ path: String, query: String? = nil, _ headers: [JournalEntry.Header] = [], _ body: String = ""
        ) -> Int {
            let request = BankRequest(method, path, query: query, headers: headers, body: Array(body.utf8))
            return session.answer(request, at: session.startedAt).response.status
        }

        let accept = JournalEntry.Header("Accept", "application/json")
        #expect(status("GET", "/accounts", query: "page=1", [accept]) == 200)
        #expect(status("GET", "/accounts", query: "page=2", [accept]) == 404)
        #expect(status("GET", "/accounts/b7") == 200)
        #expect(status("POST", "/login", [json], #"{"user": "ava", "password": "any"}"#) == 200)
        #expect(status("POST", "/login", [json], #"{"user": "ben", "password": "any"}"#) == 404)
        let key = JournalEntry.Header("Idempotency-Key", "k-9")
        #expect(status("POST", "/payments", [json, key], #"{"amount": "1.00", "to": "p1"}"#) == 201)
        #expect(status("POST", "/payments", [json, key], #"{"amount": "2.00", "to": "p1"}"#) == 404)
        #expect(status("DELETE", "/payees/p1") == 204)
        #expect(session.answer(BankRequest("GET", "/words"), at: session.startedAt).response.body == Array("all is well".utf8))
    }

    @Test func `of two for one request the first stays and the other is listed`() throws {
        let files = Pacts.file(
            #"{"description": "there", \#(Pacts.request), "response": {"status": 200}}"#,
            #"{"description": "gone", \#(Pacts.request), "response": {"status": 404}}"#)

        let imported = try PactImport(name: "b").convert(files)

        #expect(imported.operations == 1)
        #expect(imported.warnings.map(\.path) == ["/interactions/1"])
        #expect(imported.warnings.first?.effect == .leftOut)
        #expect(imported.warnings.first?.reason.contains("`there`") == true, "\(imported.warnings)")
    }

    @Test(arguments: [
        (#"{"method": "OPTIONS", "path": "/it"}"#, "/method"),
        (
            #"{"method": "GET", "path": "/it", "matchingRules": {"path": {"matchers": [{"match": "type"}]}}}"#,
            "/matchingRules/path/matchers/0"
        ),
        (
            #"{"method": "GET", "path": "/it", "headers": {"X": "a"}, "matchingRules": {"header": {"X": {"matchers": [{"match": "luck"}]}}}}"#,
            "/matchingRules/header/X/matchers/0"
        ),
        (
            #"{"method": "GET", "path": "/it", "query": {"a/b": ["c"]}, "matchingRules": {"query": {"a/b": {"matchers": [{"match": "luck"}]}}}}"#,
            "/matchingRules/query/a~1b/matchers/0"
        ),
        (
            #"{"method": "POST", "path": "/it", "body": {"content": {"a": "b"}}, "matchingRules": {"body": {"$.a": {"matchers": [{"match": "regex", "regex": "(a)\\1"}]}}}}"#,
            "/matchingRules/body/$.a/matchers/0"
        ),
        (
            #"{"method": "GET", "path": "/it", "headers": {"X": "a"}, "matchingRules": {"header": {"X": {"matchers": [{"match": "regex", "regex": "(a)\\1"}]}}}}"#,
            "/matchingRules/header/X/matchers/0"
        ),
        (
            #"{"method": "POST", "path": "/it", "body": {"content": {"a": 1}, "contentType": "application/json"}, "generators": {"body": {"$..a": {"type": "RandomInt"}}}}"#,
            "/generators/body/$..a"
        ),
        (#"{"method": "POST", "path": "/it", "body": {"content": "AP8=", "contentType": "image/png", "encoded": "base64"}}"#, ""),
        (
            #"{"method": "POST", "path": "/it", "body": {"content": "<a/>", "contentType": "text/xml"}, "matchingRules": {"body": {"$.a": {"matchers": [{"match": "type"}]}}}}"#,
            "/matchingRules/body/$.a"
        ),
        (
            #"{"method": "GET", "path": "/it", "matchingRules": {"body": {"$..a": {"matchers": [{"match": "type"}]}}}}"#,
            "/matchingRules/body/$..a"
        ),
        (#"{"method": "GET", "path": "/it", "cookies": {"a": "b"}}"#, "/cookies"),
    ])
    func `a request that cannot be converted is left out and listed by its pointer`(_ request: String, _ location: String) throws {
        let warnings = try Pacts.warnings(request: request)

        #expect(warnings.map(\.path) == ["/interactions/0/request" + location], "\(warnings)")
        #expect(warnings.first?.effect == .leftOut)
    }

    @Test func `a rule that accepts more is converted and listed`() throws {
        let warnings = try Pacts.warnings(
            request:
                #"{"method": "GET", "path": "/it", "query": {"n": ["5"]}, "matchingRules": {"query": {"n": {"matchers": [{"match": "date"}]}}}}"#
        )

        #expect(warnings.map(\.effect) == [.wider])
        #expect(warnings.map(\.path) == ["/interactions/0/request/matchingRules/query/n/matchers/0"])
    }

    @Test(
        arguments: [
            (#"{"match": "values"}"#, #"{"o": 1}"#, #"{"p": "q"}"#, #""x""#),
            (#"{"match": "eachKey", "rules": [{"match": "type"}]}"#, #"{"o": 1}"#, #"{"p": "q"}"#, #""x""#),
            (#"{"match": "eachValue", "rules": [{"match": "type"}]}"#, #"{"o": 1}"#, #"{"p": "q"}"#, #""x""#),
            (#"{"match": "arrayContains", "variants": [{"index": 0, "rules": {}}]}"#, "[1]", #"["x", 2]"#, #"{"o": 1}"#),
            (#"{"match": "semver"}"#, #""1.2.3""#, #""x""#, "5"), (#"{"match": "date"}"#, #""2026-01-12""#, #""x""#, "5"),
            (#"{"match": "time"}"#, #""09:00""#, #""x""#, "5"),
        ])
    func `a matcher for which there is no condition accepts any value of its kind, and is listed`(
        _ matcher: String, _ example: String, _ accepted: String, _ rejected: String
    ) throws {
        let rules = #"{"body": {"$.a": {"matchers": [\#(matcher)]}}}"#
        let content = #"{"content": {"a": \#(example)}, "contentType": "application/json"}"#
        let request = #"{"method": "POST", "path": "/it", "body": \#(content), "matchingRules": \#(rules)}"#
        var session = try Pacts.session(Pacts.file(#"{"description": "it", "request": \#(request), "response": {"status": 201}}"#))
        func status(_ value: String) -> Int {
            let json = JournalEntry.Header("Content-Type", "application/json")
            let asked = BankRequest("POST", "/it", headers: [json], body: Array(#"{"a": \#(value)}"#.utf8))
            return session.answer(asked, at: session.startedAt).response.status
        }

        let warnings = try Pacts.warnings(request: request)

        #expect(warnings.map(\.path) == ["/interactions/0/request/matchingRules/body/$.a/matchers/0"], "\(warnings)")
        #expect(warnings.map(\.effect) == [.wider], "\(warnings)")
        #expect([example, accepted, rejected].map(status) == [201, 201, 404])
    }

    @Test func `messages, plugins and generators are listed`() throws {
        let files = [
            ImportFile(
                "p.json",
                #"""
                {"interactions": [
                  {"type": "Asynchronous/Messages", "description": "reported", "contents": {}},
                  {"type": "Synchronous/HTTP", "description": "plugged", \#(Pacts.request), "response": {}, "pluginConfiguration": {"x": 1}},
                  {"type": "Synchronous/HTTP", "description": "made", \#(Pacts.request),
                   "response": {"status": 200, "body": {"content": {"id": "1"}, "contentType": "application/json"},
                                "generators": {"body": {"$.id": {"type": "Uuid"}}}}}],
                 "metadata": {"pactSpecification": {"version": "4.0"}, "plugins": [{"name": "protobuf", "version": "1"}]}}
                """#)
        ]

        let imported = try PactImport(name: "b").convert(files)

        #expect(imported.operations == 1)
        #expect(
            imported.warnings.map { "\($0.path) \($0.effect.rawValue)" } == [
                "/metadata/plugins/0 ignored", "/interactions/0/type left-out", "/interactions/1/pluginConfiguration left-out",
                "/interactions/2/response/generators/body/$.id approximate",
            ])
    }

    @Test(arguments: [
        (#"{}"#, "p.json: found a pact without interactions, expected at least one interaction"),
        ("[]", "found an array, expected a pact: an object with `interactions`"),
        ("", "p.json:1:1: found"),
        (
            #"{"interactions": [], "metadata": {"pactSpecification": {"version": "3.0.0"}}}"#,
            "p.json: found a pact without interactions, expected at least one interaction"
        ),
        (
            #"{"interactions": [], "metadata": {"pactSpecification": {"version": "1.0.0"}}}"#,
            "found the version \"1.0.0\", expected a pact of version 2, 3 or 4"
        ),
        (
            #"{"interactions": {}, "metadata": {"pactSpecification": {"version": "3.0"}}}"#,
            "/interactions: found an object, expected an array"
        ),
        (
            #"{"interactions": [{"request": {"method": "GET"}, "response": {}}], "metadata": {"pactSpecification": {"version": "3.0"}}}"#,
            "/interactions/0/request: found an object, expected a request with `path`"
        ),
        (
            #"{"interactions": [{"request": {}}], "metadata": {"pactSpecification": {"version": "3.0"}}}"#,
            "/interactions/0: found an object, expected an interaction with `request` and `response`"
        ),
        (
            #"{"interactions": [{"request": {"method": "GET", "path": "/a"}, "response": {"status": "ok"}}], "metadata": {"pactSpecification": {"version": "2.0"}}}"#,
            "/interactions/0/response/status: found a text, expected a whole number"
        ),
        (
            #"{"interactions": [{"request": {"method": "TRACE", "path": "/a"}, "response": {}}], "metadata": {"pactSpecification": {"version": "2.0"}}}"#,
            "none of 1 interaction can be converted"
        ),
    ])
    func `what is no pact or an empty one is an error`(_ text: String, _ message: String) {
        let reported = Pacts.complaints([ImportFile("p.json", text)])

        #expect(reported.contains { $0.contains(message) }, "\(reported)")
    }

    @Test(
        arguments: [
            (#"{"match": "regex"}"#, "found an object, expected a matcher with `regex`"),
            (#"{"match": "include"}"#, "found an object, expected a matcher with `value`"),
            (#"{"match": "regex", "regex": null}"#, "found an object, expected a matcher with `regex`"),
        ], ["request", "response"])
    func `a matcher without its expression is an error`(_ matcher: (String, String), _ side: String) {
        let sides = ["request": #""method": "GET", "path": "/a""#, "response": #""status": 200"#].map { key, value in
            let rules = key == side ? #", "matchingRules": {"header": {"X": {"matchers": [\#(matcher.0)]}}}"# : ""
            return #""\#(key)": {\#(value), "headers": {"X": "b"}\#(rules)}"#
        }
        let metadata = #""metadata": {"pactSpecification": {"version": "3.0.0"}}"#
        let pact = "{\"interactions\": [{\(sides.joined(separator: ", "))}], \(metadata)}"

        let reported = Pacts.complaints([ImportFile("p.json", pact)])

        #expect(reported == ["p.json: /interactions/0/\(side)/matchingRules/header/X/matchers/0: \(matcher.1)"])
    }

    @Test func `a huge pact is read whole`() throws {
        let interactions = (0..<500).map {
            #"{"description": "n\#($0)", "request": {"method": "GET", "path": "/n/\#($0)"}, "response": {"status": 200}}"#
        }
        let text =
            "{\"interactions\": [\(interactions.joined(separator: ","))], \"metadata\": {\"pactSpecification\": {\"version\": \"4.0\"}}}"

        #expect(try PactImport(name: "b").convert([ImportFile("p.json", text)]).operations == 500)
    }

    @Test func `nesting without end is an error`() {
        let deep = String(repeating: "[", count: 100_000)

        #expect(Pacts.complaints([ImportFile("p.json", deep)]).count == 1)
    }

    @Test(arguments: [
        ("$", []), ("$.a", [PactRules.PathElement.name("a")]), ("$.a[0].b", [.name("a"), .index(0), .name("b")]),
        ("$.a[*]['b c']", [.name("a"), .any, .name("b c")]), ("$['a.b']", [.name("a.b")]), ("a", [.name("a")]),
    ])
    func `the steps of a location are read`(_ path: String, _ steps: [PactRules.PathElement]) {
        #expect(PactRules.steps(path) == steps)
    }

    @Test(arguments: ["$..a", "$.a[", "$a", "$[?(@.a)]"])
    func `a location that cannot be read is none`(_ path: String) { #expect(PactRules.steps(path) == nil) }
}
