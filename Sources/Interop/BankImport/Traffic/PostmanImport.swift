import BankCore
package import BankModel

/// Reads the saved examples of Postman collections (versions 2.0 and 2.1) as exchanges, for ``TrafficImport``. Nothing is executed.
package struct PostmanImport {
    private let notes = ImportNotes()
    private var exchanges: [RecordedExchange] = []
    private let texts = PostmanTexts()

    /// Deeper folders are not read.
    private static let deepest = 30
    /// These replace variables without a value where the text does not matter.
    private static let unknownHost = "collection.invalid", unknownToken = "token-of-the-collection"

    /// What is secret in Postman's credentials: of AWS, Digest, NTLM, Hawk, OAuth, Akamai EdgeGrid, ASAP and JWT too.
    private static let secretNames = [
        "secretKey", "sessionToken", "password", "authKey", "consumerSecret", "token", "tokenSecret", "accessToken", "clientToken",
        "clientSecret", "privateKey", "secret",
    ]

    /// The exchanges of all files, and what could not be read.
    ///
    /// - Throws: ``ComplaintsError`` if a file is not JSON or not a collection.
    package static func read(_ files: [ImportFile]) throws(ComplaintsError) -> (exchanges: [RecordedExchange], warnings: [ImportWarning]) {
        var reader = PostmanImport()
        for file in files { reader.read(file) }
        guard reader.notes.complaints.errors.isEmpty else { throw ComplaintsError(reader.notes.complaints.errors) }
        return (reader.exchanges, reader.notes.warnings)
    }

    /// What folders and requests inherit.
    private struct Scope {
        var variables: [String: String]
        var auth: LocatedJSON?
    }

    private mutating func read(_ file: ImportFile) {
        guard !texts.isTooLong, let root = notes.json(file) else { return }
        // The API of Postman puts the collection into an object.
        let collection = root["collection"] ?? root
        guard let items = collection["item"], items.json.array != nil, collection["info"] != nil else {
            notes.complaints.add(
                found: "no `info` and `item`", expected: "a Postman collection of version 2.1" + OtherFile.remark(on: root.json),
                at: SourcePosition(file: file.path))
            return
        }
        if let schema = collection["info"]?["schema"]?.json.string, !schema.contains("/v2.") {
            notes.complaints.add(
                found: schema, expected: "a Postman collection of version 2.1: export it again",
                at: SourcePosition(file: file.path, path: "$.info.schema"))
            return
        }
        noteScripts(collection)
        read(items, Scope(variables: variables(collection["variable"] ?? collection["variables"]), auth: collection["auth"]), depth: 0)
        if texts.isTooLong {
            notes.complaints.add(
                found: "variables whose values add over \(PostmanTexts.limit >> 20) MiB to the requests", expected: "shorter ones",
                at: SourcePosition(file: file.path, path: "$.variable"))
        }
    }

    private mutating func read(_ items: LocatedJSON, _ scope: Scope, depth: Int) {
        for item in items.elements {
            var inner = scope
            inner.variables.merge(variables(item["variable"])) { $1 }
            inner.auth = item["auth"] ?? scope.auth
            noteScripts(item)
            if let folder = item["item"] {
                guard depth < PostmanImport.deepest else {
                    note(.leftOut, folder, "found more than \(PostmanImport.deepest) nested folders")
                    continue
                }
                read(folder, inner, depth: depth + 1)
            } else if let request = item["request"] {
                let examples = item["response"]?.elements ?? []
                if examples.isEmpty { note(.leftOut, request, "the request has no saved example") }
                for example in examples { read(example, of: request, inner) }
            } else {
                note(.leftOut, item, "it is neither a folder nor a request")
            }
        }
    }

    /// A script may have secrets in it, so its text is not shown.
    private func noteScripts(_ piece: LocatedJSON) {
        for event in piece["event"]?.elements ?? [] { note(.ignored, event, "scripts are not executed") }
    }

    private func variables(_ list: LocatedJSON?) -> [String: String] {
        var variables: [String: String] = [:]
        for piece in list?.elements ?? [] where piece["disabled"]?.json != true {
            guard let name = (piece["key"] ?? piece["id"])?.json.string, let value = piece["value"] else { continue }
            variables[name] = value.json.string ?? value.json.text
        }
        return variables
    }

    /// Lists a position; its value may be secret and is not shown.
    private func note(_ effect: ImportWarning.Effect, _ piece: LocatedJSON, _ reason: String) {
        notes.warn(effect, piece.holding(.string(piece.json.kindName)).named("collection"), reason)
    }

    // MARK: one example

    private mutating func read(_ example: LocatedJSON, of request: LocatedJSON, _ scope: Scope) {
        let original = example["originalRequest"] ?? request
        guard let status = example["code"]?.json.int, (200...599).contains(status) else {
            return note(.leftOut, example, "the example has no status from 200 to 599")
        }
        guard let url = url(original.json.string == nil ? original["url"] : original, of: example, scope) else { return }
        var headers = headers(original["header"], scope)
        var target = url
        let secrets = authorize(original["auth"] ?? request["auth"] ?? scope.auth, scope, &headers, &target)
        let body = body(original["body"], scope, &headers)
        var responseHeaders = self.headers(example["header"], scope)
        let text = example["body"]?.json.string ?? ""
        // As converters of OpenAPI write them.
        if ["string", "integer", "number", "boolean", "uuid", "dateTime"].contains(where: { text.contains("\"<\($0)>\"") }) {
            note(
                .approximate, example,
                "it has placeholders such as `<string>`; if there is an OpenAPI description, `counterfoil new bank NAME --openapi FILE` reads it"
            )
        }
        if !text.isEmpty, !responseHeaders.contains(where: { $0.name.isHeaderName("content-type") }),
            (try? JSON(parsing: Array(text.utf8))) != nil
        {
            responseHeaders.append(.init("Content-Type", "application/json"))
        }
        guard let address = RecordedURL(target) else { return note(.leftOut, example, "its address is not absolute") }
        // In milliseconds; no response takes longer.
        let time = example["responseTime"]?.json.int.flatMap { (0..<1_000_000_000).contains($0) ? $0 : nil }
        let number = exchanges.count + 1
        exchanges.append(
            RecordedExchange(
                number: number, file: example.file, started: Instant(seconds: Int64(number)), duration: time.map { $0 * 1000 },
                method: (original["method"]?.json.string ?? "GET").uppercased(), url: address, requestHeaders: headers,
                requestBody: .bytes(body), status: Int(status), responseHeaders: responseHeaders, responseBody: .bytes(Array(text.utf8)),
                path: example.path, secrets: secrets))
    }

    /// The address of a URL that has parts only.
    private static func address(of url: LocatedJSON) -> String? {
        func joined(_ name: String, by separator: String) -> String {
            url[name]?.json.string ?? (url[name]?.elements ?? []).compactMap(\.json.string).joined(separator: separator)
        }
        let host = joined("host", by: ".")
        guard !host.isEmpty else { return nil }
        let scheme = url["protocol"]?.json.string.map { "\($0)://" } ?? ""
        let port = url["port"]?.json.string.map { ":\($0)" } ?? ""
        let path = joined("path", by: "/")
        return scheme + host + port + (path.isEmpty || path.hasPrefix("/") ? path : "/\(path)")
    }

    /// - Returns: nil if there is no address, or a variable of the path has no value, which is listed.
    private func url(_ piece: LocatedJSON?, of example: LocatedJSON, _ scope: Scope) -> String? {
        guard let piece, let raw = piece.json.string ?? piece["raw"]?.json.string ?? PostmanImport.address(of: piece) else {
            note(.leftOut, example, "the example has no address")
            return nil
        }
        let isBroken = raw.contains("{{") && !raw.contains("}}")
        var text = isBroken ? raw : resolved(raw, scope)
        let paths = variables(piece["variable"])
        // `{{base}}/x`, `https://{{host}}/x`, `{{protocol}}://{{host}}:{{port}}/x`
        let begin = text.prefix { $0 != "/" && $0 != "?" }
        let rest = text[begin.endIndex...]
        let hasScheme = begin.hasSuffix(":") && rest.hasPrefix("//")
        let host = hasScheme ? rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" } : begin
        if [begin, host].contains(where: { $0.contains("{{") && $0.contains("}}") }) {
            note(.approximate, piece, "a variable of the host has no value in the collection")
            text = "https://\(PostmanImport.unknownHost)" + text[host.endIndex...]
        } else if !hasScheme {
            text = "https://\(text)"
        }
        var (head, query) = (String(text.prefix { $0 != "?" }), text.contains("?") ? String(text.drop { $0 != "?" }.dropFirst()) : nil)
        head = head.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix(":"), let value = paths[String(segment.dropFirst())] else { return String(segment) }
            return resolved(value, scope)
        }.joined(separator: "/")
        let left = head.split(separator: "/").first { $0.hasPrefix(":") || $0.contains("{{") }
        if let left {
            note(.leftOut, piece, "`\(String(left).echoed)` in the path has no value in the collection")
            return nil
        }
        if let list = piece["query"], query != nil || piece["raw"] == nil {
            let pairs = list.elements.filter { $0["disabled"]?.json != true }.compactMap { pair in
                pair["key"]?.json.string.map { (name: $0, value: resolved(pair["value"]?.json.string ?? "", scope)) }
            }
            query = formEncoded(pairs.filter { !$0.value.contains("{{") })
            if pairs.contains(where: { $0.value.contains("{{") }) {
                note(.wider, list, "a variable of the query has no value in the collection")
            }
        }
        return head + (query.map { $0.isEmpty ? "" : "?\($0)" } ?? "")
    }

    /// Headers are a list, or in older collections a text of lines.
    private func headers(_ list: LocatedJSON?, _ scope: Scope) -> [JournalEntry.Header] {
        let lines = list?.json.string.map { $0.split(whereSeparator: \.isNewline) } ?? []
        let written = lines.map { (name: String($0.prefix { $0 != ":" }), value: String($0.drop { $0 != ":" }.dropFirst()).trimmed) }
        let listed = (list?.elements ?? []).filter { $0["disabled"]?.json != true }.map {
            (name: $0["key"]?.json.string ?? "", value: $0["value"]?.json.string ?? "")
        }
        return (written + listed).filter { !$0.name.isEmpty }.map { name, value in
            let value = resolved(value, scope)
            // The token itself does not matter.
            let isOpen = name.isHeaderName("authorization") && value.contains("{{")
            return JournalEntry.Header(name, isOpen ? "Bearer \(PostmanImport.unknownToken)" : value)
        }
    }

    private func body(_ piece: LocatedJSON?, _ scope: Scope, _ headers: inout [JournalEntry.Header]) -> [UInt8] {
        guard let piece, piece["disabled"]?.json != true else { return [] }
        func add(_ type: String) {
            if !headers.contains(where: { $0.name.isHeaderName("content-type") }) { headers.append(.init("Content-Type", type)) }
        }
        switch piece["mode"]?.json.string {
        case "raw":
            let text = PostmanTexts.withoutComments(text(piece["raw"]?.json.string, of: piece, scope))
            if piece["options"]?["raw"]?["language"]?.json == "json" { add("application/json") }
            return Array(text.utf8)
        case "urlencoded":
            add("application/x-www-form-urlencoded")
            let pairs = piece["urlencoded"]?.elements.filter { $0["disabled"]?.json != true }.compactMap { pair in
                pair["key"]?.json.string.map { (name: $0, value: text(pair["value"]?.json.string, of: pair, scope)) }
            }
            return Array(formEncoded(pairs ?? []).utf8)
        case "graphql":
            add("application/json")
            let variables = text(piece["graphql"]?["variables"]?.json.string, of: piece, scope)
            let query = text(piece["graphql"]?["query"]?.json.string, of: piece, scope)
            let json = (try? JSON(parsing: Array(variables.utf8))) ?? .object(JSONObject())
            return JSON.object(known: ["query": .string(query), "variables": json]).bytes
        case nil: return []
        default:
            note(.wider, piece, "only raw, urlencoded and graphql bodies are read")
            return []
        }
    }

    /// A text of the body with the values of variables; one without a value is listed.
    private func text(_ written: String?, of piece: LocatedJSON, _ scope: Scope) -> String {
        let text = resolved(written ?? "", scope)
        if text.contains("{{") { note(.approximate, piece, "a variable of the body has no value in the collection") }
        return text
    }

    /// Adds the header, or the field of the query, that has the credentials; their values are secrets and never written.
    ///
    /// - Returns: the secrets: the name of an API key's header or field may be any, and a response may repeat a secret that was not sent.
    private func authorize(
        _ auth: LocatedJSON?, _ scope: Scope, _ headers: inout [JournalEntry.Header], _ url: inout String
    ) -> [String] {
        guard let auth, let type = auth["type"]?.json.string, type != "noauth" else { return [] }
        // A list in version 2.1, an object in 2.0.
        func value(_ name: String) -> String? {
            let list = auth[type]?.elements.first { $0["key"]?.json.string == name }?["value"]?.json.string
            return (list ?? auth[type]?[name]?.json.string).map { resolved($0, scope) }
        }
        let names = PostmanImport.secretNames + (type == "apikey" ? ["value"] : [])
        let secrets = names.compactMap { value($0) }.filter { !$0.isEmpty && !$0.contains("{{") }
        guard !headers.contains(where: { $0.name.isHeaderName("authorization") }) else { return secrets }
        switch type {
        case "bearer": headers.append(.init("Authorization", "Bearer \(value("token").flatMap(plain) ?? PostmanImport.unknownToken)"))
        case "oauth2": headers.append(.init("Authorization", "Bearer \(value("accessToken").flatMap(plain) ?? PostmanImport.unknownToken)"))
        case "basic":
            let pair = "\(value("username") ?? "user"):\(value("password") ?? "")"
            headers.append(.init("Authorization", "Basic \(Base64.encoded(Array(pair.utf8)))"))
        case "apikey":
            let name = value("key") ?? "X-Api-Key"
            let secret = value("value") ?? ""
            if value("in") == "query" {
                url += (url.contains("?") ? "&" : "?") + formEncoded([(name: name, value: secret)])
            } else {
                headers.append(.init(name, secret))
            }
        default: note(.wider, auth, "this kind of credentials is not supported; the bank requires none")
        }
        return secrets
    }

    /// A token without variables and spaces.
    private func plain(_ token: String) -> String? { token.isEmpty || token.contains("{{") || token.contains(" ") ? nil : token }

    /// The text with the values of variables; those without a value remain.
    private func resolved(_ text: String, _ scope: Scope) -> String { texts.resolved(text, scope.variables) }
}
