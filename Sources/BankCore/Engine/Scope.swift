import BankModel

/// The values that a template's directives refer to while one request is answered.
struct Scope: Sendable {
    let request: BankRequest
    var parameters: [String: String] = [:]
    var customer: Customer?
    var token: TokenBook.Token?
    var now: Instant
    /// The body, if the operation takes JSON.
    var json: JSON?
    /// The body's fields, if the operation takes a form.
    var form: FormFields?
    /// What the tokens that the operation issues are bound to.
    var binding = TokenBinding()
    /// The tokens that the operation has just issued.
    var issued: IssuedTokens?
    /// The row that the operation has just added.
    var inserted: (table: String, row: TableRow)?
    /// The names of events for which the operation has just registered a webhook, in the form in which a request has them.
    var registered: JSON?
    /// The movement that the operation has just made, and its format of amounts.
    var movement: Movement?
    var unit: AmountUnit?
    /// The event that has made it.
    var event: BankEvent?
    /// The side of it whose list is being written.
    var side: MoveSide?
    /// The row while the movement was pending.
    var pending: JSONObject?
    /// The reason why the request was rejected.
    var detail: String?
    /// The state of the token's consent, if that is the reason, or of the one that a webhook is about.
    var consentState: ConsentState?
    /// The account that pays, while a consent is authorised.
    var consentAccount: String?
    /// The scope that the token lacks, if that is the reason.
    var lacking: String?
    /// Whether the customer decides about the consent that the operation adds in another app, so that no page returns to the client.
    var isDecoupled = false
    /// The challenges of the consent that the operation names.
    var challenges: [Challenge] = []
    /// The challenge that the response is about.
    var challenge: Challenge?
    /// The name of the next page; nil on the last.
    var nextPage: String?
    /// The page of the rows in the response; nil if they are not a page.
    var page: (paging: Paging, number: Int, pages: Int, total: Int)?
    /// The fault's effect on this read.
    var readAlteration: ReadAlteration?
    /// The header `Link`, if the paging uses it.
    var link: String?
}

extension SessionState {
    /// The source's value; nil if it is missing.
    mutating func value(_ source: ValueSource, _ scope: Scope) -> JSON? {
        switch source {
        case .literal(let value): return value
        case .path(let name): return scope.parameters[name].map(JSON.string)
        case .query(let name): return scope.request.queryValue(name).map(JSON.string)
        case .header(let name): return scope.request.header(name).map(JSON.string)
        case .body(let path): return scope.json?.at(path)
        case .form(let name): return scope.form?[name].map(JSON.string)
        case .jsonPath(let path): return (scope.json ?? (try? scope.request.json())).flatMap { value(of: path, in: $0) }
        case .segment(let position):
            let segments = scope.request.segments ?? scope.request.segmentsAsSent
            return segments.indices.contains(position) ? .string(segments[position]) : nil
        case .request(let part): return part.value(of: scope.request)
        case .date(let pattern, let offset): return .string(pattern.text(scope.now + offset))
        case .random(let alphabet, let length): return .string(randomText(of: Array(alphabet), length))
        case .joined(let parts):
            var joined = ""
            for part in parts { joined += text(part, scope) ?? "" }
            return .string(joined)
        case .html(let inner): return text(inner, scope).map { .string($0.htmlEscaped) }
        case .now(let style): return .string(style.text(scope.now))
        case .uuid(let prefix): return .string(uuid(after: prefix))
        case .url(let path): return .string(baseURL + filled(path, scope.parameters))
        case .token(let field): return tokenField(field, scope)
        case .openID(let field): return openIDValue(field, scope)
        case .consent(let field): return consentValue(field, scope)
        case .added(let path): return scope.inserted?.row.fields.at(path)
        case .challenge(let field): return challengeValue(field, scope)
        case .webhook(.registered): return .bool(scope.registered != nil)
        case .webhook(.events): return scope.registered
        case .customer("login"): return scope.customer.map { .string($0.login) }
        case .customer(let path): return scope.customer.flatMap { JSON.object($0.profile).at(path) }
        case .side(let field): return sideValue(field, scope)
        case .movement(let field): return movementValue(field, scope)
        case .event(let field): return scope.event?.value(field)
        case .pending(let path): return path.isEmpty ? scope.pending.map { .object($0) } : scope.pending?.at(path)
        case .detail(let usual): return .string(scope.detail ?? usual)
        case .lacking(let words):
            return scope.lacking.map { .string(words.replacing("{scope}", with: $0)) }
        case .or(let first, let second): return value(first, scope) ?? value(second, scope)
        }
    }

