import BankModel

/// A file of another tool than the one that an import expects, found by its first members or words, and what to do with it.
enum OtherFile {
    private static let proxy = "`counterfoil record --provider URL`"
    private static let server = "start it, and record your app's requests to it with \(proxy)"
    private static let requests = "send its requests through \(proxy)"
    private static let none = "no import reads it; record your app's requests with \(proxy), or write the bank by hand"
    private static let description = ("an OpenAPI description", "`counterfoil new bank NAME --openapi FILE` reads it")

    /// Members that all must be there, those of the first element in a list.
    private static let members: [(names: Set<String>, what: String, advice: String)] = [
        (["openapi"], description.0, description.1), (["swagger"], description.0, description.1),
        (["asyncapi"], "an AsyncAPI description", none), (["log"], "a HAR file", "`counterfoil import har` reads it"),
        (["info", "item"], "a Postman collection", "`counterfoil import postman` reads it"),
        (["_postman_variable_scope"], "an environment of Postman", "give the collection, with the variables in it"),
        (["requests", "order"], "a Postman collection of version 1", "export it as version 2.1"),
        (["interactions"], "a pact", "`counterfoil import pact` reads it"),
        (["mappings"], "a file of WireMock", "`counterfoil import wiremock` reads it"),
        (["request", "response"], "a mapping of WireMock", "`counterfoil import wiremock` reads it"),
        (["upstream", "listen"], "a configuration of Toxiproxy", "`counterfoil import toxiproxy` reads it"),
        (["endpointPrefix", "routes"], "an environment of Mockoon", server), (["httpRequest"], "a file of MockServer", server),
        (["imposters"], "a file of Mountebank", server), (["stubs", "protocol"], "a file of Mountebank", server),
        (["_type", "resources"], "an export of Insomnia", requests), (["collection", "type"], "an export of Insomnia", requests),
        (["folders", "requests"], "a collection of Hoppscotch", requests),
        (["name", "type", "version", "ignore"], "a collection of Bruno", requests),
    ]

    /// The beginnings of texts that are not JSON.
    private static let beginnings: [(text: String, what: String, advice: String)] = [
        ("openapi:", description.0, description.1), ("swagger:", description.0, description.1),
        ("asyncapi:", "an AsyncAPI description", none), ("#%RAML", "a RAML description", none),
        ("syntax ", "a file of Protocol Buffers", none),
        ("<", "XML", none), ("type Query", "a GraphQL schema", none), ("schema {", "a GraphQL schema", none),
        ("type: collection.insomnia", "an export of Insomnia", requests), ("meta {", "a file of Bruno", requests),
        ("curl ", "a list of commands", requests), ("###", "a file of HTTP requests", requests), ("@", "a file of HTTP requests", requests),
        ("GET ", "a file of HTTP requests", requests), ("POST ", "a file of HTTP requests", requests),
    ]

    /// What the JSON is and what to do with it, to follow a message; empty for what is not known.
    static func remark(on json: JSON) -> String {
        let object = json.object ?? json.array?.first?.object ?? JSONObject()
        if let known = remark(onMembers: object.keys) { return known }
        // Lists of rows with ids, as json-server has them.
        let isDatabase = object.members.contains { $0.value.array?.first?.object?["id"] != nil }
        return isDatabase && json.object != nil ? text("data of json-server", server) : ""
    }

    /// The same for the names of the members of a mapping; nil for what is not known.
    static func remark(onMembers names: [String]) -> String? {
        members.first { $0.names.isSubset(of: names) }.map { text($0.what, $0.advice) }
    }

    /// The same for a text that is not JSON.
    static func remark(on bytes: [UInt8]) -> String {
        let begin = String(decoding: bytes.prefix(1000).drop(while: isSpace), as: UTF8.self)
        return beginnings.first { begin.hasPrefix($0.text) }.map { text($0.what, $0.advice) } ?? ""
    }

    /// Whether a text begins as no document of JSON does. One in UTF-16 may be JSON.
    static func isNoJSON(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isSpace($0) }.map { !"{[".utf8.contains($0) && $0 < 0xFE } ?? false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func text(_ what: String, _ advice: String) -> String { " (it looks like \(what): \(advice))" }
}
