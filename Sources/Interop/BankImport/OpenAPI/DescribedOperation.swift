import BankCore
import BankModel

/// One operation of a description, as far as a bank can express it.
struct DescribedOperation {
    var node: LocatedNode
    /// The bank's name for it.
    var name: String
    var method: String
    /// Below the bank's base.
    var path: PathTemplate
    /// No token is wanted.
    var isOpen = true
    var scope: String?
    /// Its parameters, those of its path too.
    var parameters: [DescribedParameter] = []
    /// The names of parameters that the bank acts on, each after its location: `query from`.
    var used: Set<String> = []
    /// The demands on the body: `{json: […], kinds: {…}}`.
    var takes: JSON?
    var fields: [BodyFields.DescribedField] = []
    /// Whether the body is a form; otherwise it is JSON.
    var isForm = false
    /// Where its idempotency key is: `dialect`, or a source; nil if it has none.
    var key: JSON?
    /// The rows that must exist: a source for each table.
    var parents = JSONObject()
    /// The tokens that it issues; nil if it issues none.
    var grant: JSON?
    /// The movement of money; nil if it makes none.
    var move: JSON?
    /// The row that it adds; nil if it adds none.
    var insert: JSON?
    var status = 200
    var headers = JSONObject()
    /// The header with a fresh id on every response; nil if it has none.
    var requestID: String?
    var body: DescribedBody?
    /// The schema of that body.
    var schema: LocatedNode?
    /// How the body is written in the bank's file; nil for none.
    var response: JSON?

    /// Whether it only reads: a GET, or a POST whose path ends in a word for reading, as at Plaid.
    var isRead: Bool {
        guard method != "GET" else { return true }
        guard method == "POST", case .literal(let word)? = steps.parts.last else { return false }
        return ["get", "list", "sync", "search", "query"].contains(word.lowercased())
    }

    /// The word for what it is about: the last of its path that is not a parameter, nor a POST's word for reading or making.
    var noun: String {
        let words = path.literals
        let isMaking = ["create", "new", "initiate", "submit", "execute"].contains(words.last?.lowercased() ?? "")
        return (method == "POST" && (isRead || isMaking) ? words.dropLast().last ?? words.last : words.last) ?? "rows"
    }

    /// The path without an empty part at its end.
    var steps: PathTemplate {
        var steps = path
        if steps.parts.count > 1, steps.parts.last == .literal("") { steps.parts.removeLast() }
        return steps
    }

    /// Whether the last part of the path is a parameter.
    var endsInParameter: Bool { if case .parameter? = steps.parts.last { true } else { false } }

    var query: [DescribedParameter] { parameters.filter { $0.location == "query" } }
}

struct DescribedParameter {
    var name: String
    /// `path`, `query`, `header` or `cookie`
    var location: String
    var isRequired: Bool
    var node: LocatedNode
    var schema: LocatedNode?
}

/// Reads an operation: its parameters, its body and its response.
extension Description {
    /// The members of an operation that are read, or of which nothing needs to be reported.
    private static let membersOfOperations: Set<String> = [
        "operationId", "summary", "description", "tags", "externalDocs", "deprecated", "security", "parameters", "requestBody",
        "responses", "callbacks", "servers",
    ]

    /// Reads the operation into a bank's.
    ///
    /// - Parameters:
    ///   - shared: the parameters of all operations of the path.
    func read(_ operation: inout DescribedOperation, shared: [LocatedNode]) {
        let node = operation.node
        for (name, value) in node.members where !Description.membersOfOperations.contains(name) && !name.hasPrefix("x-") {
            warn(.ignored, value, "`\(name)` has no effect here")
        }
        if let callbacks = node["callbacks"] { warn(.ignored, callbacks, "a stub bank sends no requests") }
        if let servers = node["servers"] { warn(.ignored, servers, "all operations have one base URL") }
        let own = (node["parameters"]?.elements ?? []).compactMap(resolved)
        let inherited = shared.compactMap(resolved).filter { other in
            !own.contains { $0["name"]?.text == other["name"]?.text && $0["in"]?.text == other["in"]?.text }
        }
        for parameter in own + inherited { read(parameter, &operation) }
        if let body = node["requestBody"].flatMap(resolved) { operation.takes = takes(body, &operation) }
        readResponse(node["responses"], &operation)
    }

