import BankCore
import BankModel

/// One of a bank's operations with what is needed to describe it.
struct DescribedCall {
    let operation: Operation
    let request: RequestDescription
    let responses: OperationResponses

    init(_ operation: Operation, tables: TableShapes, sample: SampleRequest) {
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
        var object = JSONObject()
        object["operationId"] = calls.first.map { .string($0.operation.name) }
        let roles = calls.flatMap(\.operation.roles).map(\.rawValue)
        if !roles.isEmpty { object["tags"] = .array(roles.map(JSON.string)) }
        if !parameters.isEmpty { object["parameters"] = .array(parameters.map(\.json)) }
        object["requestBody"] = requestBody
        var responses = JSONObject()
        let all = calls.flatMap(\.responses.all)
        for status in Set(all.map(\.status)).sorted() {
            let possible = all.filter { $0.status == status }
            let json = ResponseDescription(responses: possible).json
            responses[String(status)] =
                possible.contains { $0.example != nil && status < 400 } ? json : components.response(json, status: status)
        }
        object["responses"] = .object(responses)
        object["security"] = calls.first.map { security.requirements($0.operation) }
        return .object(object)
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
            var media = JSONObject()
            // Of two equal schemas a body would fit both, and `oneOf` allows only one.
            let schemas = distinct(same.map(\.shape.schema))
            media["schema"] = schemas.count == 1 ? schemas[0] : ["oneOf": .array(schemas)]
            media["example"] = same.lazy.compactMap(\.example).first
            content[type] = .object(media)
        }
        return ["required": true, "content": .object(content)]
    }
}

/// All responses of one status.
struct ResponseDescription {
    let responses: [PossibleResponse]

    /// The response object (OpenAPI 3.1 §4.8.17).
    var json: JSON {
        let about = distinct(responses.map(\.about)).joined(separator: " ")
        var object = JSONObject([("description", .string(about))])
        if !headers.isEmpty { object["headers"] = .object(JSONObject(headers)) }
        let types = responses.compactMap(\.contentType).sorted()
        if !types.isEmpty { object["content"] = .object(JSONObject(types.map { (key: $0, value: media($0)) })) }
        return .object(object)
    }

    private func media(_ type: String) -> JSON {
        let same = responses.filter { $0.contentType == type }
        var object = JSONObject()
        let shapes = same.compactMap(\.shape)
        if !shapes.isEmpty { object["schema"] = shapes.reduce(SchemaShape()) { $0.joined(with: $1) }.schema }
        object["example"] = same.lazy.compactMap(\.example).first
        return .object(object)
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
            var object = JSONObject()
            if same.allSatisfy({ $0?.isRequired ?? false }) { object["required"] = true }
            object["schema"] = schema
            found.append((header.name, .object(object)))
        }
        return found
    }
}
