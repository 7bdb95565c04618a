import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// The matching of a pact's request, case by case, and the listed differences from Pact.
@Suite struct PactVectorTests {
    /// The request of an interaction, and one that is sent.
    struct Vector: CustomTestStringConvertible, Sendable {
        let name: String
        /// As in a pact.
        let expected: String
        let sent: (target: String, headers: [String: String], body: String)
        let isMet: Bool
        let version: Int
        /// The listed effects.
        let notes: [ImportWarning.Effect]

        init(
            _ name: String, _ expected: String, version: Int = 2, sent target: String, headers: [String: String] = [:], body: String = "",
            isMet: Bool, notes: [ImportWarning.Effect] = []
        ) {
            self.name = name
            self.expected = expected
            self.version = version
            self.isMet = isMet
            self.notes = notes
            sent = (target, headers, body)
        }

        var testDescription: String { name }
    }

    static let query = #""query": {"a": ["1"], "b": ["2"]}"#

    static let vectors = [
        Vector("the query as declared", "{\(query)}", version: 3, sent: "/it?a=1&b=2", isMet: true),
        Vector("the query in another order", "{\(query)}", version: 3, sent: "/it?b=2&a=1", isMet: true),
        Vector("a field too many in the query", "{\(query)}", version: 3, sent: "/it?a=1&b=2&c=3", isMet: false),
        Vector("a field too few in the query", "{\(query)}", version: 3, sent: "/it?a=1", isMet: false),
        Vector("a query of version 2, and a field too many", #"{"query": "a=1&b=2"}"#, sent: "/it?a=1&b=2&c", isMet: false),
        Vector("an empty query, and a field", #"{"query": ""}"#, sent: "/it?a=1", isMet: false),
        Vector("an empty query", #"{"query": {}}"#, version: 3, sent: "/it", isMet: true),

        Vector("no body declared, and some", "{}", sent: "/it", body: "x", isMet: true),
        Vector("an empty body declared, and none", #"{"body": ""}"#, sent: "/it", isMet: true),
        Vector("an empty body declared, and some", #"{"body": ""}"#, sent: "/it", body: "x", isMet: false),
        Vector(
            "an empty body of JSON declared, and some", #"{"headers": {"Content-Type": "application/json"}, "body": ""}"#, sent: "/it",
            headers: ["Content-Type": "application/json"], body: "{}", isMet: false),
        Vector("no body declared by null, and none", #"{"body": null}"#, version: 3, sent: "/it", isMet: true),
        Vector("no body declared by null, and some", #"{"body": null}"#, version: 3, sent: "/it", body: "{}", isMet: false),
        Vector("empty content, and none", #"{"body": {"content": ""}}"#, version: 4, sent: "/it", isMet: true),
        Vector("empty content, and some", #"{"body": {"content": ""}}"#, version: 4, sent: "/it", body: "x", isMet: false),
        Vector("content of null, and some", #"{"body": {"content": null}}"#, version: 4, sent: "/it", body: "x", isMet: false),
        Vector("no content declared, and some", #"{"body": {}}"#, version: 4, sent: "/it", body: "x", isMet: true),

        header("X-A", "a, b", sent: "a,b", isMet: true),
        header("X-A", "a,b", sent: "a ,  b", isMet: true),
        header("X-A", "a, b", sent: "b, a", isMet: false),
        header("X-A", "a, b", sent: "a", isMet: false),
        header("X-A", "a;b", sent: "a; b", isMet: false),
        header("Accept", "a/a", sent: "a/a;q=1", isMet: true),
        header("Accept", "a/a", sent: "a/ab", isMet: false),
        header("Content-Type", "a/a", sent: "a/a, b/b", isMet: false),
        header("Content-Type", "a/a; x=1; y=Z", sent: "a/a;y=z; x=1", isMet: true),
        header("Content-Type", "a/a; x=1; y=Z", sent: "a/a; x=2; y=Z", isMet: false),
        header("Content-Type", "a/a; x=1; y=Z", sent: "a/a; x=1", isMet: false),
        Vector(
            "a body of JSON declared without a type, sent as a form", #"{"body": {"a": 1}}"#, sent: "/it",
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: #"{"a": 1}"#, isMet: false),
        Vector(
            "a body of JSON declared without a type, sent without", #"{"body": {"a": 1}}"#, sent: "/it", body: #"{"a": 1}"#, isMet: true),

        xml("<a><b/> t</a>", isMet: true),
        xml("<?xml version='1.0'?>\n<a>\n  <b></b>\n  t\n</a>\n", isMet: true),
        xml("<a><b /><b/>t</a>", isMet: false),
        xml("<a><b/>u</a>", isMet: false),
        xml("<a>t<b/></a>", isMet: false),

        rule(#""type""#, declared: "4", sent: "5.5", isMet: true),
        rule(#""type""#, declared: "4", sent: #""5""#, isMet: false),
        rule(#""type""#, declared: #""x""#, sent: #""""#, isMet: true),
        rule(#""type""#, declared: "[1]", sent: "[2, 3]", isMet: true),
        rule(#""type""#, declared: "[1]", sent: #"[2, "x"]"#, isMet: false),
        rule(#""type", "min": 2"#, declared: "[1]", sent: "[2]", isMet: false),
        rule(#""type", "max": 2"#, declared: "[1]", sent: "[]", isMet: true),
        rule(#""type", "max": 2"#, declared: "[1]", sent: "[1, 2, 3]", isMet: false),
        rule(#""type""#, declared: #"{"b": 1}"#, sent: #"{"b": 2, "c": 3}"#, isMet: false),
        rule(#""regex", "regex": "b|d""#, declared: #""b""#, sent: #""d""#, isMet: true),
        rule(#""regex", "regex": "b|d""#, declared: #""b""#, sent: #""bc""#, isMet: false),
        rule(#""regex", "regex": "(?i)b""#, declared: #""b""#, sent: #""B""#, isMet: true),
        rule(#""integer""#, declared: "4", sent: "5.5", isMet: false),
        rule(#""decimal""#, declared: "4.5", sent: "5.5", isMet: true),
        rule(#""boolean""#, declared: "true", sent: "1", isMet: false),
        rule(#""notEmpty""#, declared: #""x""#, sent: #""""#, isMet: false),
        rule(#""include", "value": "a*b""#, declared: #""a*b""#, sent: #""-a*b-""#, isMet: true),
        rule(#""regex", "regex": "[0-4]""#, declared: "4", sent: "5", isMet: true, notes: [.wider]),
        rule(#""date", "format": "yyyy""#, declared: #""2020""#, sent: #""x""#, isMet: true, notes: [.wider]),
        rule(#""values""#, declared: #"{"b": 1}"#, sent: #"{"c": 1}"#, isMet: true, notes: [.wider]),
        Vector(
            "a list of rows with a rule", #"{"body": [{"i": 1}], "matchingRules": {"$.body": {"min": 1, "match": "type"}}}"#, sent: "/it",
            body: #"[{"i": 2}, {"i": 3}]"#, isMet: true),
        Vector(
            "a list of rows with a rule, and one too few", #"{"body": [{"i": 1}], "matchingRules": {"$.body": {"min": 1}}}"#,
            sent: "/it", body: "[]", isMet: false),
        Vector(
            "rules of version 2 in version 3", #"{"body": {"a": 1}, "matchingRules": {"$.body.a": {"match": "type"}}}"#, version: 3,
            sent: "/it", body: #"{"a": 2}"#, isMet: true),

        Vector("a repeated field", #"{"query": {"a": ["1", "2"]}}"#, version: 3, sent: "/it?a=1&a=2", isMet: true, notes: [.wider]),
        Vector("a repeated field, once", #"{"query": {"a": ["1", "2"]}}"#, version: 3, sent: "/it?a=1", isMet: false, notes: [.wider]),
        field(#"{"match": "integer"}"#, sent: "x", isMet: false),
        field(#"{"match": "type"}"#, sent: "", isMet: true),
        field(#"{"match": "regex", "regex": "a.*"}, {"match": "regex", "regex": ".*b"}"#, sent: "ac", isMet: false),
        field(#"{"match": "regex", "regex": "a.*"}, {"match": "regex", "regex": ".*b"}"#, sent: "bc", isMet: false),
        field(#"{"match": "regex", "regex": "a.*"}, {"match": "regex", "regex": ".*b"}"#, "OR", sent: "ac", isMet: true),
        Vector(
            "a rule for no field", #"{"query": {"a": ["1"]}, "matchingRules": {"query": {"b": {"matchers": [{"match": "type"}]}}}}"#,
            version: 3, sent: "/it?a=2", isMet: false, notes: [.ignored]),
        Vector(
            "a form", #"{"headers": {"Content-Type": "application/x-www-form-urlencoded"}, "body": "a=1&b=2"}"#, sent: "/it",
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: "b=2&a=1", isMet: true, notes: [.wider]),
    ]

    static func header(_ name: String, _ declared: String, sent: String, isMet: Bool) -> Vector {
        Vector(
            "\(name): \(declared), and \(sent)", #"{"headers": {"\#(name)": "\#(declared)"}}"#, sent: "/it", headers: [name: sent],
            isMet: isMet)
    }

    static func xml(_ sent: String, isMet: Bool) -> Vector {
        let declared = #"{"headers": {"Content-Type": "application/xml"}, "body": "<a>\n<b/>t</a>"}"#
        return Vector(
            "XML, and \(sent)", declared, sent: "/it", headers: ["Content-Type": "application/xml"], body: sent, isMet: isMet,
            notes: [.narrower])
    }

    static func rule(_ matcher: String, declared: String, sent: String, isMet: Bool, notes: [ImportWarning.Effect] = []) -> Vector {
        let rules = #"{"body": {"$.a": {"matchers": [{"match": \#(matcher)}]}}}"#
        return Vector(
            "\(matcher) at \(declared), and \(sent)", #"{"body": {"a": \#(declared)}, "matchingRules": \#(rules)}"#, version: 3,
            sent: "/it",
            body: #"{"a": \#(sent)}"#, isMet: isMet, notes: notes)
    }

    static func field(_ matchers: String, _ combine: String = "AND", sent: String, isMet: Bool) -> Vector {
        let rules = #"{"query": {"a": {"combine": "\#(combine)", "matchers": [\#(matchers)]}}}"#
        return Vector(
            "\(combine) \(matchers), and \(sent)", #"{"query": {"a": ["1"]}, "matchingRules": \#(rules)}"#, version: 3,
            sent: "/it?a=\(sent)", isMet: isMet)
    }

    private func pact(_ interaction: String, version: Int?) -> [ImportFile] {
        let metadata = version.map { #", "metadata": {"pactSpecification": {"version": "\#($0).0"}}"# } ?? ""
        return [ImportFile("p.json", #"{"interactions": [\#(interaction)]\#(metadata)}"#)]
    }

    @Test(arguments: vectors)
    func `is met or not`(_ vector: Vector) throws {
        let rest = vector.expected.dropFirst().dropLast()
        let request = #"{"method": "POST", "path": "/it"\#(rest.isEmpty ? "" : ", \(rest)")}"#
        let files = pact(#"{"description": "it", "request": \#(request), "response": {"status": 200}}"#, version: vector.version)

        let imported = try PactImport(name: "b").convert(files)
        var caller = Caller(try imported.bank("b").bank)

        let operation = caller.send("POST", vector.sent.target, headers: vector.sent.headers, body: vector.sent.body).operation
        #expect((operation != nil) == vector.isMet)
        #expect(imported.warnings.map(\.effect) == vector.notes, "\(imported.warnings)")
    }

    @Test(arguments: [2, 3], ["image/png", "application/x-of-ours"])
    func `bytes in Base64 are sent as bytes`(_ version: Int, _ type: String) throws {
        let response = #"{"status": 200, "headers": {"Content-Type": "\#(type)"}, "body": "iVBORw=="}"#
        let files = pact(#"{"request": {"method": "GET", "path": "/it"}, "response": \#(response)}"#, version: version)

        let imported = try PactImport(name: "b").convert(files)
        var caller = Caller(try imported.bank("b").bank)

        #expect(caller.send("GET", "/it").response.body == [0x89, 0x50, 0x4E, 0x47])
        #expect(imported.warnings == [])
    }

    @Test func `JSON in Base64 is compared as JSON`() throws {
        let body = #"{"content": "eyJhIjogMX0=", "contentType": "application/json", "encoded": "base64"}"#
        let request = #"{"method": "POST", "path": "/it", "body": \#(body)}"#
        let imported = try PactImport(name: "b").convert(pact(#"{"request": \#(request), "response": {}}"#, version: 4))
        var caller = Caller(try imported.bank("b").bank)

        #expect(caller.send("POST", "/it", body: #"{ "a":1 }"#).operation != nil)
    }

    @Test func `bytes that are no Base64 are sent as they stand and listed`() throws {
        let response = #"{"status": 200, "headers": {"Content-Type": "image/png"}, "body": "not it"}"#
        let files = pact(#"{"request": {"method": "GET", "path": "/it"}, "response": \#(response)}"#, version: 2)

        #expect(try PactImport(name: "b").convert(files).warnings.map(\.path) == ["/interactions/0/response/body"])
    }

    @Test func `a pact without metadata is of version two and that is reported`() throws {
        let request = #"{"method": "GET", "path": "/it", "query": "a=1"}"#
        let imported = try PactImport(name: "b").convert(pact(#"{"request": \#(request), "response": {}}"#, version: nil))
        var caller = Caller(try imported.bank("b").bank)

        #expect(imported.warnings.map(\.path) == ["/metadata"])
        #expect(imported.warnings.map(\.reason) == ["it names no version: the pact is read as version 2"])
        #expect(caller.send("GET", "/it?a=1").operation != nil)
    }
}
