import BankCore
import BankModel

/// Every response that an operation may get.
struct OperationResponses {
    let operation: Operation
    let tables: TableShapes
    let sample: Sample?

    private var bank: Bank { tables.bank }
    private var templates: TemplateShapes { TemplateShapes(tables: tables, operation: operation) }

    /// First its success, then its own rejections, the dialect's, and the wire's.
    var all: [PossibleResponse] {
        (operation.signIn?.responses ?? [success] + unmodified + rejections) + dialect + PossibleResponse.ofTheWire
    }

    // MARK: its own

    private var success: PossibleResponse {
        var response = PossibleResponse(status: operation.status, about: operation.status >= 400 ? "Rejected." : "Done.")
        response.headers = headers(operation.headers)
        switch operation.response {
        case .none: break
        case .json(let template):
            response.contentType = bank.dialect.contentType
            response.shape = templates.value(template).shape
            if let failure = operation.businessFailure {
                response.shape = response.shape?.joined(with: templates.value(failure).shape)
            }
        case .file(let file):
            response.contentType = file.contentType
            if isJSON(file.contentType), let value = try? JSON(parsing: file.bytes) { response.shape = SchemaShape(value) }
        case .text(_, let type): response.contentType = type
        case .folder(let files, _): response.contentType = files.sorted { $0.key < $1.key }.first?.value.contentType
        }
        if operation.stream != nil { response.contentType = "text/event-stream" }
        if operation.etag { response.headers.append(.init(name: "ETag")) }
        if operation.lists.contains(where: { $0.paging?.style == .linkHeader }) {
            response.headers.append(.init(name: "Link", isRequired: false))
        }
        if operation.key != nil, let marker = bank.dialect.idempotency?.marker {
            response.headers.append(.init(name: marker.name, isRequired: false, value: marker.value))
        }
        if isJSON(response.contentType), let body = sample?.response.body { response.example = try? JSON(parsing: body) }
        return response
    }

    private var unmodified: [PossibleResponse] {
        guard operation.etag, operation.method == "GET" else { return [] }
        var response = PossibleResponse(status: 304, about: "Not modified: the client has this version (`If-None-Match`).")
        response.headers = headers(operation.headers) + [.init(name: "ETag")]
        return [response]
    }

    private func isJSON(_ type: String?) -> Bool { type.map { $0.hasPrefix("application/json") || $0.contains("+json") } ?? false }

    // MARK: rejections

    private var rejections: [PossibleResponse] {
        Operation.RejectionReason.allCases.compactMap { situation in
            operation.rejections[situation].map { response($0, situation.about.sentence, templates) }
        }
    }

    private var dialect: [PossibleResponse] {
        let names = possible
        return DialectResponseName.allCases.filter(names.contains).compactMap { name in
            guard let template = bank.dialect.responses[name] else { return nil }
            var response = response(template, name.about.sentence, TemplateShapes(tables: tables, operation: nil))
            if name == .rateLimited, limit != nil {
                // Of the bank's own limit it varies; a fault sends the dialect's.
                response.headers.removeAll { $0.name.lowercased() == "retry-after" }
                response.headers.append(.init(name: "Retry-After", isRequired: false))
            }
            return response
        }
    }

    private func response(_ template: ResponseTemplate, _ about: String, _ templates: TemplateShapes) -> PossibleResponse {
        var response = PossibleResponse(status: template.status, about: about)
        response.headers = headers(template.headers)
        if let body = template.body {
            response.contentType = template.contentType
            response.shape = templates.value(body).shape
            response.example = body.usualWords
        }
        return response
    }

    /// The dialect's responses that the operation may get: by its state, by magic values, and by outages.
    private var possible: Set<DialectResponseName> {
        if case .password? = operation.grant { return Set(DialectResponseName.allCases) }  // a password `error_NAME` gets any of them
        var names: Set<DialectResponseName> = [.notFound, .rateLimited, .maintenance, .internalError]
        if case .token(let scope) = operation.access {
            names.formUnion([.noCredentials, .tokenRejected, .tokenExpired, .stepUp, .consentExpired])
            if scope != nil || bank.auth?.scopes.isEmpty == false { names.insert(.scopeRefused) }
        }
        let asksMore = operation.lists.contains { $0.between != nil || $0.near != nil || $0.paging != nil }
        if operation.body != nil || operation.key != nil || operation.changesRows || operation.grant != nil || asksMore {
            names.insert(.badRequest)
        }
        if operation.lists.contains(where: { $0.paging != nil }) { names.insert(.cursorExpired) }
        if operation.key != nil, let policy = bank.dialect.idempotency {
            names.formUnion([.keyMismatch, .keyInFlight])
            if policy.required { names.insert(.keyMissing) }
        }
        if operation.move != nil {
            names.insert(.insufficientFunds)
            for outcome in Array(bank.dialect.magic.amounts.values) + Array(bank.dialect.magic.payees.values) {
                if case .errorResponse(let name) = outcome { names.insert(name) }
            }
        }
        return names
    }

