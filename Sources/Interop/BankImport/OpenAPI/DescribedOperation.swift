import BankCore
import BankModel

/// One operation of a description, as far as a bank can say it.
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
    /// The demands on the body: `{json: […], kinds: {…}}`.
    var takes: JSON?
    /// Its writes have an idempotency key.
    var hasKey = false
    var status = 200
    var headers = JSONObject()
    /// The header with a fresh id on every response; nil if it has none.
    var requestID: String?
    var body: DescribedBody?
    /// How the body is written in the bank's file; nil for none.
    var reply: JSON?
}

/// The header in which a description wants an idempotency key.
struct DescribedKey {
    var header: String
    var isRequired: Bool
    var longest: Int
}

/// Reads an operation: its parameters, its body and its response.
struct DescribedOperationReader {
    let description: Description

    private var content: ContentReader { ContentReader(description: description) }

    /// The members of an operation without effect on the bank, which are not reported.
    private static let silent: Set<String> = ["operationId", "summary", "description", "tags", "externalDocs", "deprecated", "security"]
    private static let known: Set<String> = silent.union(["parameters", "requestBody", "responses", "callbacks", "servers"])

    /// Reads the operation into a bank's.
    ///
    /// - Parameters:
    ///   - shared: the parameters of all operations of the path.
    ///   - key: the header of idempotency keys, once one is found.
    func read(_ operation: inout DescribedOperation, shared: [LocatedNode], key: inout DescribedKey?) {
        let node = operation.node
        for (name, value) in node.members where !DescribedOperationReader.known.contains(name) && !name.hasPrefix("x-") {
            description.cannot(.ignored, value, "`\(name)` has no effect here")
        }
        if let callbacks = node["callbacks"] { description.cannot(.ignored, callbacks, "a stub bank sends no requests") }
        if let servers = node["servers"] { description.cannot(.ignored, servers, "all operations have one base URL") }
        let own = (node["parameters"]?.elements ?? []).compactMap(description.resolved)
        let inherited = shared.compactMap(description.resolved).filter { other in
            !own.contains { $0["name"]?.text == other["name"]?.text && $0["in"]?.text == other["in"]?.text }
        }
        for parameter in own + inherited { read(parameter, &operation, &key) }
        if let body = node["requestBody"].flatMap(description.resolved) { operation.takes = takes(body) }
        readReply(node["responses"], &operation)
    }

    // MARK: requests

    private func read(_ parameter: LocatedNode, _ operation: inout DescribedOperation, _ key: inout DescribedKey?) {
        guard let name = parameter["name"]?.text, let place = parameter["in"]?.text else {
            return description.cannot(.ignored, parameter, "a parameter needs `name` and `in`")
        }
        let isRequired = parameter["required"]?.isTrue ?? false
        switch place {
        case "path":
            if !operation.path.parameters.contains(name) { description.cannot(.ignored, parameter, "the path has no {\(name)}") }
        case "header" where ["accept", "content-type", "authorization"].contains(name.lowercased()): break  // OpenAPI 3.1 §4.8.12.1
        case "header" where name.lowercased().contains("idempotency") && operation.method != "GET":
            let longest = parameter["schema"].flatMap(description.resolved)?["maxLength"]?.json.int
            if let key, key.header.lowercased() != name.lowercased() {
                return description.cannot(.ignored, parameter, "a bank has one header for idempotency keys; it is \(key.header)")
            }
            key = DescribedKey(
                header: name, isRequired: isRequired || key?.isRequired ?? false,
                longest: longest.map { Int(clamping: $0) } ?? key?.longest ?? 255)
            operation.hasKey = true
        default:
            let reason = "the response does not depend on this part of the \(place)"
            description.cannot(isRequired ? .wider : .ignored, parameter, reason + (isRequired ? ", which may be missing" : ""))
        }
    }

    private func takes(_ body: LocatedNode) -> JSON? {
        guard let (type, media) = content.media(body["content"]) else { return nil }
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        guard isForm || ContentReader.isJSON(type) else {
            description.cannot(.wider, media, "a body of type \(type) is not checked")
            return nil
        }
        guard body["required"]?.isTrue ?? false else {
            description.cannot(.wider, body, "an optional body is not checked")
            return nil
        }
        var fields = BodyFields(description: description)
        if let schema = media["schema"] { fields.read(schema) }
        let required = JSON.array(fields.required.map(JSON.string))
        if isForm { return ["form": required] }
        guard !fields.kinds.isEmpty else { return ["json": required] }
        return ["json": required, "kinds": .object(JSONObject(fields.kinds.map { (key: $0.path, value: .string($0.kind.rawValue)) }))]
    }

    // MARK: responses

    private func readReply(_ responses: LocatedNode?, _ operation: inout DescribedOperation) {
        let all = responses?.members.filter { !$0.key.hasPrefix("x-") } ?? []
        let successes = all.compactMap { key, value in
            key.uppercased() == "2XX" ? (200, value) : Int(key).map { ($0, value) }
        }.filter { (200..<400).contains($0.0) }.sorted { $0.0 < $1.0 }
        guard let (status, written) = successes.first ?? all.first(where: { $0.key == "default" }).map({ (200, $0.value) }) else {
            description.cannot(
                .approximate, responses ?? operation.node, "it has no successful response; it returns 200 without a body")
            return
        }
        for other in successes.dropFirst() {
            description.cannot(.ignored, other.1, "an operation has one response here; the one with status \(status) is used")
        }
        guard let response = description.resolved(written) else { return }
        operation.status = status
        for (name, written) in response["headers"]?.members ?? [] where name.lowercased() != "content-type" {
            guard let header = description.resolved(written) else { continue }
            let example = header["example"] ?? header["schema"].flatMap(description.resolved).flatMap { $0["example"] ?? $0["default"] }
            if ["request-id", "interaction-id", "correlation-id"].contains(where: name.lowercased().hasSuffix) {
                operation.requestID = name
            } else if let text = example?.text {
                operation.headers[name] = .string(text)
            } else {
                description.cannot(.ignored, header, "a header without an example is not sent")
            }
        }
        if let links = response["links"] { description.cannot(.ignored, links, "links between operations are not supported") }
        if let content = response["content"], status != 204 { operation.body = self.content.body(content) }
    }
}
