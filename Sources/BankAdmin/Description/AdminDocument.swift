package import BankModel
import NIOHTTP1

/// The admin API in OpenAPI 3.1, made of the declarations of its calls.
package struct AdminDocument: Sendable {
    private let version: String
    private let server: String
    private let needsToken: Bool

    /// - Parameters:
    ///   - version: of the program.
    ///   - server: the address before the paths.
    ///   - needsToken: whether the server demands its token; it may, if that is not known.
    package init(version: String, server: String, needsToken: Bool) {
        self.version = version
        self.server = server
        self.needsToken = needsToken
    }

    /// The address of a server that was started without options.
    package static let usualServer = "http://127.0.0.1:8081"

    package var json: JSON {
        let calls = AdminCall.all
        var paths = JSONObject()
        for call in calls {
            let path = call.root + call.path
            var item = paths[path]?.object ?? JSONObject()
            item[call.method.rawValue.lowercased()] = call.operation
            paths[path] = .object(item)
        }
        let statuses = Set(calls.flatMap(\.rejections)).sorted { $0.code < $1.code }
        let rejections = statuses.map { (key: DescribedResponse.name(of: $0), value: DescribedResponse.problem($0).description) }
        let schemas = Schema.components(of: calls.flatMap(\.schemas))
        let bearer: JSON = ["bearer": []]
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Counterfoil's admin API", "version": .string(version),
                "description": .string(
                    "Controls a running server. HEAD is handled like GET; an unsupported method of a path gets 405 with "
                        + "`Allow`. Input that is not HTTP, or is too long, is also rejected with problem details and ends the connection."),
            ],
            "servers": [["url": .string(server)]],
            "security": needsToken ? [bearer] : [bearer, [:]],
            "paths": .object(paths),
            "components": [
                "schemas": schemas, "responses": .object(JSONObject(rejections)),
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "The token of `serve --admin-token`; calls of a session also accept the session's token.",
                    ]
                ],
            ],
        ]
    }
}

extension AdminCall {
    /// The schemas of its body and of its responses.
    fileprivate var schemas: [Schema] { [body].compactMap(\.self) + allResponses.compactMap(\.schema) }

    /// The operation object (OpenAPI 3.1 §4.8.10).
    fileprivate var operation: JSON {
        var object = JSONObject([("operationId", .string(name)), ("summary", .string(does)), ("tags", [.string(tag)])])
        let parameters = variables.map(AdminCall.pathParameter) + (query ?? []).map { $0.parameter(in: "query") }
        if !parameters.isEmpty { object["parameters"] = .array(parameters) }
        object["requestBody"] = requestBody
        let own = responses.map { (key: "\($0.status.code)", value: $0.description) }
        let rejections = rejections.map { status in
            (key: "\(status.code)", value: ["$ref": .string("#/components/responses/" + DescribedResponse.name(of: status))] as JSON)
        }
        object["responses"] = .object(JSONObject(own + rejections))
        if !isGuarded { object["security"] = [] }
        return .object(object)
    }

    /// The part of the API to which it belongs: what follows the session in its path, for those of which there are several.
    private var tag: String {
        let segments = path.split(separator: "/").map(String.init)
        guard segments.first == "sessions" else { return segments.first == "outages" ? "outages" : "server" }
        guard segments.count > 2, !["reset", "snapshot", "restore", "connections"].contains(segments[2]) else { return "sessions" }
        return segments[2] == "outage" ? "outages" : segments[2]
    }

    /// The request body object (OpenAPI 3.1 §4.8.13); nil if the call takes none.
    private var requestBody: JSON? {
        guard let body, case .object(let shape) = body else { return nil }
        var media = JSONObject([("schema", body.component)])
        media["example"] = shape.example.flatMap { try? JSON(parsing: Array($0.utf8)) }
        // An empty body is an empty object. A call for which all names are allowed in the query takes the same keys there.
        let isRequired = query != nil && shape.fields.contains(where: \.isRequired)
        return ["required": .bool(isRequired), "content": ["application/json": .object(media)]]
    }

    private static func pathParameter(_ name: String) -> JSON {
        let known: [String: (schema: Schema, help: String)] = [
            "session": (.text(TextSchema("an id", pattern: "[^/]+")), "the session's id, a bank's name, or `default`"),
            "name": (.text(TextSchema("a name", pattern: "[^/]+")), "the plan's name"),
            "rule": (.text(TextSchema("an id", pattern: "[^/]+")), "the rule's id"), "seq": (.count, "the exchange's number"),
        ]
        let (schema, help) = known[name] ?? (.anyText, "")
        return FieldSchema.always(name, schema, help).parameter(in: "path")
    }
}

extension FieldSchema {
    /// The parameter object (OpenAPI 3.1 §4.8.12).
    fileprivate func parameter(in location: String) -> JSON {
        [
            "name": .string(key), "in": .string(location), "required": .bool(isRequired), "description": .string(help),
            "schema": schema.component,
        ]
    }
}

extension DescribedResponse {
    /// The name of the component for a rejection.
    fileprivate static func name(of status: HTTPResponseStatus) -> String { "problem-\(status.code)" }

    /// The response object (OpenAPI 3.1 §4.8.17).
    fileprivate var description: JSON {
        var object = JSONObject([("description", .string(about))])
        if status == .serviceUnavailable {
            object["headers"] = ["Retry-After": ["description": "In seconds, while it drains.", "schema": ["type": "integer"]]]
        }
        if let type {
            let media: JSON = ["schema": schema?.component ?? ["type": "string"]]
            object["content"] = .object(JSONObject([(type, media)]))
        }
        return .object(object)
    }
}
