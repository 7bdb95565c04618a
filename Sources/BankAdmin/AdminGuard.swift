import BankEngine
import BankModel
import NIOHTTP1
import StubServer

/// Rejects web pages and strangers: the `Host`, the `Sec-Fetch-Site`, the `Origin` of a change, and the token, if one is set, must match the server's.
///
/// A page in a browser on the same machine can send requests to loopback; under another name that resolves there
/// (DNS rebinding) it could even read the responses. Both are rejected here, and so is a page from another port of this machine:
/// an origin is scheme, host and port (RFC 6454 §4).
struct AdminGuard: Sendable {
    /// The allowed hosts, without ports.
    let hosts: Set<String>
    let token: String?
    /// Knows the sessions' own tokens.
    let registry: SessionRegistry

    /// The allowed hosts that a proxy passes on, whose pages may come by https.
    let names: [HostPattern]
    /// The origin of the dashboard behind a proxy; nil without a public address.
    let publicOrigin: String?

    init(_ configuration: AdminConfiguration, _ registry: SessionRegistry) {
        hosts = ["127.0.0.1", "localhost", "[::1]", configuration.host.urlHost.lowercased()]
        token = configuration.token
        names = configuration.hostNames
        publicOrigin = configuration.publicURL.map { url in
            url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
        }
        self.registry = registry
    }

    /// - Throws: ``AdminProblem``: 403 for a stranger, 401 without the token.
    func check(_ request: AdminRequest) throws {
        guard let host = request.host, isOurs(host) else {
            let expected = hosts.sorted() + names.map(\.description) + [publicOrigin.map(hostName)].compactMap(\.self)
            throw AdminProblem.forbidden(
                "found the Host \(request.host ?? "nothing"), expected \(oneOf(expected)); serve --admin-host-name allows more")
        }
        if request.isRead { try rejectForeignReads(request) } else { try rejectStrangers(request, host) }
        // The dashboard's page contains no data; it prompts for the token, and sends it with every call.
        if let token, !request.isForDashboard, !isSame(sent(request), token), !SessionToken.allows(sent(request), request.path, registry) {
            let own = request.path.hasPrefix("/__admin/sessions/") ? ", or the session's own" : ""
            let expected = "expected Authorization: Bearer and the token given as --admin-token" + own
            let found = SessionToken.session(of: sent(request), registry).map { session in
                "found the token of the session \(session.id), which allows the calls of that session alone (--session \(session.id)); "
            }
            let other = sent(request).isEmpty ? "found no token, " : "found another token, "
            throw AdminProblem(status: .unauthorized, detail: (found ?? other) + expected)
        }
    }

    /// Whether the authority is an allowed host, with or without a port.
    private func isOurs(_ authority: String) -> Bool {
        let authority = authority.lowercased()
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count)
        let isPort = port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy { $0.isASCII && $0.isNumber } && port.count <= 6
        return isPort && (hosts.contains(String(host)) || isNamed(String(host)))
    }

    /// Whether the host, without its port, is one that a proxy passes on.
    private func isNamed(_ host: String) -> Bool {
        names.contains { $0.fits(host) } || publicOrigin.map(hostName) == host
    }

    /// The request's bearer token; the scheme is case-insensitive (RFC 9110 §11.1).
    private func sent(_ request: AdminRequest) -> String {
        let words = (request.headers.first(name: "Authorization") ?? "").split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : ""
    }

    /// Rejects a change from any page but the dashboard at this address, and from a webhook.
    ///
    /// - Parameter host: the request's host with its port, which differs from the server's if it is forwarded.
    private func rejectStrangers(_ request: AdminRequest, _ host: String) throws {
        // A client of a bank may choose where its webhooks go. None of its headers can replace this one.
        guard request.headers.first(name: "User-Agent") != WebhookHosts.userAgent else {
            throw AdminProblem.forbidden("found a webhook of a bank: clients of a bank may not control the server")
        }
        let host = host.lowercased()
        // A proxy that ends TLS passes the same host on.
        let own = ["http://\(host)"] + (isNamed(hostName(host)) ? ["https://\(host)"] : []) + [publicOrigin].compactMap(\.self)
        if let origin = request.headers.first(name: "Origin"), !own.contains(origin.lowercased()) {
            throw AdminProblem.forbidden(
                "found the Origin \(origin), expected none or \(oneOf(own)): other web pages may not control the server")
        }
        // Old browsers send neither Origin nor Sec-Fetch-Site with a form.
        let names = ["Origin", "Sec-Fetch-Site"]
        if token == nil, !names.contains(where: request.headers.contains), let page = request.headers.first(name: "Referer"),
            !own.contains(AdminGuard.origin(of: page))
        {
            throw AdminProblem.forbidden(
                "found the Referer \(page), expected none or one of \(oneOf(own)): other web pages may not control the server")
        }
        if let site = foreignSite(request) {
            throw AdminProblem.forbidden(
                "found Sec-Fetch-Site: \(site), expected same-origin: other web pages may not control the server")
        }
    }

    /// Rejects a read by another page. The page gets nothing of the response, but could take all slots of ``LongResponses``, and learn
    /// from the time that a call needs. A link to the server is not rejected: it opens in a page of its own.
    private func rejectForeignReads(_ request: AdminRequest) throws {
        func sent(_ name: String, _ value: String) -> Bool { request.headers.first(name: name)?.lowercased() == value }
        guard let site = foreignSite(request), !(sent("Sec-Fetch-Mode", "navigate") && sent("Sec-Fetch-Dest", "document")) else { return }
        throw AdminProblem.forbidden("found Sec-Fetch-Site: \(site), expected same-origin: other web pages may not read the server's state")
    }

    /// What a browser says of the page that sends the request, if it is not the dashboard. Browsers set it on every request, and no page can
    /// change it (Fetch Metadata Request Headers §2.3).
    private func foreignSite(_ request: AdminRequest) -> String? {
        guard let site = request.headers.first(name: "Sec-Fetch-Site")?.lowercased(), site != "same-origin", site != "none" else {
            return nil
        }
        return site
    }

    /// The origin of a page's address, in lower case: its scheme, host and port.
    private static func origin(of page: String) -> String {
        page.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/").lowercased()
    }

    /// Compares in constant time.
    private func isSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
