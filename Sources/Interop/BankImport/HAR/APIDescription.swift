package import BankModel

/// What the rules need to know of an API whose traffic was recorded: the file `api.yaml`. What it leaves out is found by usual names.
package struct APIDescription: Sendable {
    var hosts: [String]?
    var pays: [CallPattern]?
    var signsIn: [CallPattern]?
    var refreshes: [CallPattern]?
    var signsOut: [CallPattern]?
    var key: KeyLocation?
    /// The name of the header that has the token, in lower case.
    var tokenHeader: String?
    var rejection: Rejection?
    /// The field of a sign-in that names the customer.
    var customer: String?

    /// Without any statement.
    package init() {}

    /// Where the idempotency key of a payment is.
    enum KeyLocation: Sendable, Hashable, CustomStringConvertible {
        /// By its name in lower case.
        case header(String)
        /// A dotted path into the JSON body.
        case body(String)

        var description: String {
            switch self {
            case .header(let name): "header \(name)"
            case .body(let path): "body \(path)"
            }
        }
    }

    /// What the response to a rejected token looks like.
    struct Rejection: Sendable, Hashable {
        var statuses: [Int] = [401]
        /// A text that the body or the header `WWW-Authenticate` has; nil if the status is enough.
        var contains: String?
    }
}

/// A method and a path, such as `POST /v1/accounts/{id}/payments`.
struct CallPattern: Sendable, Hashable, CustomStringConvertible {
    let method: String
    let path: String

    /// - Returns: nil if the text is not a method and a path.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, parts[1].hasPrefix("/"), !parts[1].contains("?"),
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        method = String(parts[0])
        path = String(parts[1])
    }

    var description: String { "\(method) \(path)" }

    /// Whether the request has the method and the path; a segment in braces stands for any other.
    func matches(_ entry: RecordedExchange) -> Bool {
        let wanted = path.split(separator: "/")
        let found = entry.url.path.split(separator: "/")
        return method == entry.method && wanted.count == found.count
            && zip(wanted, found).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && $0.hasSuffix("}")) }
    }
}

/// The keys of `api.yaml`.
package enum APIKeys {
    private static let calls: Format<[CallPattern]> = .list(
        of: Format(
            .text(TextSchema("a method and a path such as `POST /v1/accounts/{id}/payments`", pattern: "[A-Z]+ /[^ ?]*")),
            read: { node, complaints in
                node.scalar.flatMap(CallPattern.init)
                    ?? node.wrong(complaints, "a method and a path such as POST /v1/accounts/{id}/payments")
            }), atLeast: 1)

    static let hosts = Field(
        "hosts", .list(of: .text("a host such as api.bank.example"), atLeast: 1),
        "the hosts of the API; by default those that receive tokens, idempotency keys, sign-ins or payments")
    static let pays = Field(
        "pays", calls,
        "the requests that make payments; by default each POST whose path ends with a word such as `payments`, `transfers` or `payouts`")
    static let signIn = Field("sign_in", calls, "the requests that sign a customer in; by default those with a password or a `grant_type`")
    static let refresh = Field("refresh", calls, "the requests that renew a token; by default those with `grant_type=refresh_token`")
    static let signOut = Field(
        "sign_out", calls,
        "the requests that revoke a token; by default those whose path ends with a word such as `logout`, `signout` or `revoke`")
    static let key = Field(
        "key", .object(keySchema, read: { fields, complaints in location(fields, complaints) }),
        "the idempotency key of a payment; by default the header `Idempotency-Key` or a similar one")
    static let token = Field(
        "token", .object(tokenSchema, read: { fields, _ in fields[tokenHeader] }),
        "the access token; by default the header `Authorization` with the scheme `Bearer`")
    static let rejected = Field(
        "rejected", .object(rejectedSchema, read: { fields, _ in rejection(fields) }),
        "the response to a rejected token; by default any 401 to a request with a token")
    static let customer = Field(
        "customer", .text("the name of a field"),
        "the field of a sign-in that names the customer; by default `username`, `email` or a similar one")

    private static let keyHeader = Field("header", .text("the name of a header"), "the header that contains the key")
    private static let keyBody = Field(
        "body", .text("a path into the body such as `meta.key`"), "the member of the JSON body that contains the key")
    private static let keySchema = ObjectSchema(
        "`key`", named: "api-key", "Where the idempotency key is.", fields: [keyHeader, keyBody],
        rules: [.exactlyOne([["header"], ["body"]])],
        example: "{header: Idempotency-Key}")
    private static let tokenHeader = Field(
        required: "header", .text("the name of a header"), "the header that contains the token, with or without `Bearer`")
    private static let tokenSchema = ObjectSchema(
        "`token`", named: "api-token", "Where the access token is.", fields: [tokenHeader], example: "{header: X-Auth-Token}")
    private static let status = Field(
        "status", .list(of: .int(in: 400...499), atLeast: 1),
        "the statuses that mean that the token is rejected; by default 401")
    private static let contains = Field(
        "contains", .text(),
        "a text that the response's body or its header `WWW-Authenticate` must contain; without it, the status is enough")
    private static let rejectedSchema = ObjectSchema(
        "`rejected`", named: "api-rejected", "What the response to a rejected token looks like.", fields: [status, contains],
        example: "{status: [401], contains: invalid_token}")

    package static let schema = ObjectSchema(
        "a description of an API", named: "api",
        "Facts about an API for `counterfoil judge --har`, `--through` and `record`. Every key is optional: Counterfoil infers a "
            + "missing fact from common names.",
        fields: [hosts, pays, signIn, refresh, signOut, key, token, rejected, customer],
        example: "{hosts: [api.bank.example], pays: [POST /v1/payments], key: {header: Idempotency-Key}}")

    private static func location(_ fields: Fields, _ complaints: Complaints) -> APIDescription.KeyLocation? {
        let header = fields[keyHeader]
        let body = fields[keyBody]
        switch (header, body) {
        case (let name?, nil): return .header(name.lowercased())
        case (nil, let path?): return .body(path)
        default: return fields.node.wrong(complaints, "one of `header` and `body`")
        }
    }

    private static func rejection(_ fields: Fields) -> APIDescription.Rejection {
        APIDescription.Rejection(statuses: fields[status] ?? [401], contains: fields[contains])
    }
}

extension APIDescription {
    /// Reads `api.yaml`.
    package init(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: APIKeys.schema, complaints)
        hosts = fields[APIKeys.hosts]?.map { $0.lowercased() }
        pays = fields[APIKeys.pays]
        signsIn = fields[APIKeys.signIn]
        refreshes = fields[APIKeys.refresh]
        signsOut = fields[APIKeys.signOut]
        key = fields[APIKeys.key]
        tokenHeader = fields[APIKeys.token]?.lowercased()
        rejection = fields[APIKeys.rejected]
        customer = fields[APIKeys.customer]
        fields.finish()
    }
}
