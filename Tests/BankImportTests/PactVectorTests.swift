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
        Vector("the query as told", "{\(query)}", version: 3, sent: "/it?a=1&b=2", isMet: true),
        Vector("the query in another order", "{\(query)}", version: 3, sent: "/it?b=2&a=1", isMet: true),
        Vector("a field too many in the query", "{\(query)}", version: 3, sent: "/it?a=1&b=2&c=3", isMet: false),
        Vector("a field too few in the query", "{\(query)}", version: 3, sent: "/it?a=1", isMet: false),
        Vector("a query of version 2, and a field too many", #"{"query": "a=1&b=2"}"#, sent: "/it?a=1&b=2&c", isMet: false),
        Vector("an empty query, and a field", #"{"query": ""}"#, sent: "/it?a=1", isMet: false),
        Vector("an empty query", #"{"query": {}}"#, version: 3, sent: "/it", isMet: true),

        Vector("no body told, and some", "{}", sent: "/it", body: "x", isMet: true),
        Vector("an empty body told, and none", #"{"body": ""}"#, sent: "/it", isMet: true),
        Vector("an empty body told, and some", #"{"body": ""}"#, sent: "/it", body: "x", isMet: false),
        Vector(
            "an empty body of JSON told, and some", #"{"headers": {"Content-Type": "application/json"}, "body": ""}"#, sent: "/it",
            headers: ["Content-Type": "application/json"], body: "{}", isMet: false),
        Vector("no body told by null, and none", #"{"body": null}"#, version: 3, sent: "/it", isMet: true),
        Vector("no body told by null, and some", #"{"body": null}"#, version: 3, sent: "/it", body: "{}", isMet: false),
        Vector("empty content, and none", #"{"body": {"content": ""}}"#, version: 4, sent: "/it", isMet: true),
        Vector("empty content, and some", #"{"body": {"content": ""}}"#, version: 4, sent: "/it", body: "x", isMet: false),
        Vector("content of null, and some", #"{"body": {"content": null}}"#, version: 4, sent: "/it", body: "x", isMet: false),
        Vector("no content told, and some", #"{"body": {}}"#, version: 4, sent: "/it", body: "x", isMet: true),

        Vector(
            "a header with a comma", #"{"headers": {"X-A": "a, b"}}"#, sent: "/it", headers: ["X-A": "a, b"], isMet: true,
            notes: [.narrower]),
        Vector(
            "a header without the space", #"{"headers": {"X-A": "a, b"}}"#, sent: "/it", headers: ["X-A": "a,b"], isMet: false,
            notes: [.narrower]),
        Vector(
            "XML", #"{"headers": {"Content-Type": "application/xml"}, "body": "<a><b/></a>"}"#, sent: "/it",
            headers: ["Content-Type": "application/xml"], body: "<a><b/></a>", isMet: true, notes: [.narrower]),
        Vector(
            "XML with spaces", #"{"headers": {"Content-Type": "application/xml"}, "body": "<a><b/></a>"}"#, sent: "/it",
            headers: ["Content-Type": "application/xml"], body: "<a> <b/></a>", isMet: false, notes: [.narrower]),
    ]

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

    @Test(arguments: [2, 3])
    func `bytes in Base64 are sent as bytes`(_ version: Int) throws {
        let response = #"{"status": 200, "headers": {"Content-Type": "image/png"}, "body": "iVBORw=="}"#
        let files = pact(#"{"request": {"method": "GET", "path": "/it"}, "response": \#(response)}"#, version: version)

        let imported = try PactImport(name: "b").convert(files)
        var caller = Caller(try imported.bank("b").bank)

        #expect(caller.send("GET", "/it").reply.body == [0x89, 0x50, 0x4E, 0x47])
        #expect(imported.warnings == [])
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
