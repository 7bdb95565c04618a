import BankModel

/// One call to a bank, independent of the customer who makes it.
package struct BankCall: Sendable, Hashable {
    package var method: String
    /// The path at the bank's address, percent-encoded.
    package var path: String
    package var headers: HTTPHeaders
    package var body: [UInt8]?
    /// True if the call carries the token of the customer who is signed in.
    package var authorised: Bool
    /// The statuses that count as success for this call.
    package var expected: Set<Int>
    /// True for a call that the bank may see once only; see ``HTTPRequest/needsNewConnection``.
    package var needsNewConnection = false

    package init(
        _ method: String, _ path: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil, authorised: Bool = true,
        expected: Set<Int> = [200]
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.authorised = authorised
        self.expected = expected
    }

    /// A `GET`; query fields whose value is nil are left out.
    package static func get(_ path: String, query: [(String, String?)] = [], authorised: Bool = true) -> BankCall {
        let query = fields(query)
        return BankCall("GET", query.isEmpty ? path : "\(path)?\(query)", headers: ["Accept": "application/json"], authorised: authorised)
    }

    /// A call whose body is JSON, as its response is.
    ///
    /// - Parameter headers: further ones, such as the one with a payment's key.
    package static func json(
        _ method: String, _ path: String, _ body: [UInt8], headers: HTTPHeaders = HTTPHeaders(), authorised: Bool = true,
        expected: Set<Int> = [200, 201]
    ) -> BankCall {
        var call = BankCall(method, path, headers: headers, body: body, authorised: authorised, expected: expected)
        call.headers["Accept"] = "application/json"
        call.headers["Content-Type"] = "application/json"
        return call
    }

    /// A form (`application/x-www-form-urlencoded`) without a token.
    package static func form(_ path: String, _ fields: [(String, String?)]) -> BankCall {
        let headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"]
        return BankCall("POST", path, headers: headers, body: Array(self.fields(fields).utf8), authorised: false)
    }

    private static func fields(_ all: [(String, String?)]) -> String {
        formEncoded(all.compactMap { name, value in value.map { (name: name, value: $0) } })
    }
}

/// The headers by which a bank recognises a customer and a request.
package struct RequestConventions: Sendable, Hashable {
    /// The header whose value is the customer's credential; nil for `Authorization: Bearer …` (RFC 6750 §2.1).
    package var credentialHeader: String?
    /// The header with an id of each request; nil if the bank requires none.
    package var requestIDHeader: String?

    package init(credentialHeader: String? = nil, requestIDHeader: String? = nil) {
        self.credentialHeader = credentialHeader
        self.requestIDHeader = requestIDHeader
    }

    /// Adds the headers to a request.
    ///
    /// - Parameters:
    ///   - token: the customer's; nil for a request without one.
    ///   - random: makes the request's id, another one at each attempt.
    func add(_ token: Token?, to headers: inout HTTPHeaders, _ random: RandomSource) {
        if let requestIDHeader { headers[requestIDHeader] = random.uuid() }
        guard let token else { return }
        if let credentialHeader { headers[credentialHeader] = token.access } else { headers["Authorization"] = "Bearer \(token.access)" }
    }
}
