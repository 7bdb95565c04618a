import BankCore
import BankModel

/// Every response that an operation may get.
struct OperationResponses {
    let operation: Operation
    let tables: TableShapes
    let sample: SampleRequest

    private var bank: Bank { tables.bank }
    private var templates: TemplateShapes { TemplateShapes(tables: tables, operation: operation) }

    /// First its own, then rejections of its own, the dialect's, and the wire's.
    var all: [PossibleResponse] {
        (operation.signIn?.replies ?? [success] + unmodified + rejections) + dialect + PossibleResponse.ofTheWire
    }

    // MARK: its own

    private var success: PossibleResponse {
        var reply = PossibleResponse(status: operation.status, about: operation.status >= 400 ? "Rejected." : "Done.")
        reply.headers = headers(operation.headers)
        switch operation.reply {
        case .none: break
        case .json(let template):
            reply.contentType = bank.dialect.contentType
            reply.shape = templates.value(template).shape
            if let failure = operation.businessFailure {
                reply.shape = reply.shape?.joined(with: templates.value(failure).shape)
            }
        case .file(let file):
            reply.contentType = file.contentType
            if isJSON(file.contentType), let value = try? JSON(parsing: file.bytes) { reply.shape = SchemaShape(value) }
        case .text(_, let type): reply.contentType = type
        case .folder(let files, _): reply.contentType = files.sorted { $0.key < $1.key }.first?.value.contentType
        }
        if operation.stream != nil { reply.contentType = "text/event-stream" }
        if operation.etag { reply.headers.append(.init(name: "ETag")) }
        if operation.lists.contains(where: { $0.paging?.style == .linkHeader }) {
            reply.headers.append(.init(name: "Link", isRequired: false))
        }
        if operation.key != nil, let marker = bank.dialect.idempotency?.marker {
            reply.headers.append(.init(name: marker.name, isRequired: false, value: marker.value))
        }
        if isJSON(reply.contentType), let body = sample.reply?.body { reply.example = try? JSON(parsing: body) }
        return reply
    }

    private var unmodified: [PossibleResponse] {
        guard operation.etag, operation.method == "GET" else { return [] }
        var reply = PossibleResponse(status: 304, about: "Not modified: the client has this version (`If-None-Match`).")
        reply.headers = headers(operation.headers) + [.init(name: "ETag")]
        return [reply]
    }

    private func isJSON(_ type: String?) -> Bool { type.map { $0.hasPrefix("application/json") || $0.contains("+json") } ?? false }

    // MARK: rejections

    private var rejections: [PossibleResponse] {
        Operation.RejectionReason.allCases.compactMap { situation in
            operation.rejections[situation].map { reply($0, situation.about, templates) }
        }
    }

    private var dialect: [PossibleResponse] {
        let names = possible
        return DialectResponseName.allCases.filter(names.contains).compactMap { name in
            guard let template = bank.dialect.replies[name] else { return nil }
            var reply = reply(template, name.about, TemplateShapes(tables: tables, operation: nil))
            if name == .rateLimited, limit != nil {
                // Of the bank's own limit it varies; a fault sends the dialect's.
                reply.headers.removeAll { $0.name.lowercased() == "retry-after" }
                reply.headers.append(.init(name: "Retry-After", isRequired: false))
            }
            return reply
        }
    }

    private func reply(_ template: ResponseTemplate, _ about: String, _ templates: TemplateShapes) -> PossibleResponse {
        var reply = PossibleResponse(status: template.status, about: about)
        reply.headers = headers(template.headers)
        if let body = template.body {
            reply.contentType = template.contentType
            reply.shape = templates.value(body).shape
            reply.example = body.usualWords
        }
        return reply
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
    fileprivate var replies: [PossibleResponse] {
        let page = "text/html; charset=utf-8"
        let redirect = PossibleResponse(status: 303, about: "The client's address, with the code or an error (RFC 6749 §4.1.2).")
        let wrong = PossibleResponse(status: 400, about: "What is wrong, on a page.", contentType: page)
        return switch self {
        case .page: [PossibleResponse(status: 200, about: "The sign-in page.", contentType: page), redirect, wrong]
        case .decision: [redirect, wrong, PossibleResponse(status: 403, about: "Sent from another site.", contentType: page)]
        case .push:
            [
                (201, "The address of the request (RFC 9126)."), (400, "The request is wrong (RFC 6749 §4.1.2.1)."),
                (401, "The client has not authenticated (RFC 6749 §5.2)."),
            ].map { PossibleResponse(status: $0, about: $1, contentType: "application/json") }
        }
    }
}