    /// The source's value as plain text; nil if it is missing.
    mutating func text(_ source: ValueSource, _ scope: Scope) -> String? { value(source, scope)?.plainText }

    /// The value at a path: a text as it is, a list as JSON, an object as JSON on several lines.
    private func value(of path: JSONPath, in document: JSON) -> JSON? {
        switch path.find(in: document) {
        case .nothing: nil
        case .one(let value):
            value.isContainer
                ? .string(value.object == nil ? value.text : value.spaced("")) : value == .null ? nil : .string(value.plainText)
        case .several(let values): .string(JSON.array(values).text)
        }
    }

    private mutating func randomText(of alphabet: [Character], _ length: Int) -> String {
        guard !alphabet.isEmpty else { return "" }
        return String((0..<length).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] })
    }

    /// The path with the request's parameters, each escaped as a segment (RFC 3986 §3.3), and `{name...}` as several. At a bank that compares
    /// paths as sent they are still escaped.
    private func filled(_ path: String, _ parameters: [String: String]) -> String {
        path.replacing(/\{([^{}]*?)(\.\.\.)?\}/) { match in
            let value = parameters[String(match.1)] ?? ""
            if bank.asSent { return value }
            guard match.2 != nil else { return percentEncoded(value) }
            return value.split(separator: "/", omittingEmptySubsequences: false).map { percentEncoded(String($0)) }.joined(separator: "/")
        }
    }

    private func tokenField(_ field: ValueSource.TokenField, _ scope: Scope) -> JSON? {
        guard let token = scope.issued?.access.token ?? scope.token else { return nil }
        switch field {
        case .access: return scope.issued.map { .string($0.access.text) }
        case .refresh: return scope.issued?.refresh.map { .string($0.text) }
        case .lifetime: return .int(max(0, (token.expiresAt - scope.now).components.seconds))
        case .scope: return .string(token.scopes.joined(separator: " "))
        case .scopes: return .array(token.scopes.map(JSON.string))
        case .expiresAt: return .string(token.expiresAt.rfc3339(.milliseconds))
        case .type: return .string(token.binding.key == nil ? "Bearer" : "DPoP")
        }
    }
}

extension JSON {
    /// The text as Jackson's pretty printer writes it, which WireMock uses.
    fileprivate func spaced(_ margin: String) -> String {
        switch self {
        case .object(let object):
            guard !object.members.isEmpty else { return "{ }" }
            let inner = margin + "  "
            let members = object.members.map { "\(inner)\(JSON.string($0.key).text) : \($0.value.spaced(inner))" }
            return "{\n\(members.joined(separator: ",\n"))\n\(margin)}"
        case .array(let elements): return elements.isEmpty ? "[ ]" : "[ \(elements.map { $0.spaced(margin) }.joined(separator: ", ")) ]"
        default: return text
        }
    }
}

extension ValueSource.RequestPart {
    fileprivate func value(of request: BankRequest) -> JSON? {
        switch self {
        case .method: .string(request.method)
        case .path: .string(percentDecoded(request.path, plusIsSpace: false) ?? request.path)
        case .query: request.query.map(JSON.string)
        case .url: .string(request.path + (request.query.map { "?\($0)" } ?? ""))
        case .body: .string(String(decoding: request.body, as: UTF8.self))
        }
    }
}

extension String {
    /// The text with the characters escaped that have a meaning in HTML, as Handlebars escapes them.
    var htmlEscaped: String {
        let escapes: [Character: String] = [
            "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#x27;", "`": "&#x60;", "&": "&amp;", "=": "&#x3D;",
        ]
        return reduce(into: "") { $0 += escapes[$1] ?? String($1) }
    }
}
