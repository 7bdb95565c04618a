import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Which requests an imported bank answers: those that WireMock answers, and no others.
@Suite struct SameRequestTests {
    private func caller(_ mappings: String...) throws -> Caller {
        let file = ImportFile("mappings/all.json", "{\"mappings\": [\(mappings.joined(separator: ","))]}")
        return Caller(try WireMockImport(name: "b").convert([file]).bank("b").bank)
    }

    @Test func `a method is that one alone`() throws {
        var caller = try caller(#"{"request": {"method": "GET", "url": "/a"}, "response": {}}"#)

        #expect(caller.send("GET", "/a").operation != nil)
        #expect(caller.send("HEAD", "/a").operation == nil)
    }

    @Test func `HEAD and ANY answer HEAD`() throws {
        var caller = try caller(
            #"{"request": {"method": "HEAD", "url": "/a"}, "response": {"status": 204}}"#,
            #"{"request": {"method": "ANY", "url": "/b"}, "response": {"status": 202}}"#)

        #expect(caller.send("HEAD", "/a").response.status == 204)
        #expect(caller.send("GET", "/a").operation == nil)
        #expect(caller.send("HEAD", "/b").response.status == 202)
    }

    @Test func `escapes are compared as they were sent`() throws {
        var caller = try caller(
            #"{"request": {"method": "GET", "urlPath": "/a%20b"}, "response": {}}"#,
            #"{"request": {"method": "GET", "urlPathPattern": "/c/[^/]+"}, "response": {}}"#)

        #expect(caller.send("GET", "/a%20b").operation != nil)
        #expect(caller.send("GET", "/%61%20b").operation == nil)
        #expect(caller.send("GET", "/c/%2F").operation != nil)
        #expect(caller.send("GET", "/%63/d").operation == nil)
    }

    @Test func `one value of several is enough`() throws {
        var caller = try caller(
            #"{"request": {"method": "GET", "urlPath": "/q", "queryParameters": {"a": {"equalTo": "c"}}}, "response": {}}"#,
            #"{"request": {"method": "GET", "urlPath": "/h", "headers": {"X-A": {"contains": "c"}}}, "response": {}}"#,
            #"{"request": {"method": "GET", "urlPath": "/n", "queryParameters": {"a": {"absent": true}}}, "response": {}}"#)

        #expect(caller.send("GET", "/q?a=b&a=c").operation != nil)
        #expect(caller.send("GET", "/q?a=b&a=d").operation == nil)
        #expect(caller.send("GET", "/h", ["X-A": "b", "x-a": "c"]).operation != nil)
        #expect(caller.send("GET", "/h", ["X-A": "b", "x-a": "d"]).operation == nil)
        #expect(caller.send("GET", "/n?a&a=b").operation == nil)
    }

    @Test func `a question mark without a query is none`() throws {
        var caller = try caller(#"{"request": {"method": "GET", "url": "/a"}, "response": {}}"#)

        #expect(caller.send("GET", "/a?").operation != nil)
        #expect(caller.send("GET", "/a?b").operation == nil)
    }

    @Test func `where there is no body nothing is absent in it`() throws {
        var caller = try caller(
            #"{"request": {"method": "POST", "url": "/a", "bodyPatterns": [{"matchesJsonPath": {"expression": "$.a", "absent": true}}]}, "response": {}}"#
        )

        #expect(caller.send("POST", "/a", body: "{}").operation != nil)
        #expect(caller.send("POST", "/a", body: #"{"a": 1}"#).operation == nil)
        #expect(caller.send("POST", "/a").operation == nil)
    }

    @Test func `a malformed response is a 200 without headers`() throws {
        var caller = try caller(
            #"{"request": {"method": "GET", "url": "/a"}, "response": {"status": 201, "headers": {"X-A": "b"}, "fault": "MALFORMED_RESPONSE_CHUNK"}}"#
        )

        let response = caller.send("GET", "/a").response
        #expect(response.status == 200)
        #expect(response.header("X-A") == nil)
        #expect(!response.body.isEmpty)
    }
}

/// Mappings of one priority that one request may fit are listed where the order of the two programs may differ.
@Suite struct TieTests {
    private let older = mapping("older", #"{"X-A": {"equalTo": "a"}}"#)
    private let newer = mapping("newer", #"{"X-B": {"equalTo": "b"}}"#)

    private static func mapping(_ name: String, _ headers: String) -> String {
        #"{"name": "\#(name)", "request": {"method": "GET", "urlPath": "/a", "headers": \#(headers)}, "response": {}}"#
    }

    private func notes(_ files: [ImportFile]) throws -> [String] {
        try WireMockImport(name: "b").convert(files).warnings.map { "\($0.file) \($0.path) \($0.effect.rawValue)" }
    }

    @Test func `of two files the loser is listed`() throws {
        let files = [ImportFile("mappings/1.json", older), ImportFile("mappings/2.json", newer)]

        #expect(try notes(files) == ["mappings/1.json $ approximate"])
    }

    @Test func `in one file the later wins in both`() throws { #expect(try notes(Corpus.file(older, newer)) == []) }

    @Test func `another priority is no tie`() throws {
        let first = older.replacing("\"name\"", with: "\"priority\": 1, \"name\"")

        #expect(try notes([ImportFile("mappings/1.json", first), ImportFile("mappings/2.json", newer)]) == [])
    }

    @Test func `requests that fit both must exist`() throws {
        let other = TieTests.mapping("other", #"{"x-a": {"equalTo": "b"}}"#)

        #expect(try notes([ImportFile("mappings/1.json", older), ImportFile("mappings/2.json", other)]) == [])
    }

    @Test func `an address and an expression that matches it are compared exactly`() throws {
        let exact = #"{"name": "exact", "request": {"method": "GET", "urlPath": "/a/5"}, "response": {}}"#
        let wide = #"{"name": "wide", "request": {"method": "GET", "urlPathPattern": "/a/[0-9]+"}, "response": {}}"#

        #expect(try notes(Corpus.file(exact, wide)) == [])
    }
}
