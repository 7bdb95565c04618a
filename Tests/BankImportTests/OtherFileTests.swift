import BankModel
import Testing

@testable import BankImport

/// An import that gets another tool's file reports whose file it is, and what to do with it.
@Suite struct OtherFileTests {
    private static let recorded = "record your app's requests to it with `counterfoil record --provider URL`)"
    private static let sent = "send its requests through `counterfoil record --provider URL`)"

    @Test(arguments: [
        (#"{"uuid":"1","endpointPrefix":"api","routes":[]}"#, "an environment of Mockoon: start it, and \(recorded)"),
        (#"[{"httpRequest":{},"httpResponse":{}}]"#, "a file of MockServer: start it, and \(recorded)"),
        (#"{"port":4545,"protocol":"http","stubs":[]}"#, "a file of Mountebank: start it, and \(recorded)"),
        (#"{"accounts":[{"id":1}],"profile":{}}"#, "data of json-server: start it, and \(recorded)"),
        (#"{"_type":"export","resources":[]}"#, "an export of Insomnia: \(sent)"),
        ("type: collection.insomnia.rest/5.0\n", "an export of Insomnia: \(sent)"), ("meta {\n  name: a\n}", "a file of Bruno: \(sent)"),
        (#"{"version":"1","name":"Bank","type":"collection","ignore":[]}"#, "a collection of Bruno: \(sent)"),
        ("\n@host = x\n", "a file of HTTP requests: \(sent)"), ("curl https://bank.example", "a list of commands: \(sent)"),
        (#"{"log":{"entries":[]}}"#, "a HAR file: `counterfoil import har` reads it)"),
        (#"{"interactions":[]}"#, "a pact: `counterfoil import pact` reads it)"),
        (#"{"openapi":"3.1.0"}"#, "an OpenAPI description: `counterfoil new bank NAME --openapi FILE` reads it)"),
        ("openapi: 3.1.0", "an OpenAPI description: `counterfoil new bank NAME --openapi FILE` reads it)"),
        (#"{"id":"1","order":[],"requests":[]}"#, "a Postman collection of version 1: export it as version 2.1)"),
        ("<?xml version='1.0'?>", "XML: no import reads it"), ("type Query { a: Int }", "a GraphQL schema: no import reads it"),
    ])
    func `another tool's file is named`(_ text: String, _ remark: String) {
        let error = #expect(throws: ComplaintsError.self) { try PostmanImport.read([ImportFile("a", text)]) }

        #expect(error?.description.contains(" (it looks like \(remark)") == true, "\(error?.description ?? "")")
    }

    @Test func `each import names another tool's file`() {
        let text = #"{"info":{},"item":[]}"#
        let file = ImportFile("a.json", text)
        let reads: [() throws -> Void] = [
            { _ = try HARImport.read([file]) }, { _ = try WireMockImport(name: "b").convert([file]) },
            { _ = try PactImport(name: "b").convert([file]) }, { _ = try ToxiproxyImport().convert(file, to: "a.yaml") },
            { _ = try DescriptionCorpus.imported(yaml: text) },
        ]
        for read in reads {
            let error = #expect(throws: ComplaintsError.self) { try read() }
            #expect(error?.description.contains("a Postman collection: `counterfoil import postman` reads it") == true)
        }
    }

    @Test(arguments: [("not a HAR", "a:1:1: found not, expected JSON"), ("{", "found the end of the text"), ("", "expected a value")])
    func `a file that does not begin as JSON is reported as not JSON, without what a parser expects`(_ text: String, _ message: String) {
        let error = #expect(throws: ComplaintsError.self) { try HARImport.read([ImportFile("a", text)]) }

        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `one file of WireMock keeps its name in messages`() {
        let error = #expect(throws: ComplaintsError.self) {
            try WireMockImport(name: "b", isOneFile: true).convert([ImportFile("in/stubs.txt", "{}")])
        }

        #expect(error?.description == "in/stubs.txt: $: found an object, expected a mapping with `request`")
    }
}
