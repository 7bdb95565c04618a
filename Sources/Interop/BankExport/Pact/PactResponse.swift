import BankCore
import BankModel

/// A response as a pact of version 4 writes it: an example, and rules for what may be otherwise.
struct PactResponse {
    let response: BankResponse
    let operation: Operation
    let bank: Bank

    var json: JSON {
        var headers: [(key: String, value: JSON)] = []
        var headerRules = JSONObject()
        for header in response.headers {
            switch headerRule(header.name, header.value) {
            case .none: continue
            case .exact: break
            case .regex(let text):
                headerRules[header.name] = ["combine": "AND", "matchers": [["match": "regex", "regex": .string(text)]]]
            }
            headers.append((header.name, [.string(header.value)]))
        }
        let body = body
        let type = contentType ?? "application/json"
        let rules = JSONObject(known: [
            "header": headerRules.members.isEmpty ? nil : .object(headerRules), "body": body.rules.isEmpty ? nil : body.json,
        ])
        return .object(known: [
            "status": .int(response.status), "headers": headers.isEmpty ? nil : .object(JSONObject(headers)),
            "body": body.example.map { ["content": $0, "contentType": .string(type), "encoded": false] },
            "matchingRules": rules.members.isEmpty ? nil : .object(rules),
        ])
    }

    private var contentType: String? { response.headers.value(of: "content-type") }

    private var body: Expectation {
        var expectation = Expectation()
        guard contentType?.contains("json") == true, let json = try? JSON(parsing: response.body) else { return expectation }
        if response.status >= 400 {
            expectation.example = expectation.rejection(json, "$")
        } else if case .json(let template) = operation.response {
            expectation.example = expectation.read(json, template, "$", operation, bank)
        } else {
            expectation.example = expectation.infer([json], "$")
        }
        return expectation
    }

    // MARK: headers

    /// The rule for a header's value.
    private enum HeaderRule {
        /// No rule: the header may be missing.
        case none
        /// Just so.
        case exact
        case regex(String)
    }

    private func headerRule(_ name: String, _ value: String) -> HeaderRule {
        switch name.lowercased() {
        case "content-type": return .regex("^\(TextPattern.escaped(String(value.prefix { $0 != ";" })))(;.*)?$")
        case "www-authenticate":
            let scheme = TextPattern.escaped(String(value.prefix { $0 != " " }))
            guard let start = value.firstRange(of: "error=\"") else { return .regex("^\(scheme)\\b.*$") }
            let error = TextPattern.escaped(String(value[start.upperBound...].prefix { $0 != "\"" }))
            return .regex("^\(scheme) .*error=\"\(error)\".*$")
        case "location":
            guard let scheme = value.firstRange(of: "://"), let slash = value[scheme.upperBound...].firstIndex(of: "/") else {
                return .exact
            }
            return .regex("^https?://[^/]+.*\(TextPattern.escaped(String(value[slash...])))$")
        case "etag": return .regex("^(W/)?\".*\"$")
        case "retry-after": return .regex("^.+$")
        case let lower where lower == bank.dialect.idempotency?.marker?.name.lowercased(): return .exact
        default: return .none
        }
    }
}
