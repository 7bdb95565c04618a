import BankEngine
import NIOHTTP1

/// A connection's cache of how its last request was routed, for the next one like it.
///
/// It is an optimization only: the method decides whether a request is a preflight, or a TRACE that is refused, so only a request with
/// the same method is like it.
struct LastRequest {
    /// The routing of a request.
    final class Found {
        let method: HTTPMethod
        let uri: String
        let headers: HTTPHeaders
        let session: BankSession
        /// The target without the prefix of the session or bank.
        let target: String
        let authorization: String?

        init(
            method: HTTPMethod, uri: String, headers: HTTPHeaders, session: BankSession, target: String, authorization: String?
        ) {
            self.method = method
            self.uri = uri
            self.headers = headers
            self.session = session
            self.target = target
            self.authorization = authorization
        }
    }

    private var found: Found?
    /// The number of the last head that had its lines: see ``RequestDecoder/headNumber``; nil if it is unknown.
    private var headNumber: Int?
    /// The session's memo of it.
    var memo: RequestMemo?

    /// Returns the routing if the last request had the same lines: cheaper than equality of headers, which sorts.
    ///
    /// - Parameter number: that of the head's bytes; nil if it is unknown.
    mutating func found(for head: HTTPRequestHead, number: Int?) -> Found? {
        if let number, number == headNumber { return found }
        guard let found, found.method == head.method, found.uri == head.uri, found.headers.count == head.headers.count,
            zip(found.headers, head.headers).allSatisfy({ $0.name == $1.name && $0.value == $1.value })
        else { return nil }
        headNumber = number
        return found
    }

    /// Returns the routing if the last request differs only in headers that do not affect it, such as an idempotency key.
    ///
    /// - Parameters:
    ///   - number: that of the head's bytes; nil if it is unknown.
    ///   - authorizations: the values of its `Authorization` headers.
    mutating func found(for head: HTTPRequestHead, number: Int?, authorizations: [String]) -> Found? {
        memo = nil
        // Any header of OPTIONS may make it a preflight; several authorizations are refused.
        guard head.method != .OPTIONS, authorizations.count <= 1 else { return nil }
        let authorization = authorizations.first
        guard let found, found.method == head.method, found.uri == head.uri, found.authorization == authorization,
            !found.headers.contains(name: "X-Counterfoil-Session"), !head.headers.contains(name: "X-Counterfoil-Session")
        else { return nil }
        return remember(
            Found(
                method: found.method, uri: found.uri, headers: head.headers, session: found.session, target: found.target,
                authorization: authorization), number: number)
    }

    /// Caches the routing of the request with that number.
    @discardableResult
    mutating func remember(_ found: Found, number: Int?) -> Found {
        self.found = found
        headNumber = number
        return found
    }

    /// Clears the cached routing.
    mutating func forget() { (found, headNumber) = (nil, nil) }
}
