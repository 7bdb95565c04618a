import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Exchanges that cannot be learned are listed with their location, and collections are read without executing anything.
@Suite struct TrafficSourceTests {
    private static let good = HAREntry(5000, "GET", "/good", gets: Traffic.json, response: #"{"a":1}"#)
    private static let html = ["Content-Type": "text/html"]

    private static let bad: [(reason: String, entry: HAREntry)] = [
        (
            "1 exchange with another host; --host other.example",
            HAREntry(0, "GET", "/x", gets: Traffic.json, response: "{}", host: "other.example")
        ),
        ("the response is a page", HAREntry(0, "GET", "/x", gets: html, response: "<p>")),
        ("the recorder left out the response's body", HAREntry(0, "GET", "/x").with("response.content", ["size": 20])),
        ("broken base 64", HAREntry(0, "GET", "/x").with("response.content", ["size": 4, "text": "%%", "encoding": "base64"])),
        ("are WebSockets", HAREntry(0, "GET", "/x", 101)),
        ("have no readable URL", HAREntry(0).with("request.url", 5)),
        ("it has no response", HAREntry(0).with("response.status", 0)),
        ("a bank has no such method", HAREntry(0, "PROPFIND", "/x", gets: Traffic.json, response: "{}")),
        ("304 has no body", HAREntry(0, "GET", "/x", 304)),
    ]

    @Test(arguments: bad.map(\.reason))
    func `what cannot be learned is listed, and the rest is learned`(_ reason: String) throws {
        let entry = try #require(TrafficSourceTests.bad.first { $0.reason == reason }).entry
        let learned = try Traffic.learned([entry, TrafficSourceTests.good])

        #expect(Traffic.lists(learned, reason), "\(learned.imported.warnings)")
        #expect(try learned.imported.bank("b").bank.operations.map(\.requestLine) == ["GET /good"])
        #expect(throws: ComplaintsError.self) { try Traffic.learned([entry]) { $0.host = "bank.example" } }
    }

    @Test func `a role that was not bound has its reason`() throws {
        let learned = try Traffic.learned([Traffic.get(0, "/v1/accounts", #"{"accounts":[{"id":"a1","currency":"GBP"}]}"#)])

        let choices = learned.imported.choices.map(\.description)
        #expect(choices == ["accounts: GET /v1/accounts: not used: its rows have no name by the usual names"])
    }

    @Test(arguments: [
        (#"[{"accountRef":"x1","name":"Main"}]"#, "its rows have no id by the usual names, so they are not a table"),
        (#"{"_embedded":{"accounts":[{"id":"a1","_links":{}}]}}"#, "its rows have `_links`, and a bank never sends"),
        (#"{"Response":[{"Account":{"id":1}}]}"#, "its rows have no id by the usual names, so they are not a table"),
        (#"[{"id":"a1"}]"#, nil), (#"{"id":1}"#, nil),
    ])
    func `a list that does not become a table is listed with the reason`(_ response: String, _ reason: String?) throws {
        let learned = try Traffic.learned([Traffic.get(0, "/v1/accounts", response)])

        #expect(Traffic.lists(learned, "not a table") == (reason != nil), "\(learned.imported.warnings)")
        #expect(reason.map { Traffic.lists(learned, $0) } ?? true, "\(learned.imported.warnings)")
    }

    @Test func `a list with queries that are not understood is listed with the reason`() throws {
        let pages = [
            ("from_row=0&most=2", #"[{"id":"r1"},{"id":"r2"}]"#), ("from_row=2&most=1", #"[{"id":"r3"}]"#),
            ("after_row=5", #"[{"id":"r3"}]"#),
        ].enumerated().map { Traffic.get($0 * 100, "/v1/rows?\($1.0)", $1.1) }
        let around = [("x", 0), ("y", 100)].map { Traffic.get($1, "/v1/things", #"{"things":[{"id":"t1"}],"at":"\#($0)"}"#) }

        #expect(
            Traffic.lists(
                try Traffic.learned(pages), "nothing shows how `from_row`, `most`, `after_row` choose its rows, so they are not a table"))
        #expect(Traffic.lists(try Traffic.learned(around), "its rows do not explain the responses around them"))
    }

    @Test(arguments: [(401, true), (500, true), (404, false)])
    func `a call of which only errors were recorded is listed`(_ status: Int, _ isListed: Bool) throws {
        let learned = try Traffic.learned([
            TrafficSourceTests.good, Traffic.get(100, "/v1/me", #"{"error":"x"}"#, status: status),
            Traffic.get(200, "/good", #"{"error":"x"}"#, status: status),
        ])

        #expect(Traffic.lists(learned, "found \"GET /v1/me\"; only \(status) was recorded") == isListed, "\(learned.imported.warnings)")
        #expect(!Traffic.lists(learned, "found \"GET /good\"; only"))
    }

    @Test func `another host can be chosen, and binary bodies are sent as they were`() throws {
        let bytes: [UInt8] = [0x89, 0x50, 0, 255]
        let image = HAREntry(0, "GET", "/x.png", gets: ["Content-Type": "image/png"], host: "other.example:8443")
            .with("response.content", ["size": 4, "text": .string(Base64.encoded(bytes)), "encoding": "base64"])
        let learned = try Traffic.learned([image, TrafficSourceTests.good]) { $0.host = "other.example" }
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(caller.send("GET", "/x.png").response.body == bytes)
        #expect(Traffic.lists(learned, "1 exchange with another host; --host bank.example"))
    }

    @Test func `several cookies, duplicate headers and odd paths do not stop an import`() throws {
        let learned = try Traffic.learned([
            HAREntry(0, "GET", "/a%20b/%7Bx%7D", gets: Traffic.json, response: #"{"odd":1}"#),
            TrafficSourceTests.good.with(
                "response.headers",
                [["name": "Content-Type", "value": "application/json"], ["name": "X-A", "value": "1"], ["name": "X-A", "value": "2"]]),
        ])
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(caller.send("GET", "/a%20b/%7Bx%7D").response.text == #"{"odd":1}"#)
        #expect(caller.send("GET", "/good").response.headers.filter { $0.name.lowercased() == "x-a" }.map(\.value) == ["1", "2"])
    }

    @Test func `an archive without the tokens of its sign-in is named`() throws {
        let signIn = Traffic.signIn
        let without = try Traffic.learned([signIn, Traffic.get(100, "/v1/accounts", Traffic.accounts, token: nil)])
        let with = try Traffic.learned([signIn, Traffic.get(100, "/v1/accounts", Traffic.accounts)])

        #expect(Traffic.lists(without, "export the HAR with sensitive data"))
        #expect(!Traffic.lists(with, "export the HAR with sensitive data"))
    }

    // MARK: Postman

    private func learned(_ items: String, _ rest: String = "") throws -> TrafficImport.Learned {
        let text =
            #"{"info":{"name":"c","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[\#(items)]\#(rest)}"#
        let (exchanges, warnings) = try PostmanImport.read([ImportFile("c.json", text)])
        return try TrafficImport(TrafficImport.Options(name: "b", seed: 7)).convert(exchanges, warnings: warnings)
    }

    private func request(_ url: String, _ rest: String = "", status: Int = 200, response: String = #"{\"ok\":1}"#) -> String {
        #"{"name":"r","request":{"method":"GET","url":\#(url)\#(rest)},"response":[{"code":\#(status),"body":"\#(response)"}]}"#
    }

    @Test func `examples in folders become operations, with variables and credentials`() throws {
        let item = request(
            #"{"raw":"{{base}}/v1/things/:kind?x=1","query":[{"key":"x","value":"1"}],"variable":[{"key":"kind","value":"big"}]}"#)
        let learned = try learned(
            #"{"name":"f","item":[\#(item)]}"#,
            #","variable":[{"key":"host","value":"bank.example"},{"key":"base","value":"https://{{host}}"}],"auth":{"type":"bearer","bearer":[{"key":"token","value":"tok-secret-1234"}]}"#
        )
        let bank = try learned.imported.bank("b").bank

        #expect(bank.operations.map(\.requestLine) == ["GET /v1/things/big"])
        #expect(bank.operations[0].access != .open)
        #expect(learned.imported.files.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("tok-secret-1234") })
    }

    @Test(arguments: [
        (
            #"{"name":"r","request":{"url":"https://bank.example/x"}}"#,
            "$.item[1].request: found \"an object\"; the request has no saved example"
        ),
        (#"{"name":"r","request":{"url":"https://bank.example/{{id}}"},"response":[{"code":200}]}"#, "`{{id}}` in the path has no value"),
        (#"{"name":"r","request":{"url":"https://bank.example/x"},"response":[{"name":"no code"}]}"#, "the example has no status"),
        (
            #"{"name":"r","event":[{"listen":"test","script":{"exec":["pm.globals.set('a', 'b')"]}}],"item":[]}"#,
            "$.item[1].event[0]: found \"an object\"; scripts are not executed"
        ),
        (#"{"name":"neither"}"#, "it is neither a folder nor a request"),
        (
            #"{"name":"r","request":{"url":"https://bank.example/x","body":{"mode":"file"}},"response":[{"code":200}]}"#,
            "only raw, urlencoded and graphql bodies"
        ),
        (
            #"{"name":"r","request":{"url":"https://bank.example/x","auth":{"type":"awsv4"}},"response":[{"code":200}]}"#,
            "this kind of credentials is not supported"
        ),
        (
            #"{"name":"r","request":{"url":"https://bank.example/x","body":{"mode":"urlencoded","urlencoded":[{"key":"a","value":"{{b}}"}]}},"response":[{"code":200}]}"#,
            "$.item[1].request.body.urlencoded[0]: found \"an object\"; a variable of the body has no value"
        ),
        (#"{"name":"r","request":{"url":{"path":["x"]}},"response":[{"code":200}]}"#, "the example has no address"),
        (
            #"{"name":"r","request":{"url":"https://bank.example/x"},"response":[{"code":200,"body":"{\"a\": \"<string>\"}"}]}"#,
            "$.item[1].response[0]: found \"an object\"; it has placeholders such as `<string>`"
        ),
    ])
    func `what a collection cannot say is listed with its JSON path`(_ item: String, _ reason: String) throws {
        let learned = try learned(request(#""https://bank.example/good""#) + "," + item)

        #expect(Traffic.lists(learned, reason), "\(learned.imported.warnings)")
    }

    @Test(arguments: [
        (#"{"a": "b//c", // a comment\n /* and\n another */ "d": "\"//"}"#, #"{"a": "b//c", "#),
        (#"{"a": 1 /"#, #"{"a": 1 /"#), ("a // b", "a // b"), (#"{"a": 1} // end"#, #"{"a": 1} "#),
    ])
    func `comments are taken out of JSON alone`(_ text: String, _ beginning: String) throws {
        let plain = PostmanTexts.withoutComments(text.replacing("\\n", with: "\n"))

        #expect(plain.hasPrefix(beginning))
        #expect(!plain.contains("comment") && !plain.contains("another"))
    }

    @Test func `a URL may have parts only`() throws {
        let learned = try learned(request(#"{"protocol":"https","host":["bank","example"],"path":["v1","things"]}"#))

        #expect(try learned.imported.bank("b").bank.operations.map(\.requestLine) == ["GET /v1/things"])
    }

    @Test(arguments: ["{{base}}", "https://{{host}}", "{{scheme}}://{{host}}:{{port}}", "{{scheme}}://bank.example"])
    func `a host without a value is any host`(_ host: String) throws {
        let learned = try learned(request("\"\(host)/v1/things?from=https://a.example\""))

        #expect(try learned.imported.bank("b").bank.operations.map(\.requestLine) == ["GET /v1/things"])
        #expect(Traffic.lists(learned, "a variable of the host has no value in the collection"))
    }

    @Test func `headers may be lines, and variables of version 2 are read`() throws {
        let header = #""Content-Type: application/json\nX-Kind: a:b""#
        let learned = try learned(
            #"{"name":"r","request":{"url":"https://{{host}}/x","header":"X-Api-Key: key-12345678"},"response":[{"code":200,"header":\#(header),"body":"{\"a\":\"key-12345678\"}"}]}"#,
            #","variables":[{"id":"host","value":"bank.example"}]"#)
        var caller = Caller(try learned.imported.bank("b").bank)

        let response = caller.send("GET", "/x").response
        #expect(response.header("X-Kind") == "a:b" && response.text == #"{"a":"redacted"}"#, "\(response.text)")
        #expect(!Traffic.lists(learned, "a variable of the host"))
    }

    @Test func `queries of GraphQL are distinguished`() throws {
        func ask(_ query: String, _ answer: Int) -> String {
            let body = #"{"mode":"graphql","graphql":{"query":"\#(query)","variables":"{\"id\":\"{{id}}\"}"}}"#
            return
                #"{"name":"r","request":{"method":"POST","url":"https://bank.example/graphql","body":\#(body)},"response":[{"code":200,"body":"{\"a\":\#(answer)}"}]}"#
        }
        let learned = try learned(ask("{ a }", 1) + "," + ask("{ b }", 2), #","variable":[{"key":"id","value":"7"}]"#)
        var caller = Caller(try learned.imported.bank("b").bank)

        let body = #"{"query":"{ b }","variables":{"id":"7"}}"#
        #expect(caller.send("POST", "/graphql", ["Content-Type": "application/json"], body: body).response.text == #"{"a":2}"#)
    }

    @Test func `a customer's name is not a variable`() throws {
        let form =
            #"[{"key":"grant_type","value":"password"},{"key":"username","value":"{{user}}"},{"key":"password","value":"{{password}}"}]"#
        let learned = try learned(
            #"{"name":"r","request":{"method":"POST","url":"https://bank.example/token","body":{"mode":"urlencoded","urlencoded":\#(form)}},"response":[{"code":200,"body":"{\"access_token\":\"tok-aaaaaaaaaaaa\"}"}]}"#
        )

        let login = try #require(try learned.imported.bank("b").bank.customers.first?.login)
        #expect(!login.contains("{") && !login.isEmpty, "\(login)")
    }

    @Test(arguments: ["query", "header"])
    func `an API key is not written, whatever the name of its header or field is`(_ location: String) throws {
        let requests = ["first", "other"].map { name in
            let settings = #"[{"key":"key","value":"k"},{"key":"value","value":"\#(name)-key-1234"},{"key":"in","value":"\#(location)"}]"#
            return request(
                #""https://bank.example/rate""#, #","auth":{"type":"apikey","apikey":\#(settings)}"#,
                response: #"{\"rate\":\"\#(name)\",\"echo\":\"\#(name)-key-1234\"}"#)
        }
        let learned = try learned(requests.joined(separator: ","))

        #expect(learned.imported.files.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("-key-1234") })
    }

    @Test(arguments: [
        ("awsv4", "secretKey"), ("awsv4", "sessionToken"), ("digest", "password"), ("hawk", "authKey"), ("oauth1", "tokenSecret"),
    ])
    func `a secret of credentials that are not supported is not written`(_ type: String, _ name: String) throws {
        let auth = #","auth":{"type":"\#(type)","\#(type)":[{"key":"\#(name)","value":"{{mine}}"}]}"#
        let learned = try learned(
            [("plain", ""), ("signed", #","header":[{"key":"Authorization","value":"signed"}]"#)].map { path, header in
                request("\"https://bank.example/\(path)\"", auth + header, response: #"{\"rate\":1,\"echo\":\"Wq81-zz-5678\"}"#)
            }.joined(separator: ","),
            #","variable":[{"key":"mine","value":"Wq81-zz-5678"}]"#)

        #expect(Traffic.lists(learned, "this kind of credentials is not supported"))
        #expect(learned.imported.files.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("Wq81-zz-5678") })
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "1e300", "-5"])
    func `a time that no response takes is not learned`(_ time: String) throws {
        let learned = try learned(
            #"{"name":"r","request":{"url":"https://bank.example/x"},"response":[{"code":200,"body":"{}","responseTime":\#(time)}]}"#)

        #expect(learned.imported.rules == 0)
    }

    @Test(arguments: [
        ("[]", "expected a Postman collection of version 2.1"),
        (#"{"info":{"schema":"https://schema.getpostman.com/json/collection/v1.0.0/"},"item":[]}"#, "export it again"),
        ("{", "c.json:1:2"),
    ])
    func `a file that is no collection is rejected`(_ text: String, _ message: String) {
        let error = #expect(throws: ComplaintsError.self) { try PostmanImport.read([ImportFile("c.json", text)]) }
        #expect(error.map { "\($0.complaints)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }
}
