import BankCore
import BankModel
import Faults

extension Substitute {
    /// The reply of a fault, in place of the bank's.
    func reply(to wire: WireRequest, _ match: Match?, _ state: inout SessionState, at now: Instant) -> Reply {
        let request = wire.request
        switch self {
        case .dialect(let name, let retryAfter):
            return state.dialectReply(name, to: request, at: now).asking(for: retryAfter, at: now)
        case .custom(let custom):
            return Reply(status: custom.status, headers: custom.headers, body: custom.body).asking(for: custom.retryAfter, at: now)
        case .businessFailure:
            let own = match.flatMap { state.businessFailure(request, $0, at: now) }
            return own ?? state.dialectReply(.notFound, to: request, at: now)
        case .redirect(let target, let status, let retryAfter):
            return Reply(status: status, headers: [.init("Location", target.location(wire))]).asking(for: retryAfter, at: now)
        }
    }
}

extension Substitute {
    /// Whether a rule says the reply byte by byte: it is sent as given, in no coding.
    var isGiven: Bool { if case .custom = self { true } else { false } }
}

extension RedirectTarget {
    /// The address for the header `Location` (RFC 9110 §10.2.2).
    fileprivate func location(_ wire: WireRequest) -> String {
        let authority = wire.authority ?? "localhost"
        let target = wire.sentTarget
        let scheme = wire.line.tls == nil ? "http" : "https"
        switch self {
        case .url(let url): return url
        case .loop: return "\(scheme)://\(authority)\(target)"
        case .sameHost: return "\(scheme)://\(authority)\(target)\(target.contains("?") ? "&" : "?")\(RedirectTarget.mark)"
        case .downgrade: return "http://\(authority)\(target)"
        case .otherHost:
            let port = authority.lastIndex(of: ":").map { String(authority[$0...]) } ?? ""
            let other = authority.hasPrefix("localhost") ? "127.0.0.1" : "localhost"
            return "\(scheme)://\(other)\(port)\(target)"
        }
    }
}

extension Reply {
    /// The same reply with that `Retry-After`; nil changes nothing.
    fileprivate func asking(for retryAfter: RetryAfter?, at now: Instant) -> Reply {
        guard let retryAfter else { return self }
        var reply = self
        reply.setHeader("Retry-After", retryAfter.value(at: now))
        return reply
    }

    /// Whether the reply to this method has a body by its status (RFC 9112 §6.3).
    fileprivate func mayHaveBody(to method: String) -> Bool {
        method != "HEAD" && status >= 200 && status != 204 && status != 304
    }
}

extension Sending {
    /// Sends a reply of the core unchanged.
    init(_ reply: Reply, _ method: String) {
        self.init(status: reply.status, headers: reply.headers, body: reply.body, mayHaveBody: reply.mayHaveBody(to: method))
    }

    /// Sets the reply to be sent; replaces a pending `execute` step with those that send it.
    mutating func take(_ reply: Reply, _ method: String) {
        status = reply.status
        headers = reply.headers
        body = reply.body
        mayHaveBody = reply.mayHaveBody(to: method)
        coding = nil
        plainBody = nil
        if let index = steps.firstIndex(of: .execute) { steps.replaceSubrange(index..., with: [.head, .body]) }
    }

    /// Takes a fault's own `Date` out of the headers: the wire writes one date.
    mutating func takeDate() -> String? {
        guard let index = headers.firstIndex(where: { $0.name.isHeaderName("Date") }) else { return nil }
        return headers.remove(at: index).value
    }

    /// Keeps the length that a real bank stated in its reply to HEAD (RFC 9110 §8.6): there is no body to count.
    mutating func keepLength() {
        let stated = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
        headers.removeAll { $0.name.lowercased() == "content-length" }
        framing = stated.map { .length($0) } ?? .chunked
    }
}