    // MARK: requests

    private func read(_ parameter: LocatedNode, _ operation: inout DescribedOperation) {
        guard let name = parameter["name"]?.text, let location = parameter["in"]?.text else {
            return warn(.ignored, parameter, "a parameter needs `name` and `in`")
        }
        let found = DescribedParameter(
            name: name, location: location, isRequired: parameter["required"]?.isTrue ?? false, node: parameter,
            schema: parameter["schema"].flatMap(resolved))
        switch location {
        case "path":
            guard operation.path.parameters.contains(name) else {
                return warn(.ignored, parameter, "the path has no {\(name)}")
            }
            operation.parameters.append(found)
        case "header" where ["accept", "content-type", "authorization"].contains(name.lowercased()): break  // OpenAPI 3.1 §4.8.12.1
        default: operation.parameters.append(found)
        }
    }

    /// Notes the parameters on which the bank does not act.
    func noteUnused(_ operation: DescribedOperation) {
        for parameter in operation.parameters
        where parameter.location != "path" && !operation.used.contains("\(parameter.location) \(parameter.name)") {
            let reason = "the response does not depend on this part of the \(parameter.location)"
            warn(
                parameter.isRequired ? .wider : .ignored, parameter.node, reason + (parameter.isRequired ? ", which may be missing" : ""))
        }
    }

    private func takes(_ body: LocatedNode, _ operation: inout DescribedOperation) -> JSON? {
        guard let (type, media) = media(body["content"]) else { return nil }
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        guard isForm || Description.isJSON(type) else {
            warn(.wider, media, "a body of type \(type) is not checked")
            return nil
        }
        var fields = BodyFields(description: self)
        if let schema = media["schema"] { fields.read(schema) }
        (operation.fields, operation.isForm) = (fields.found, isForm)
        guard body["required"]?.isTrue ?? false else {
            warn(.wider, body, "an optional body is not checked")
            return nil
        }
        let required = JSON.array(fields.required.map(JSON.string))
        if isForm { return ["form": required] }
        guard !fields.kinds.members.isEmpty else { return ["json": required] }
        return ["json": required, "kinds": .object(fields.kinds)]
    }

    // MARK: responses

    private func readResponse(_ responses: LocatedNode?, _ operation: inout DescribedOperation) {
        let all = responses?.members.filter { !$0.key.hasPrefix("x-") } ?? []
        let successes = all.compactMap { key, value in
            key.uppercased() == "2XX" ? (200, value) : Int(key).map { ($0, value) }
        }.filter { (200..<400).contains($0.0) }.sorted { $0.0 < $1.0 }
        guard let (status, written) = successes.first ?? all.first(where: { $0.key == "default" }).map({ (200, $0.value) }) else {
            warn(.approximate, responses ?? operation.node, "it has no successful response; it returns 200 without a body")
            return
        }
        for other in successes.dropFirst() {
            warn(.ignored, other.1, "an operation has one response here; the one with status \(status) is used")
        }
        guard let response = resolved(written) else { return }
        operation.status = status
        for (name, written) in response["headers"]?.members ?? [] where name.lowercased() != "content-type" {
            guard let header = resolved(written) else { continue }
            let example = header["example"] ?? header["schema"].flatMap(resolved).flatMap { $0["example"] ?? $0["default"] }
            if ["request-id", "interaction-id", "correlation-id"].contains(where: name.lowercased().hasSuffix) {
                operation.requestID = name
            } else if let text = example?.text {
                operation.headers[name] = .string(text)
            } else {
                warn(.ignored, header, "a header without an example is not sent")
            }
        }
        if let links = response["links"] { warn(.ignored, links, "links between operations are not supported") }
        if let content = response["content"], status != 204 {
            operation.body = body(content)
            operation.schema = media(content)?.node["schema"]
        }
    }
}
