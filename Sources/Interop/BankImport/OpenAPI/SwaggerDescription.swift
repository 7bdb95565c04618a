import BankModel

/// A description in Swagger 2.0, as one in OpenAPI 3.0.
///
/// Each piece keeps its line. Schemas stay below `definitions`, and responses below `responses`: references lead there.
struct SwaggerDescription {
    private typealias Member = (key: String, value: Node)

    private let root: Node

    /// Nil if it is not a description of that version.
    init?(_ root: Node) {
        guard root["swagger"]?.scalar == "2.0" else { return nil }
        self.root = root
    }

    /// The description in OpenAPI 3.0.
    var converted: Node {
        let address = (root["host"]?.scalar.map { "https://\($0)" } ?? "") + (root["basePath"]?.scalar ?? "")
        let server = root.mapping([("url", root.writing(address.isEmpty ? "/" : address))])
        let schemes = (root["securityDefinitions"] ?? root.mapping([])).changing { SwaggerDescription.scheme($1) }
        let head: [Member] = [
            ("openapi", root.writing("3.0.3")), ("servers", root.list([server])),
            ("components", root.mapping([("securitySchemes", schemes)])),
        ]
        let left = ["swagger", "host", "basePath", "schemes", "consumes", "produces", "securityDefinitions"]
        let rest = root.without(left).changing { key, value in
            switch key {
            case "paths": value.changing { path($1) }
            case "responses": value.changing { response($1, types("produces", of: root)) }
            default: value
            }
        }
        return root.mapping(head + rest.pairs)
    }

    // MARK: operations

    private func path(_ item: Node) -> Node {
        let shared = (item["parameters"]?.elements ?? []).map(resolved)
        return item.without(["parameters"]).changing { OpenAPIImport.methods.contains($0) ? operation($1, shared) : $1 }
    }

    private func operation(_ operation: Node, _ shared: [Node]) -> Node {
        let own = (operation["parameters"]?.elements ?? []).map(resolved)
        let inherited = shared.filter { other in
            !own.contains { $0["name"]?.scalar == other["name"]?.scalar && $0["in"]?.scalar == other["in"]?.scalar }
        }
        func isBody(_ parameter: Node) -> Bool { ["body", "formData"].contains(parameter["in"]?.scalar ?? "") }
        var members = operation.without(["parameters", "consumes", "produces", "schemes", "responses"]).pairs
        let parameters = (own + inherited).filter { !isBody($0) }.map(SwaggerDescription.described)
        members.append(("parameters", operation.list(parameters)))
        if let body = SwaggerDescription.body((own + inherited).filter(isBody), types("consumes", of: operation)) {
            members.append(("requestBody", body))
        }
        let produced = types("produces", of: operation)
        if let responses = operation["responses"] { members.append(("responses", responses.changing { response($1, produced) })) }
        return operation.mapping(members)
    }

    /// The parameter itself, or the shared one that it refers to: the body is one of them, and stands elsewhere in OpenAPI 3.
    private func resolved(_ parameter: Node) -> Node {
        let start = "#/parameters/"
        guard let reference = parameter["$ref"]?.scalar, reference.hasPrefix(start) else { return parameter }
        return root["parameters"]?[String(reference.dropFirst(start.count))] ?? parameter
    }

    /// The media types of bodies.
    private func types(_ name: String, of operation: Node) -> [String] {
        let written = (operation[name] ?? root[name])?.elements.compactMap(\.scalar) ?? []
        return written.isEmpty ? ["application/json"] : written
    }

    // MARK: parameters and bodies

    /// A parameter or header: what describes its value moves into a schema.
    private static func described(_ written: Node) -> Node {
        let outer = ["$ref", "name", "in", "required", "description"]
        return written.mapping(written.pairs.filter { outer.contains($0.key) } + [("schema", written.without(outer))])
    }

    private static func body(_ parameters: [Node], _ types: [String]) -> Node? {
        guard let first = parameters.first else { return nil }
        func body(_ types: [String], _ schema: Node, isRequired: Bool) -> Node {
            let content = first.mapping(types.map { ($0, first.mapping([("schema", schema)])) })
            return first.mapping([("required", first.writing(String(isRequired))), ("content", content)])
        }
        if first["in"]?.scalar == "body" {
            return body(types, first["schema"] ?? first.mapping([]), isRequired: first["required"]?.scalar == "true")
        }
        let required = parameters.filter { $0["required"]?.scalar == "true" }.compactMap { $0["name"] }
        let fields: [Member] = parameters.map { ($0["name"]?.scalar ?? "", described($0)["schema"] ?? first.mapping([])) }
        let schema: [Member] = [
            ("type", first.writing("object")), ("required", first.list(required)), ("properties", first.mapping(fields)),
        ]
        let type = types.first { $0.contains("form") } ?? "application/x-www-form-urlencoded"
        return body([type], first.mapping(schema), isRequired: !required.isEmpty)
    }

    private func response(_ written: Node, _ types: [String]) -> Node {
        guard case .mapping = written.content, written["$ref"] == nil else { return written }
        var members = written.without(["schema", "examples", "headers"]).pairs
        if let headers = written["headers"] { members.append(("headers", headers.changing { SwaggerDescription.described($1) })) }
        let schema = written.pairs.filter { $0.key == "schema" }
        let examples = (written["examples"]?.pairs ?? []).filter { $0.key.contains("/") }
        let exemplary: [Member] = examples.map { ($0.key, written.mapping(schema + [("example", $0.value)])) }
        let plain: [Member] = types.filter { type in !schema.isEmpty && !examples.contains { $0.key == type } }.map {
            ($0, written.mapping(schema))
        }
        if !exemplary.isEmpty || !plain.isEmpty { members.append(("content", written.mapping(exemplary + plain))) }
        return written.mapping(members)
    }

    private static func scheme(_ written: Node) -> Node {
        switch written["type"]?.scalar {
        case "basic": return written.mapping([("type", written.writing("http")), ("scheme", written.writing("basic"))])
        case "oauth2":
            let flow = written["flow"]?.scalar ?? ""
            let name = ["accessCode": "authorizationCode", "application": "clientCredentials"][flow] ?? flow
            let flows = written.mapping([(name, written.without(["type", "flow", "description"]))])
            return written.mapping([("type", written.writing("oauth2")), ("flows", flows)])
        default: return written
        }
    }
}

extension Node {
    fileprivate subscript(_ key: String) -> Node? { pairs.first { $0.key == key }?.value }

    fileprivate var pairs: [(key: String, value: Node)] {
        guard case .mapping(let members) = content else { return [] }
        return members.compactMap { member in member.key.scalar.map { (key: $0, value: member.value) } }
    }

    fileprivate var elements: [Node] { if case .list(let nodes) = content { nodes } else { [] } }

    /// Other content in the place of this.
    fileprivate func mapping(_ members: [(key: String, value: Node)]) -> Node {
        Node(.mapping(members.map { (key: writing($0.key), value: $0.value) }), at: position)
    }

    fileprivate func list(_ nodes: [Node]) -> Node { Node(.list(nodes), at: position) }
    fileprivate func writing(_ text: String) -> Node { Node(.scalar(text, quoted: true), at: position) }
    fileprivate func without(_ keys: [String]) -> Node { mapping(pairs.filter { !keys.contains($0.key) }) }
    fileprivate func changing(_ change: (String, Node) -> Node) -> Node {
        mapping(pairs.map { (key: $0.key, value: change($0.key, $0.value)) })
    }
}
