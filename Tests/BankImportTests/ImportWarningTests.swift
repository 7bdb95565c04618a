import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Unconvertible parts are listed with their location, and nothing is served instead.
@Suite struct ImportWarningTests {
    private static let path = #""method": "GET", "urlPath": "/it""#

    @Test(arguments: [
        (#"{"method": "GET", "url": "/a", "urlPath": "/b"}"#, ".urlPath", #""/b""#),
        (#"{"method": "GET", "url": "a"}"#, ".url", #""a""#),
        (#"{"method": "GET", "url": "/a?"}"#, ".url", #""/a?""#),
        (#"{"method": "GET", "urlPath": "/a b"}"#, ".urlPath", #""/a b""#),
        (#"{"method": "GET", "urlPath": "/{a}"}"#, ".urlPath", #""/{a}""#),
        (#"{"method": "GET", "urlPathTemplate": "/a-{id}"}"#, ".urlPathTemplate", #""/a-{id}""#),
        (
            #"{"method": "GET", "urlPathTemplate": "/{a}", "pathParameters": {"b": {"equalTo": "c"}}}"#, ".pathParameters.b",
            #"{"equalTo":"c"}"#
        ),
        ("{\(path), \"cookies\": {\"a\": {\"equalTo\": \"b\"}}}", ".cookies", #"{"a":{"equalTo":"b"}}"#),
        ("{\(path), \"host\": {\"equalTo\": \"b\"}}", ".host", #"{"equalTo":"b"}"#),
        ("{\(path), \"bodyPatterns\": [{\"equalToXml\": \"<a/>\"}]}", ".bodyPatterns[0].equalToXml", #""<a/>""#),
        ("{\(path), \"customMatcher\": {\"name\": \"mine\"}}", ".customMatcher", #"{"name":"mine"}"#),
    ])
    func `a request that cannot be converted is left out`(_ request: String, _ location: String, _ found: String) throws {
        let warnings = try Corpus.warnings(request: request)

        #expect(warnings.count == 1, "\(warnings)")
        #expect(warnings.first?.effect == .leftOut)
        #expect(warnings.first?.path == "$.mappings[0].request" + location)
        #expect(warnings.first?.file == "mappings/all.json")
        #expect(warnings.first?.item == "`it`")
        #expect(found.isEmpty || warnings.first?.found == found, "\(warnings)")
    }

    @Test(arguments: [
        (#"{"method": "ANY", "url": "/it"}"#, ImportWarning.Effect.narrower, ".method"),
        (#"{"url": "/it"}"#, .narrower, ""),
    ])
    func `a request that is converted approximately is kept and listed`(
        _ request: String, _ effect: ImportWarning.Effect, _ location: String
    ) throws {
        let warnings = try Corpus.warnings(request: request)

        #expect(warnings.map(\.effect) == [effect], "\(warnings)")
        #expect(warnings.map(\.path) == ["$.mappings[0].request" + location], "\(warnings)")
    }

    @Test(arguments: [
        (#"{"method": "GET", "urlPathPattern": "/a/[^/]+"}"#), (#"{"method": "GET", "urlPathPattern": "^/a/(?<id>[^/]+)/b$"}"#),
        (#"{"method": "GET", "urlPathPattern": "/a/[^/]+\\.json"}"#), (#"{"method": "GET", "urlPattern": "/a\\?b=.*"}"#),
        (#"{"method": "GET_OR_HEAD", "url": "/it"}"#), (#"{"method": "HEAD", "url": "/it"}"#),
        (#"{"method": "GET", "urlPath": "/a%20b%2F"}"#), (#"{"method": "GET", "urlPathPattern": "/a/.*"}"#),
        (#"{"method": "GET", "urlPathPattern": "/a/acc-(\\d{4})/b"}"#), (#"{"method": "OPTIONS", "url": "/it"}"#),
        (#"{"method": "GET"}"#), (#"{"method": "GET", "urlPathPattern": "/a/(b|c)"}"#),
        (#"{"method": "GET", "urlPathPattern": "/a(/b)?"}"#), (#"{"method": "GET", "urlPathPattern": "/a/b+"}"#),
        (#"{"method": "GET", "urlPattern": "/a\\?(b|c)"}"#),
        ("{\(path), \"headers\": {\"X-A\": {\"equalTo\": \"b\", \"caseInsensitive\": true}}}"),
        ("{\(path), \"headers\": {\"A\": {\"contains\": \"*\"}}}"), ("{\(path), \"queryParameters\": {\"a\": {\"doesNotMatch\": \"b\"}}}"),
        ("{\(path), \"queryParameters\": {\"a\": {\"matches\": \"b|c\"}}}"),
        ("{\(path), \"bodyPatterns\": [{\"matchesJsonPath\": \"$.a[0]\"}]}"),
        ("{\(path), \"bodyPatterns\": [{\"matchesJsonPath\": \"$..a\"}]}"),
        ("{\(path), \"headers\": {\"A\": {\"matches\": \"Bearer [a-z]+\"}}}"),
        ("{\(path), \"headers\": {\"A\": {\"not\": {\"hasExactly\": [{\"equalTo\": \"b\"}]}}}}"),
        ("{\(path), \"bodyPatterns\": [{\"matchesJsonPath\": \"$[?(@.a > 5)]\"}, {\"matchesJsonSchema\": {\"type\": \"object\"}}]}"),
        ("{\(path), \"bodyPatterns\": [{\"equalToJson\": [1, 2], \"ignoreArrayOrder\": true}]}"),
        ("{\(path), \"bodyPatterns\": [{\"and\": [{\"matchesJsonPath\": \"$['a'].b\"}, {\"matchesJsonPath\": \"$.c\"}]}]}"),
        ("{\(path), \"bodyPatterns\": [{\"matchesJsonPath\": {\"expression\": \"$.a\", \"absent\": true}}]}"),
    ])
    func `a request that is converted exactly is not listed`(_ request: String) throws {
        #expect(try Corpus.warnings(request: request) == [])
    }

    @Test(arguments: [
        (#"{"proxyBaseUrl": "http://x"}"#, ImportWarning.Effect.leftOut, ".proxyBaseUrl"),
        (#"{"status": 700}"#, .leftOut, ".status"),
        (#"{"body": "{{#if a}}", "transformers": ["response-template"]}"#, .leftOut, ".transformers[0]"),
        (#"{"body": "a", "transformers": ["mine"]}"#, .leftOut, ".transformers[0]"),
        (#"{"bodyFileName": "{{request.path}}.json"}"#, .leftOut, ".bodyFileName"),
        (#"{"body": "{{request.path}}"}"#, .ignored, ""),
        (#"{"statusMessage": "Teapot"}"#, .ignored, ".statusMessage"),
        (#"{"body": "a", "jsonBody": {}}"#, .ignored, ".body"),
        (#"{"headers": {"Transfer-Encoding": "chunked"}}"#, .ignored, ".headers['Transfer-Encoding']"),
        (#"{"body": "a", "headers": {"Content-Length": "9"}}"#, .ignored, ".headers['Content-Length']"),
        (#"{"headers": {"Date": "Mon, 01 Jan 2024 00:00:00 GMT"}}"#, .ignored, ".headers.Date"),
        (#"{"jsonBody": {"a": [1.5, 2, 1.50]}}"#, .approximate, ".jsonBody.a[2]"),
        (#"{"bodyFileName": "gone.json"}"#, .leftOut, ".bodyFileName"),
        (#"{"headers": {"A": "b\r\nc: d"}}"#, .ignored, ".headers.A"),
        (#"{"headers": {"A b": "c"}}"#, .ignored, ".headers['A b']"),
        (#"{"headers": {"é": "c"}}"#, .ignored, ".headers['é']"),
        (#"{"headers": {"ê": "c"}}"#, .ignored, ".headers['ê']"),
        (#"{"delayDistribution": {"type": "gamma"}}"#, .ignored, ".delayDistribution"),
        (#"{"delayDistribution": {"type": "lognormal", "median": 5, "sigma": 11}}"#, .ignored, ".delayDistribution"),
        (
            #"{"delayDistribution": {"type": "uniform", "lower": 1, "upper": 2}, "fixedDelayMilliseconds": 5}"#, .ignored,
            ".fixedDelayMilliseconds"
        ),
        (#"{"fault": "EMPTY_RESPONSE", "delayDistribution": {"type": "uniform", "lower": 1, "upper": 2}}"#, .ignored, ".delayDistribution"),
        (
            #"{"fault": "EMPTY_RESPONSE", "chunkedDribbleDelay": {"numberOfChunks": 2, "totalDuration": 3}}"#, .ignored,
            ".chunkedDribbleDelay"
        ),
        (#"{"fixedDelayMilliseconds": 99999999}"#, .ignored, ".fixedDelayMilliseconds"),
        (#"{"fromConfiguredStub": true}"#, .ignored, ".fromConfiguredStub"),
    ])
    func `a response that cannot be converted is listed`(_ response: String, _ effect: ImportWarning.Effect, _ location: String) throws {
        let imported = try Corpus.imported(response: response)

        #expect(imported.warnings.map(\.effect) == [effect], "\(imported.warnings)")
        #expect(imported.warnings.map(\.path) == ["$.mappings[0].response" + location], "\(imported.warnings)")
        #expect(imported.operations == (effect == .leftOut ? 1 : 2))
        #expect(try imported.bank("b").warnings == [])
    }

    @Test func `a scenario moves from state to state`() throws {
        let imported = try WireMockImport(name: "b").convert(
            Corpus.file(
                #"{"id": "first", "scenarioName": "s", "requiredScenarioState": "Started", "newScenarioState": "paid", "request": {"method": "GET", "url": "/a"}, "response": {"body": "open"}}"#,
                #"{"id": "second", "scenarioName": "s", "requiredScenarioState": "paid", "request": {"method": "GET", "url": "/a"}, "response": {"body": "paid"}}"#
            ))
        var caller = Caller(try imported.bank("b").bank)

        #expect(["open", "paid", "paid"].allSatisfy { caller.send("GET", "/a").response.text == $0 })
        #expect(imported.warnings == [])
    }

    @Test func `several lines of one header are sent as several`() throws {
        let imported = try Corpus.imported(response: #"{"headers": {"A": ["b", "c"], "Set-Cookie": ["d=e", "f=g"]}}"#)
        var caller = Caller(try imported.bank("b").bank)
        let headers = caller.send("GET", "/it").response.headers

        #expect(imported.warnings == [])
        #expect(headers.filter { $0.name.lowercased() == "a" }.map(\.value) == ["b", "c"])
        #expect(headers.filter { $0.name.lowercased() == "set-cookie" }.map(\.value) == ["d=e", "f=g"])
    }

    @Test func `of two mappings for one request the winner is kept and the other listed`() throws {
        let request = #""request": {"method": "GET", "url": "/a"}"#
        let imported = try WireMockImport(name: "b").convert([
            ImportFile("mappings/1.json", #"{"name": "old", "priority": 1, \#(request), "response": {"body": "old"}}"#),
            ImportFile("mappings/2.json", #"{"name": "new", "priority": 1, \#(request), "response": {"body": "new"}}"#),
            ImportFile("mappings/3.json", #"{"name": "newest", \#(request), "response": {"body": "newest"}}"#),
        ])
        var caller = Caller(try imported.bank("b").bank)

        #expect(caller.send("GET", "/a").response.text == "new")
        #expect(imported.warnings.map(\.file) == ["mappings/1.json", "mappings/3.json"])
        #expect(
            imported.warnings.allSatisfy { $0.effect == .leftOut && $0.reason.contains("`new` (mappings/2.json) matches GET /a before it") }
        )
    }

    @Test func `a mapping that is converted too widely does not hide others`() throws {
        let imported = try WireMockImport(name: "b").convert(
            Corpus.file(
                #"{"name": "summary", "request": {"method": "GET", "urlPath": "/a/summary"}, "response": {"body": "summary"}}"#,
                #"{"name": "number", "request": {"method": "GET", "urlPathPattern": "/a/[0-9]+"}, "response": {"body": "number"}}"#))
        var caller = Caller(try imported.bank("b").bank)

        #expect(caller.send("GET", "/a/summary").response.text == "summary")
        #expect(caller.send("GET", "/a/12").response.text == "number")
        #expect(imported.warnings == [])
    }

    @Test func `a mapping for any method answers all that a bank has`() throws {
        let imported = try WireMockImport(name: "b").convert(
            Corpus.file(
                #"{"name": "all", "request": {"method": "ANY", "url": "/a"}, "response": {"body": "all", "fault": "EMPTY_RESPONSE"}}"#,
                #"{"name": "get", "request": {"method": "GET", "url": "/a"}, "response": {"body": "get"}}"#))
        var caller = Caller(try imported.bank("b").bank)

        #expect(caller.send("GET", "/a").operation == "get")
        #expect(
            ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map { caller.send($0, "/a").operation } == [
                "all-post", "all-put", "all-patch", "all-delete", "all-head", "all-options",
            ])
        #expect(try imported.rules("outages/b.yaml").count == 6)
    }

    @Test func `the list is for people and for programs`() throws {
        let warnings = try #require(try Corpus.warnings(request: "{\(Self.path), \"host\": {\"equalTo\": \"b\"}}").first)

        #expect(
            "\(warnings)"
                == "mappings/all.json: `it`: $.mappings[0].request.host: found {\"equalTo\":\"b\"}; `host` has no effect here (skipped)")
        #expect(warnings.json["effect"] == "left-out")
        #expect(warnings.json["path"] == "$.mappings[0].request.host")
    }
}
