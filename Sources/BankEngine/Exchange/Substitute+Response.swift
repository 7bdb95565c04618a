import BankCore
import BankModel
import Faults

extension Substitute {
    /// The response of a fault, in place of the bank's.
    ///
    /// - Parameter isPublic: whether the client reaches the session through a proxy.
    func response(to wire: WireRequest, _ match: Match?, _ state: inout SessionState, isPublic: Bool, at now: Instant) -> BankResponse {
        let request = wire.request
        switch self {
        case .dialect(let name, let retryAfter):
            return state.dialectResponse(name, to: request, at: now).asking(for: retryAfter, at: now)
        case .custom(let custom):
            let own = custom.isForeign ? [] : state.dialectHeaders(to: request, at: now)
            var response = BankResponse(status: custom.status, headers: own, body: custom.body)
            response.setHeaders(custom.headers)
            return response.asking(for: custom.retryAfter, at: now)
        case .businessFailure:
            let own = match.flatMap { state.businessFailure(request, $0, at: now) }
            return own ?? state.dialectResponse(.notFound, to: request, at: now)
        case .redirect(let target, let status, let retryAfter):
            var response = BankResponse(status: status, headers: state.dialectHeaders(to: request, at: now))
            response.setHeader("Location", target.location(isPublic ? wire.address(below: state.baseURL) : wire.address))
            return response.asking(for: retryAfter, at: now)
        }
    }
}

extension Substitute {
    /// Whether a rule gives the response byte by byte: it is sent as given, in no coding.
    var isGiven: Bool { if case .custom = self { true } else { false } }
}

extension RedirectTarget {
    /// The address for the header `Location` (RFC 9110 §10.2.2).
    fileprivate func location(_ asked: WireRequest.Address) -> String {
        switch self {
        case .url(let url): return url
        case .loop: return asked.text
        case .sameHost: return "\(asked.text)\(asked.target.contains("?") ? "&" : "?")\(RedirectTarget.mark)"
        case .downgrade: return WireRequest.Address(scheme: "http", authority: asked.authority, target: asked.target).text
        case .otherHost:
            let port = asked.authority.lastIndex(of: ":").map { String(asked.authority[$0...]) } ?? ""
            let other = (asked.authority.hasPrefix("localhost") ? "127.0.0.1" : "localhost") + port
            return WireRequest.Address(scheme: asked.scheme, authority: other, target: asked.target).text
        }
    }
}

extension WireRequest {
    /// The address that a client has asked.
    fileprivate struct Address {
        let scheme: String
        let authority: String
        let target: String

        var text: String { "\(scheme)://\(authority)\(target)" }
    }

    /// The address of the request as it came.
    fileprivate var address: Address {
        Address(scheme: isSecure ? "https" : "http", authority: authority ?? "localhost", target: sentTarget)
    }

    /// The address of the request as its client knows it, of which a proxy has changed scheme, host or path.
    ///
    /// - Parameter base: the session's public address.
    fileprivate func address(below base: String) -> Address {
        let parts = base.split(separator: "://", maxSplits: 1)
        let authority = parts.last?.prefix { $0 != "/" } ?? ""
        return Address(
            scheme: String(parts.first ?? "http"), authority: String(authority),
            target: (parts.last?.dropFirst(authority.count) ?? "") + target)
    }
}

extension BankResponse {
    /// The same response with that `Retry-After`; nil changes nothing.
    fileprivate func asking(for retryAfter: RetryAfter?, at now: Instant) -> BankResponse {
        guard let retryAfter else { return self }
        var response = self
        response.setHeader("Retry-After", retryAfter.value(at: now))
        return response
    }

    /// Whether the response to this method has a body by its status (RFC 9112 §6.3).
    fileprivate func mayHaveBody(to method: String) -> Bool {
        method != "HEAD" && status >= 200 && status != 204 && status != 304
    }
}

extension OutgoingResponse {
    /// Sends a response of the core unchanged.
    init(_ response: BankResponse, _ method: String) {
        self.init(status: response.status, headers: response.headers, body: response.body, mayHaveBody: response.mayHaveBody(to: method))
    }

    /// Sets the response to be sent; replaces a pending `execute` step with those that send it, and a body that comes piece by piece.
    mutating func take(_ response: BankResponse, _ method: String) {
        status = response.status
        headers = response.headers
        body = response.body
        mayHaveBody = response.mayHaveBody(to: method)
        coding = nil
        plainBody = nil
        if let index = steps.firstIndex(of: .execute) { steps.replaceSubrange(index..., with: [.head, .body]) }
        guard let index = steps.firstIndex(of: .restOfBody) else { return }
        (steps[index], framing) = (.body, .length(nil))
    }

    /// Takes a fault's own `Date` out of the headers: the wire writes one date.
    mutating func takeDate() -> String? {
        guard let index = headers.firstIndex(where: { $0.name.isHeaderName("Date") }) else { return nil }
        return headers.remove(at: index).value
    }

    /// Keeps the length that a real bank stated in its response to HEAD (RFC 9110 §8.6): there is no body to count.
    mutating func keepLength() {
        let stated = headers.value(of: "content-length").flatMap { Int($0) }
        headers.removeAll { $0.name.isHeaderName("content-length") }
        framing = stated.map { .length($0) } ?? .chunked
    }
}
