import BankCore
import BankModel

/// One of a bank's operations with what is needed to describe it.
struct DescribedCall {
    let operation: Operation
    let request: RequestDescription
    let responses: OperationResponses

    init(_ operation: Operation, tables: TableShapes, sample: Sample?) {
        self.operation = operation
        request = RequestDescription(operation: operation, tables: tables, sample: sample)
        responses = OperationResponses(operation: operation, tables: tables, sample: sample)
    }
}

/// A method of a path: what all operations there take, and what any of them answers.
struct CallDescription {
    let calls: [DescribedCall]
    let path: PathTemplate
    let security: SecurityDescription

    /// The operation object (OpenAPI 3.1 §4.8.10).
    func json(_ components: inout Components) -> JSON {
        let roles = calls.flatMap(\.operation.roles).map { JSON.string($0.rawValue) }
        let parameters = parameters.map(\.json)
        var responses = JSONObject()
        let all = calls.flatMap(\.responses.all)
        for status in Set(all.map(\.status)).sorted() {
            let possible = all.filter { $0.status == status }
            let json = ResponseDescription(responses: possible).json
            responses[String(status)] =
                possible.contains { $0.example != nil && status < 400 } ? json : components.response(json, status: status)
        }
        return .object(known: [
            "operationId": calls.first.map { .string($0.operation.name) }, "tags": roles.isEmpty ? nil : .array(roles),
            "parameters": parameters.isEmpty ? nil : .array(parameters), "requestBody": requestBody, "responses": .object(responses),
            "security": calls.first.map { security.requirements($0.operation) },
        ])
    }

    /// Those of all operations; needed are those that each of them needs.
    private var parameters: [RequestDescription.Parameter] {
        let lists = calls.map { call in
            zip(call.operation.path.parameters, path.parameters).reduce(into: call.request.parameters) { list, names in
                if let index = list.firstIndex(where: { $0.location == "path" && $0.name == names.0 }) { list[index].name = names.1 }
            }
        }
        var found: [RequestDescription.Parameter] = []
        for parameter in lists.joined() where !found.contains(where: { $0.name == parameter.name && $0.location == parameter.location }) {
            let same = lists.map { list in list.first { $0.name == parameter.name && $0.location == parameter.location } }
            var joined = parameter
            joined.isRequired = same.allSatisfy { $0?.isRequired ?? false }
            let schemas = Set(same.compactMap { $0?.schema })
            if schemas.count > 1 { joined.schema = ["type": "string"] }
            found.append(joined)
        }
        return found
    }

    private var requestBody: JSON? {
        let bodies = calls.compactMap(\.request.body)
        guard !bodies.isEmpty else { return nil }
        var content = JSONObject()
        for type in bodies.map(\.type) where content[type] == nil {
            let same = bodies.filter { $0.type == type }
            // Of two equal schemas a body would fit both, and `oneOf` allows only one.
            let schemas = distinct(same.map(\.shape.schema))
            content[type] = .object(known: [
                "schema": schemas.count == 1 ? schemas[0] : ["oneOf": .array(schemas)], "example": same.lazy.compactMap(\.example).first,
            ])
        }
        return ["required": true, "content": .object(content)]
    }
}

/// All responses of one status.
struct ResponseDescription {
    let responses: [PossibleResponse]

    /// The response object (OpenAPI 3.1 §4.8.17).
    var json: JSON {
        let headers = headers
        let content = responses.compactMap(\.contentType).sorted().map { (key: $0, value: media($0)) }
        return .object(known: [
            "description": .string(distinct(responses.map(\.about)).joined(separator: " ")),
            "headers": headers.isEmpty ? nil : .object(JSONObject(headers)),
            "content": content.isEmpty ? nil : .object(JSONObject(content)),
        ])
    }

    private func media(_ type: String) -> JSON {
        let same = responses.filter { $0.contentType == type }
        let shapes = same.compactMap(\.shape)
        return .object(known: [
            "schema": shapes.isEmpty ? nil : SchemaShape(joining: shapes).schema, "example": same.lazy.compactMap(\.example).first,
        ])
    }

    private var headers: [(key: String, value: JSON)] {
        var found: [(key: String, value: JSON)] = []
        for header in responses.flatMap(\.headers) where !found.contains(where: { $0.key.lowercased() == header.name.lowercased() }) {
            let same = responses.map { response in response.headers.first { $0.name.lowercased() == header.name.lowercased() } }
            let values = Set(same.compactMap { $0?.value })
            var schema: JSON = ["type": "string"]
            if values.count == 1, let value = values.first, !same.contains(where: { $0 != nil && $0?.value == nil }) {
                schema = ["type": "string", "example": .string(value)]
            }
            let isRequired = same.allSatisfy { $0?.isRequired ?? false }
            found.append((header.name, .object(known: ["required": isRequired ? true : nil, "schema": schema])))
        }
        return found
    }
}
