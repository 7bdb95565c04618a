import BankCore
import BankModel

/// Reads what a mapping's request must be.
struct RequestReader {
    let notes: ImportNotes

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    private static let all = "an operation for each of \(oneOf(RequestReader.methods)); other methods are not answered"
    private static let known: Set<String> = [
        "method", "url", "urlPattern", "urlPath", "urlPathPattern", "urlPathTemplate", "queryParameters", "headers", "formParameters",
        "pathParameters", "basicAuth", "basicAuthCredentials", "bodyPatterns",
    ]

    func read(_ request: LocatedJSON, into stub: inout Stub) {
        notes.unknown(request, known: RequestReader.known, .leftOut)
        stub.methods = methods(request)
        guard let address = AddressReader(notes: notes, asSent: true).address(request) else { return }
        stub.path = address.path
        var conditions = address.when
        let matchers = MatcherReader(notes: notes)
        for (part, key) in [(Condition.Part.query, "queryParameters"), (.header, "headers"), (.form, "formParameters")] {
            for (name, matcher) in request[key]?.members ?? [] {
                conditions += matchers.wanted(matcher).map { [Condition(part, name, $0)] } ?? []
            }
        }
        for (name, matcher) in request["pathParameters"]?.members ?? [] {
            guard PathTemplate(address.path)?.parameters.contains(name) == true else {
                notes.warn(.leftOut, matcher, "the path has no such parameter")
                continue
            }
            conditions += matchers.wanted(matcher).map { [Condition(.path, name, $0)] } ?? []
        }
        if let pair = request["basicAuthCredentials"] ?? request["basicAuth"] {
            let text = "\(pair["username"]?.json.plainText ?? ""):\(pair["password"]?.json.plainText ?? "")"
            conditions.append(Condition(.header, "Authorization", .value(.string("Basic " + Base64.encoded(Array(text.utf8))))))
        }
        conditions += matchers.conditions(ofBody: request["bodyPatterns"]?.elements ?? [])
        stub.when = merged(conditions)
    }

    private func methods(_ request: LocatedJSON) -> [String] {
        guard let piece = request["method"] else {
            notes.warn(.narrower, request, "no method: \(RequestReader.all)")
            return RequestReader.methods
        }
        guard let method = notes.text(piece)?.uppercased() else { return [] }
        switch method {
        case "ANY":
            notes.warn(.narrower, piece, RequestReader.all)
            return RequestReader.methods
        case "GET_OR_HEAD": return ["GET", "HEAD"]
        case _ where RequestReader.methods.contains(method): return [method]
        default: return notes.nothing(.leftOut, piece, "a bank's methods are \(oneOf(RequestReader.methods))") ?? []
        }
    }

    /// One condition for each field.
    private func merged(_ conditions: [Condition]) -> [Condition] {
        var result: [Condition] = []
        for condition in conditions {
            let position = result.firstIndex { $0.part == condition.part && $0.normal.name == condition.normal.name }
            guard let position else {
                result.append(condition)
                continue
            }
            if result[position].implies(condition) { continue }
            if condition.implies(result[position]) {
                result[position] = condition
            } else {
                result[position].wanted = .all([result[position].wanted, condition.wanted])
            }
        }
        return result
    }
}
