import BankModel

/// How a described bank rejects: the errors that its description has, and plain ones where it has none.
struct DescribedDialect {
    let name: String
    let description: Description
    /// By status.
    private var errors: [Int: DescribedBody] = [:]
    /// The bodies of `4XX` and `5XX`, by their digits: of the errors of that kind whose status has no body.
    private var ranges: [Int: DescribedBody] = [:]
    /// The body of `default`: of every error that has no other body.
    private var fallback: DescribedBody?

    init(name: String, description: Description) {
        self.name = name
        self.description = description
    }

    /// Banks reject a payment for lack of money with 402, too.
    private static let statuses = Set(DialectResponseName.allCases.map(\.usualStatus)).union([402])

    /// The statuses of rejections before a bank receives the request.
    private static let ofTheWire: Set<Int> = [408, 413, 417, 431, 505]

    /// Takes an operation's errors: of each status the first that has a body of JSON.
    mutating func add(_ responses: LocatedNode?) {
        for (key, written) in responses?.members ?? [] where !key.hasPrefix("x-") {
            if let status = Int(key), (200..<400).contains(status) { continue }
            if key.uppercased() == "2XX" || key.uppercased() == "3XX" { continue }
            guard let response = description.resolved(written) else { continue }
            let status = Int(key) ?? 0
            let range = ["4XX": 4, "5XX": 5][key.uppercased()]
            if DescribedDialect.ofTheWire.contains(status) {
                description.warn(.approximate, response, "the server itself responds with \(key) and its own body")
            } else if key != "default", range == nil, !DescribedDialect.statuses.contains(status) {
                description.warn(
                    .ignored, response, "the bank sends \(key) only through a fault, such as `{\"status\": {\"status\": …}}`")
            } else if let body = response["content"].flatMap({ description.body($0) }), body.json != nil {
                if key == "default" {
                    fallback = fallback ?? body
                } else if let range {
                    ranges[range] = ranges[range] ?? body
                } else if let known = errors[status], known.json != body.json {
                    description.warn(
                        .approximate, response, "a bank has one body for all errors of a kind; the first with status \(status) is used")
                } else {
                    errors[status] = errors[status] ?? body
                }
            }
        }
    }

    /// `dialects/NAME.yaml`
    ///
    /// - Parameters:
    ///   - contentType: of most responses.
    ///   - key: the rules for idempotency keys; nil where there are none.
    ///   - location: where requests carry their token.
    ///   - requestID: the header with a new id on every response; nil where there is none.
    func file(
        about: String, contentType: String, key: JSON?, location: DescribedSecurity.CredentialLocation? = .bearer, requestID: String? = nil
    ) -> ImportFile {
        var dialect = JSONObject([("dialect", .string(name)), ("about", .string(about)), ("content_type", .string(contentType))])
        dialect["request_id"] = requestID.map(JSON.string)
        dialect["idempotency"] = key
        dialect["replies"] = .object(
            JSONObject(DialectResponseName.allCases.map { (key: $0.rawValue, value: response($0, contentType, location)) }))
        let comment = "Written by counterfoil new bank. Bodies marked `invented` are placeholders: replace them with the bank's own."
        return ImportFile("dialects/\(name).yaml", YAMLText.document(.object(dialect), schema: YAMLText.dialectSchema, comment: comment))
    }

    private func response(_ name: DialectResponseName, _ contentType: String, _ location: DescribedSecurity.CredentialLocation?) -> JSON {
        var status = name.usualStatus
        if name == .insufficientFunds, errors[402] != nil { status = 402 }
        if errors[status] == nil, status == 400, errors[422] != nil { status = 422 }
        if errors[status] == nil, status == 422, errors[400] != nil { status = 400 }
        var response = JSONObject([("status", .int(status))])
        switch name {
        case .noCredentials, .tokenRejected, .tokenExpired:
            switch location {
            case .bearer?: response["headers"] = ["WWW-Authenticate": name == .noCredentials ? "Bearer" : "Bearer error=\"invalid_token\""]
            case .basic?: response["headers"] = ["WWW-Authenticate": "Basic realm=\"bank\""]
            case .apiKey?, nil: break
            }
        case .rateLimited, .maintenance: response["headers"] = ["Retry-After": "1"]
        default: break
        }
        guard let body = errors[status] ?? ranges[status / 100] ?? fallback, let json = body.json, DescribedDialect.canBe(json, name) else {
            response["invented"] = true
            response["body"] = ["code": .string(name.rawValue), "message": ["detail": .string(name.usualWords)]]
            return .object(response)
        }
        if body.type != contentType { response["content_type"] = .string(body.type) }
        response["body"] = DescribedDialect.template(json, problem: body.type.contains("problem+json") ? status : nil)
        return .object(response)
    }

    /// Whether a described error can be this rejection: one about money or about a key is not given for another reason.
    private static func canBe(_ body: JSON, _ name: DialectResponseName) -> Bool {
        let text = body.text.lowercased()
        if text.contains("idempoten") { return [.keyMissing, .keyMismatch, .keyInFlight].contains(name) }
        if text.contains("insufficient") { return name == .insufficientFunds || text.contains("scope") && name == .scopeRefused }
        return true
    }

    /// The body as a template; its member for words, if it has one, contains the reason of the rejection.
    ///
    /// - Parameter problem: the status, which the body of a problem has as a member (RFC 9457 §3.1.2); nil for any other body.
    private static func template(_ body: JSON, problem: Int?) -> JSON {
        guard let object = body.object else { return ["literal": body] }
        let words = ["detail", "message", "Message", "error_description"].first { object[$0]?.string != nil }
        let templates = object.members.map { name, value -> (key: String, value: JSON) in
            if name == "status", value.number != nil, let problem { return (name, .int(problem)) }
            return (key: name, value: name == words ? ["detail": value] : TemplateWords.literal(value))
        }
        return TemplateWords.object(JSONObject(templates), of: object)
    }
}

extension DialectResponseName {
    /// Its name as a sentence.
    var usualWords: String {
        rawValue.replacing("-", with: " ").prefix(1).uppercased() + rawValue.replacing("-", with: " ").dropFirst() + "."
    }
}