    // MARK: headers

    /// The dialect's headers, those of the response in place of theirs.
    private func headers(_ own: [HeaderTemplate]) -> [PossibleResponse.Header] {
        let names = own.map { $0.name.lowercased() }
        let all = bank.dialect.headers.filter { !names.contains($0.name.lowercased()) } + own
        var headers = all.map { header in
            let value = templates.value(header.value)
            var text: String?
            if case .literal(let literal) = header.value { text = literal.plainText }
            return PossibleResponse.Header(name: header.name, isRequired: value.isRequired, value: text)
        }
        // A fault's response is without them.
        headers += limit?.headers.names.map { .init(name: $0, isRequired: false) } ?? []
        if let id = bank.dialect.requestID { headers.append(.init(name: id)) }
        return headers
    }

    private var limit: RateLimit? { operation.rateLimit(bank.dialect) }
}

extension String {
    fileprivate var sentence: String { capitalizedFirst + "." }
}

extension Template {
    /// The default text of a rejection.
    var usualWords: JSON? {
        switch self {
        case .literal(let value), .value(.literal(let value)), .value(.or(_, .literal(let value))): value
        case .value(.detail(let words)): .string(words)
        case .array(let elements): .array(elements.compactMap(\.usualWords))
        case .object(let members):
            .object(JSONObject(members.compactMap { member in member.value.usualWords.map { (key: member.key, value: $0) } }))
        default: nil
        }
    }
}

extension Operation.SignIn {
    /// The engine's responses.
    fileprivate var responses: [PossibleResponse] {
        let page = "text/html; charset=utf-8"
        let redirect = PossibleResponse(status: 303, about: "The client's address, with the code or an error (RFC 6749 §4.1.2).")
        let wrong = PossibleResponse(status: 400, about: "A page with the error.", contentType: page)
        return switch self {
        case .page: [PossibleResponse(status: 200, about: "The sign-in page.", contentType: page), redirect, wrong]
        case .decision: [redirect, wrong, PossibleResponse(status: 403, about: "The form was sent from another site.", contentType: page)]
        case .push:
            [
                (201, "The address of the request (RFC 9126)."), (400, "The request is invalid (RFC 6749 §4.1.2.1)."),
                (401, "The client has not authenticated (RFC 6749 §5.2)."),
            ].map { PossibleResponse(status: $0, about: $1, contentType: "application/json") }
        }
    }
}

/// One response that an operation may get, from the bank or from the wire before it.
struct PossibleResponse {
    var status: Int
    /// In one sentence, when that is.
    var about: String
    /// Nil: sent without a type.
    var contentType: String?
    /// Nil: no body, or one that is not JSON.
    var shape: SchemaShape?
    var example: JSON?
    var headers: [Header] = []

    /// A header of the response.
    struct Header: Hashable {
        var name: String
        var isRequired = true
        /// The only value it has; nil if that varies.
        var value: String?
    }

    /// Rejections of the wire, before any bank receives the request: problem details (RFC 9457).
    static let ofTheWire: [PossibleResponse] = [
        (400, "The bytes are not an HTTP/1.1 request."),
        (408, "The rest of the request did not arrive in time."),
        (413, "The body is larger than 1 MiB."),
        (417, "`Expect` has a value other than `100-continue`."),
        (431, "The head is larger than 32 KiB, or has more than 200 headers."),
        (505, "The HTTP version is neither 1.1 nor 2."),
    ].map { status, about in
        var members: [SchemaShape.Member] = ["type", "title", "detail"].map { SchemaShape.Member(name: $0, shape: .text, isRequired: true) }
        members.append(SchemaShape.Member(name: "status", shape: SchemaShape(kinds: [.integer], constant: .int(status)), isRequired: true))
        return PossibleResponse(status: status, about: about, contentType: "application/problem+json", shape: .object(members))
    }
}
