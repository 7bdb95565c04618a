import BankEngine
import NIOHTTP1

/// What a connection found out about its last request, so that the next one like it is not taken apart again.
///
/// It is here for speed alone: without it every request is taken apart, and answered the same.
struct LastRequest {
    /// What was found out about a request.
    final class Found {
        let uri: String
        let headers: HTTPHeaders
        let session: BankSession
        /// The target without what chose the session.
        let target: String
        let authorization: String?

        init(uri: String, headers: HTTPHeaders, session: BankSession, target: String, authorization: String?) {
            self.uri = uri
            self.headers = headers
            self.session = session
            self.target = target
            self.authorization = authorization
        }
    }

    private var found: Found?
    /// What its session remembers of it.
    var memo: RequestMemo?

    /// What was found out about a request that is the same line by line: that is cheaper than equality of headers, which sorts.
    func found(for head: HTTPRequestHead) -> Found? {
        guard let found, found.uri == head.uri, found.headers.count == head.headers.count,
            zip(found.headers, head.headers).allSatisfy({ $0.name == $1.name && $0.value == $1.value })
        else { return nil }
        return found
    }

    /// What was found out about a request that differs only in headers that choose nothing, such as a key.
    mutating func found(for head: HTTPRequestHead, authorization: String?) -> Found? {
        memo = nil
        guard let found, found.uri == head.uri, found.authorization == authorization,
            !found.headers.contains(name: "X-Counterfoil-Session"), !head.headers.contains(name: "X-Counterfoil-Session")
        else { return nil }
        return remember(
            Found(uri: found.uri, headers: head.headers, session: found.session, target: found.target, authorization: authorization))
    }

    /// Remembers what was found out about a request.
    @discardableResult
    mutating func remember(_ found: Found) -> Found {
        self.found = found
        return found
    }

    /// Remembers nothing.
    mutating func forget() { found = nil }
}
