import BankCore
import BankFiles
import BankModel
import Contracts
import Testing

@testable import BankImport

/// Sources that are large, or made so that a careless reader never ends.
@Suite(.timeLimit(.minutes(10))) struct LargeSourceTests {
    /// Schemas that refer to the next one twice each: written out, the first has two to the power of `depth` values.
    private func doubling(_ depth: Int) -> String {
        let schemas = (0..<depth).map { level in
            "s\(level): {properties: {a: {$ref: '#/components/schemas/s\(level + 1)'}, b: {$ref: '#/components/schemas/s\(level + 1)'}}}"
        }
        return DescriptionCorpus.description(
            operation: ##"{responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/s0"}}}}}}"##,
            components: "{schemas: {\(schemas.joined(separator: ", ")), s\(depth): {type: string}}}")
    }

    @Test func `schemas that double at each step have an example of bounded size`() throws {
        let imported = try DescriptionCorpus.imported(yaml: doubling(40))

        let body = try #require(imported.text("it/replies/get-it.json"))
        #expect(body.utf8.count < 1_000_000)
        #expect(imported.warnings.allSatisfy { $0.effect == .approximate && $0.path.hasPrefix("#/components/schemas/s") })
        #expect(!imported.warnings.isEmpty)
    }

    @Test func `a small example is whole and nothing is listed`() throws {
        let imported = try DescriptionCorpus.imported(yaml: doubling(8))

        #expect(imported.warnings == [])
        #expect(imported.text("it/replies/get-it.json")?.split(separator: "Example").count == 257)
    }

    @Test func `an example that is too large is left out wherever it is referred to`() throws {
        func fields(_ schema: String) -> String { (0..<70).map { "f\($0): \(schema)" }.joined(separator: ", ") }
        let (leaf, large) = ("{$ref: '#/components/schemas/leaf'}", "{$ref: '#/components/schemas/large'}")
        let schemas = [
            "leaf: {properties: {\(fields("{type: boolean}"))}}", "large: {properties: {\(fields(leaf))}}",
            "it: {properties: {a: \(leaf), x: \(large), y: \(large)}}",
        ]
        let yaml = DescriptionCorpus.description(
            operation: ##"{responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/it"}}}}}}"##,
            components: "{schemas: {\(schemas.joined(separator: ", "))}}")
        let imported = try DescriptionCorpus.imported(yaml: yaml)

        // With a 72 values, x and y 4,971 each.
        let body = try JSON(parsing: try #require(imported.text("it/replies/get-it.json")))
        #expect(body.object?.keys == ["a"])
        #expect(imported.warnings.map(\.path) == ["x", "y"].map { "#/components/schemas/it/properties/\($0)" })
    }

    @Test func `a chain of schemas without end is cut and listed`() throws {
        let schemas = (0..<3_000).map { "s\($0): {properties: {a: {$ref: '#/components/schemas/s\($0 + 1)'}}}" }
        let yaml = DescriptionCorpus.description(
            operation: ##"{responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/s0"}}}}}}"##,
            components: "{schemas: {\(schemas.joined(separator: ", "))}}")

        #expect(try DescriptionCorpus.imported(yaml: yaml).warnings.map(\.path).contains("#/components/schemas/s64"))
    }

    /// Counted scheme by scheme and operation by operation, 400 of each took a minute.
    @Test func `of a thousand schemes that a thousand operations use, one is kept and the others are listed`() throws {
        let numbers = 0..<1_000
        let schemes = numbers.map { "k\($0): {type: apiKey, in: header, name: x-k\($0)}" }.joined(separator: ", ")
        let paths = numbers.map { ##"/it\##($0): {get: {security: [{k\##($0): []}], responses: {"204": {description: Nothing}}}}"## }
        let imported = try DescriptionCorpus.imported(
            yaml: """
                openapi: 3.1.0
                info: {title: It, version: "1"}
                paths: {\(paths.joined(separator: ", "))}
                components: {securitySchemes: {\(schemes)}}
                """)

        #expect(imported.warnings.count { $0.path.hasPrefix("#/components/securitySchemes/k") } == 999)
    }

    @Test func `a body whose fields have all fields again is looked at in part`() throws {
        let fields = (0..<40).map { "f\($0): {$ref: '#/components/schemas/it'}" }.joined(separator: ", ")
        let yaml = DescriptionCorpus.description(
            operation:
                ##"{responses: {"200": {}}, requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/it"}}}}}"##,
            components: "{schemas: {it: {type: object, properties: {\(fields)}}}}")

        #expect(try DescriptionCorpus.imported(yaml: yaml).warnings.map(\.effect) == [.wider])
    }

    @Test func `addresses without end are left out, and the name of an operation is short`() throws {
        func read(_ at: Int, _ address: String) -> HAREntry {
            HAREntry(at, "GET", address, gets: Traffic.json, response: #"{"ok":1}"#)
        }
        let fields = (0..<20_000).map { "f\($0)=1" }.joined(separator: "&")
        let learned = try Traffic.learned([
            read(0, "/" + String(repeating: "a", count: 1500)), read(10, String(repeating: "/a", count: 20_000)),
            read(15, String(repeating: "/a", count: 101)), read(20, "/q?" + fields),
        ])
        let operations = try learned.imported.bank("b").bank.operations

        #expect(operations.count == 1)
        #expect(operations[0].name.count == 60)
        #expect(Traffic.lists(learned, "the path has more than 2048 bytes or 100 segments"))
        #expect(Traffic.lists(learned, "the query has more than 1000 fields"))
    }

    /// An image in base64 has a slash every 64 bytes.
    @Test func `a word of a megabyte in a HAR is looked at once`() throws {
        let image = String(repeating: "A/b+9", count: 200_000)
        let entries = [
            HAREntry(0, token: ArchiveStory.one, response: #"{"id":"a1","photo":"\#(image)"}"#),
            HAREntry(900, "GET", "/v1/\(image)/\(ArchiveStory.one)", 401, token: ArchiveStory.one),
        ]

        let verdict = try ArchiveVerdict([ArchiveStory.file(entries)])

        #expect(verdict.notes.first == "2 of 2 requests checked (recorded by mitmproxy 1)")
        #expect(!verdict.reports.document(command: { _ in "judge" }, duration: 0).json.text.contains(ArchiveStory.one))
    }

    /// Written out it would have 100 gigabytes.
    @Test func `a long variable that a Postman body has many times is not written out`() throws {
        let body = String(repeating: "{{a}}", count: 100_000)
        let collection = """
            {"info": {"name": "c"}, "variable": [{"key": "a", "value": "\(String(repeating: "x", count: 1_000_000))"}],
             "item": [{"request": {"method": "POST", "url": "https://bank.example/x", "body": {"mode": "raw", "raw": "\(body)"}},
                       "response": [{"code": 200}]}]}
            """

        let (exchanges, warnings) = try PostmanImport.read([ImportFile("c.json", collection)])

        #expect(exchanges.map(\.requestBody.bytes) == [Array(body.utf8)])
        #expect(warnings.map(\.reason) == ["a variable of the body has no value in the collection"])
    }

    /// Written out they would have 180 megabytes.
    @Test func `variables that make many requests of a Postman collection long are rejected`() {
        let value = String(repeating: "{{b}}", count: 1_000)
        let item = """
            {"request": {"url": "https://bank.example/x", "header": [{"key": "X-A", "value": "{{a}}"}]}, "response": [{"code": 200}]}
            """
        let collection = """
            {"info": {"name": "c"}, "variable": [{"key": "a", "value": "\(value)"}, {"key": "b", "value": "\(String(repeating: "x", count: 900))"}],
             "item": [\(Array(repeating: item, count: 200).joined(separator: ","))]}
            """

        let error = #expect(throws: ComplaintsError.self) { _ = try PostmanImport.read([ImportFile("c.json", collection)]) }

        #expect(
            error?.description
                == "c.json: $.variable: found variables whose values add over 64 MiB to the requests, expected shorter ones")
    }

    @Test func `thousands of mappings each with a path or a query of its own`() throws {
        let mappings = (0..<2_500).flatMap { number in
            [
                #"{"name": "same", "request": {"method": "GET", "urlPathPattern": "/a\#(number)/[^/]+"}, "response": {"body": "x"}}"#,
                #"{"request": {"method": "GET", "urlPath": "/q", "headers": {"Accept": {"equalTo": "a"}}, "queryParameters": {"n": {"equalTo": "\#(number)"}}}, "response": {"body": "y"}}"#,
            ]
        }
        let imported = try WireMockImport(name: "b").convert([
            ImportFile("mappings/all.json", "{\"mappings\": [\(mappings.joined(separator: ","))]}")
        ])
        var caller = Caller(try imported.bank("b").bank)

        #expect(imported.warnings == [])
        #expect(imported.operations == 5_000)
        #expect(caller.send("GET", "/a2499/x").response.text == "x")
        #expect(caller.send("GET", "/q?n=2499", ["Accept": "a"]).response.text == "y")
    }

    @Test func `thousands of tokens that a HAR shows rejected and sent again`() throws {
        let entries = (0..<4_000).map { HAREntry($0 * 1_000, "GET", "/v1/accounts", 401, token: "access-token-number-\($0 / 2)") }
        let verdict = try ArchiveVerdict([ArchiveStory.file(entries)])
        let rule = verdict.reports.reports.first?.rules.first { $0.id == "auth.token-cleared-on-rejection" }

        #expect(rule?.violations.count == 2_000)
    }

    /// Each page was looked for in all rows, and each cursor in all responses before: 2,000 pages took 15 seconds.
    @Test func `thousands of pages of a list are learned together`() throws {
        let entries = (0..<3_000).map { page in
            Traffic.get(
                page * 10, "/rows?q=w\(page % 3)" + (page < 3 ? "" : "&cursor=c\(page)"),
                #"{"items":[{"id":"r\#(page)","q":"w\#(page % 3)"}],"next_cursor":"c\#(page + 3)"}"#, token: nil)
        }
        let learned = try Traffic.learned(entries)
        let definition = try #require(learned.imported.text("b/bank.yaml"))
        var caller = Caller(try learned.imported.bank("b").bank)
        let first = try JSON(parsing: caller.send("GET", "/rows?q=w2").response.body)

        #expect(definition.contains("style: cursor") && definition.contains("next_cursor: {page: next}"), "\(definition)")
        #expect(first["items"]?.array?.first?["id"]?.string == "r2")
    }

    @Test func `thousands of lists of one account each have the rows that were recorded there`() throws {
        let accounts = (0..<2_000).map { #"{"id":"acc\#($0)"}"# }.joined(separator: ",")
        // In letters: a number of four digits is replaced.
        func id(_ number: Int) -> String {
            "r" + String(number).map { String("abcdefghij".dropFirst($0.wholeNumberValue ?? 0).prefix(1)) }.joined()
        }
        let lists = (0..<2_000).map {
            Traffic.get(10 + $0 * 10, "/accounts/acc\($0)/items", #"{"items":[{"id":"\#(id($0))"}]}"#, token: nil)
        }
        let learned = try Traffic.learned([Traffic.get(0, "/accounts", #"{"accounts":[\#(accounts)]}"#, token: nil)] + lists)
        var caller = Caller(try learned.imported.bank("b").bank)
        let rows = try JSON(parsing: caller.send("GET", "/accounts").response.body)["accounts"]?.array
        let last = try #require(rows?.last?["id"]?.string)

        #expect(rows?.count == 2_000)
        #expect(caller.send("GET", "/accounts/\(last)/items").response.text == #"{"items":[{"id":"\#(id(1999))"}]}"#)
    }

    /// Whether the app has a token at all was looked for in all requests, for each of them.
    @Test func `thousands of requests of a HAR without a token`() throws {
        let entries = (0..<4_000).map { HAREntry($0 * 1_000, sends: ["Authorization": "Bearer null"]) }
        let verdict = try ArchiveVerdict([ArchiveStory.file(entries)])
        let rule = verdict.reports.reports.first?.rules.first { $0.id == "auth.no-empty-bearer" }

        #expect(rule?.verdict == .inconclusive)
        #expect(rule?.openFindings.count == 4_000)
    }

    /// Which other client got a rejected token again was looked for in all responses, for each of them.
    @Test func `thousands of tokens that one of two tabs was given again`() throws {
        let entries = (0..<1_000).flatMap { round in
            let token = "access-token-number-\(round)"
            return [
                HAREntry(round * 4_000, "GET", "/v1/accounts", 401, token: token, page: "one"),
                HAREntry(round * 4_000 + 1_000, response: #"{"access_token":"\#(token)"}"#, page: "two"),
                HAREntry(round * 4_000 + 2_000, "GET", "/v1/accounts", 401, token: token, page: "one"),
            ]
        }
        let verdict = try ArchiveVerdict([ArchiveStory.file(entries)])
        let rule = verdict.reports.reports.first?.rules.first { $0.id == "auth.token-cleared-on-rejection" }

        #expect(rule?.violations == [])
        #expect(rule?.openFindings.count == 1_000)
        #expect(rule?.openFindings.first?.reason == "exchange 2 of another client issued the token again")
    }

    @Test func `thousands of paths stand before what would hide them`() throws {
        var lines = ["openapi: 3.1.0", "paths:", "  /{any}/{id}: {get: {responses: {\"200\": {}}}}"]
        lines += (0..<3_000).map { "  /a\($0)/{id}: {get: {responses: {\"200\": {}}}}" }
        let bank = try DescriptionCorpus.imported(yaml: lines.joined(separator: "\n")).bank("it").bank

        #expect(bank.operations.map { $0.path.description } == (0..<3_000).map { "/a\($0)/{id}" } + ["/{any}/{id}"])
    }
}
