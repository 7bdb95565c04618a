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
