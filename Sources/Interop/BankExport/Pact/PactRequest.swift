import BankCore
import BankModel

/// A request as a pact of version 4 writes it: an example, and generators for the values that a provider state returns.
struct PactRequest {
    let draft: RequestDraft
    /// The values of the provider states when the example was made.
    let known: JSONObject

    /// - Parameter draft: its named values that no state returned become plain values.
    init(draft: RequestDraft, known: JSONObject) {
        var kept = draft
        for (location, value) in draft.values {
            if let name = value.name, known[name] == nil { kept[location]?.name = nil }
        }
        self.draft = kept
        self.known = known
    }

    var json: JSON {
        let request = draft.request(known)
        var object = JSONObject([("method", .string(request.method)), ("path", .string(request.path))])
        let query = draft.fields(ofForm: false, known)
        if !query.isEmpty { object["query"] = .object(JSONObject(query.map { (key: $0.name, value: [.string($0.text)]) })) }
        if !request.headers.isEmpty {
            object["headers"] = .object(JSONObject(request.headers.map { (key: $0.name, value: [.string($0.value)]) }))
        }
        if let type = draft.contentType {
            let content = draft.json(known) ?? .string(String(decoding: request.body, as: UTF8.self))
            object["body"] = ["content": content, "contentType": .string(type), "encoded": false]
        }
        if !rules.members.isEmpty { object["matchingRules"] = .object(rules) }
        if !generators.members.isEmpty { object["generators"] = .object(generators) }
        return .object(object)
    }

    /// The expression for a value: `Bearer ${token}`.
    private func expression(_ value: RequestDraft.Value) -> String {
        value.prefix + (value.name.map { "${\($0)}" } ?? value.json.plainText)
    }

    private func generator(_ expression: String) -> JSON {
        ["type": "ProviderState", "expression": .string(expression), "dataType": "STRING"]
    }

    private var named: [(location: RequestDraft.Location, value: RequestDraft.Value)] { draft.values.filter { $0.value.name != nil } }

    private var generators: JSONObject {
        var object = JSONObject()
        if named.contains(where: { if case .path = $0.location { true } else { false } }) {
            object["path"] = generator(draft.pathText(expression))
        }
        for (location, value) in named {
            let made = generator(expression(value))
            switch location {
            case .header(let name): object["header", name] = made
            case .query(let name): object["query", name] = made
            case .form(let name): object["body", "$".jsonPath(of: name)] = made
            case .body(let path): object["body", path.split(separator: ".").reduce("$") { $0.jsonPath(of: String($1)) }] = made
            case .path, .rawQuery, .text: break
            }
        }
        return object
    }

    /// So that a stub made of the pact takes other tokens and keys too.
    private var rules: JSONObject {
        var object = JSONObject()
        for (location, value) in named {
            guard case .header(let name) = location else { continue }
            let rule: JSON = value.prefix.isEmpty ? ["match": "type"] : ["match": "regex", "regex": .string("^\(value.prefix).+$")]
            object["header", name] = ["combine": "AND", "matchers": [rule]]
        }
        return object
    }
}
