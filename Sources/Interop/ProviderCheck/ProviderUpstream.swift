package import BankCore
package import BankEngine
package import BankModel
import Faults
package import StubServer

/// A real API as what a session of the stub server sends its requests on to.
package struct ProviderUpstream: Upstream {
    private let client: ProviderClient
    private let base: String
    private let role: @Sendable (BankRequest) -> Role?
    private let allowsWrites: Bool
    private let hosts: ProxyHosts
    private let failed: @Sendable (ProviderFailure) -> Void
    /// The name of this proxy in `Via`, which no other proxy has.
    private let name = "counterfoil-" + String(UInt64.random(in: .min ... .max), radix: 36)

    /// - Parameters:
    ///   - base: precedes the path of each request; empty, or with a leading slash and without a trailing one.
    ///   - hosts: under which the proxy may be called.
    ///   - allowsWrites: whether requests other than reads and sign-ins are forwarded.
    ///   - role: the purpose of a request, for one that matches no operation of the session's bank; and whether it signs in, for each.
    ///   - failed: hears why the API did not respond.
    package init(
        _ client: ProviderClient, base: String = "", allowsWrites: Bool = true, hosts: ProxyHosts = ProxyHosts(),
        role: @escaping @Sendable (BankRequest) -> Role? = { _ in nil }, failed: @escaping @Sendable (ProviderFailure) -> Void = { _ in }
    ) {
        self.client = client
        self.base = base
        self.allowsWrites = allowsWrites
        self.hosts = hosts
        self.role = role
        self.failed = failed
    }

    package func roles(of request: BankRequest) -> [Role] { role(request).map { [$0] } ?? [] }

    package func response(to request: BankRequest) async -> UpstreamResponse {
        if let rejection = rejection(of: request) { return UpstreamResponse(rejection, responder: .proxy) }
        let ofThisHop = ProviderUpstream.ofOneHop(in: request.headers)
        let headers = request.headers.filter { !ofThisHop.contains($0.name.lowercased()) }.map { header in
            header.name.isHeaderName("accept-encoding") ? ProviderUpstream.readable(header) : header
        }
        // The version is that of the least client; which one this client speaks is not known here.
        let via = JournalEntry.Header("Via", "1.1 \(name)")
        let target = base + request.path + (request.query.map { "?\($0)" } ?? "")
        do throws(ProviderFailure) {
            return response(to: request, try await client.send(request.method, target, headers: headers + [via], body: request.body))
        } catch {
            failed(error)
            let status = if case .timedOut = error { 504 } else { 502 }
            return UpstreamResponse(
                BankResponse(problem: status, "The provider behind the proxy did not respond", "\(client.address.origin): \(error)"),
                responder: .proxyForBank)
        }
    }

    private func response(to request: BankRequest, _ response: ProviderClient.Response) -> UpstreamResponse {
        let ofThatHop = ProviderUpstream.ofOneHop(in: response.headers)
        let headers = response.headers.filter { header in
            let name = header.name.lowercased()
            return !ofThatHop.contains(name) || name == "date" || name == "content-length" && request.method == "HEAD"
        }.map { $0.name.isHeaderName("location") ? JournalEntry.Header($0.name, own($0.value)) : $0 }
        let framing = response.announced.map { .length($0) } ?? OutgoingResponse.Framing.chunked
        return UpstreamResponse(
            BankResponse(status: response.status, headers: headers, body: response.body), rest: response.rest,
            framing: response.rest == nil ? .length(nil) : framing)
    }

    // MARK: what is not forwarded

    /// What a command prints if it forwards reads and sign-ins only.
    package static let readsOnly = "only reads and sign-ins are forwarded; --allow-writes forwards all requests"

    private func rejection(of request: BankRequest) -> BankResponse? {
        // A browser always sends one.
        if let host = request.header("Host"), !hosts.allow(host) {
            return BankResponse(
                problem: 421, "The proxy does not have this name",
                "found the Host \(host.shortened(to: 80)), expected localhost or an address; --host-name allows more")
        }
        if hasPassed(request) {
            failed(.loop)
            return BankResponse(
                problem: 508, "The proxy forwards to itself",
                "\(client.address.origin): \(ProviderFailure.loop); start the proxy with a real bank's address")
        }
        guard client.address.covers(base + request.path) else {
            return BankResponse(
                problem: 404, "The proxy does not forward this path",
                "found \(request.path.shortened(to: 80)), expected a path below \(client.address.path), as in the provider's address; "
                    + "start the proxy with \(client.address.origin) to forward all paths")
        }
        if request.header("Upgrade")?.lowercased().contains("websocket") ?? false {
            return BankResponse(
                problem: 501, "The proxy does not forward WebSockets", "found Upgrade: websocket, expected an HTTP request")
        }
        guard !allowsWrites else { return nil }
        let override = request.headers.first { header in
            let method = header.value.uppercased()
            return ProviderUpstream.overrides.contains(header.name.lowercased()) && method != request.method
                && !ProviderUpstream.reads.contains(method)
        }
        if let override { return rejection(found: "\(override.name): \(override.value)") }
        guard !ProviderUpstream.reads.contains(request.method) else { return nil }
        switch role(request) {
        case .login, .refresh: return nil
        default: return rejection(found: request.method)
        }
    }

    /// Whether this proxy has forwarded the request before: its name is in `Via` (RFC 9110 §7.6.3).
    private func hasPassed(_ request: BankRequest) -> Bool {
        request.headerValues("Via").contains { value in
            value.split(separator: ",").contains { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first == name[...] }
        }
    }

    private static let reads: Set = ["GET", "HEAD", "OPTIONS"]

    /// The headers that name a method in the place of the request's: many frameworks follow them.
    private static let overrides: Set = ["x-http-method-override", "x-http-method", "x-method-override"]

    private func rejection(found: String) -> BankResponse {
        var response = BankResponse(
            problem: 405, "The proxy forwards reads only",
            "found \(found), expected GET, HEAD, OPTIONS or a sign-in; start the proxy with --allow-writes to forward it")
        response.setHeader("Allow", "GET, HEAD, OPTIONS")
        return response
    }

    // MARK: headers

    /// A redirect to the provider itself leads through the proxy again.
    private func own(_ location: String) -> String {
        guard let target = client.address.target(of: location), target == base || target.hasPrefix(base + "/"),
            client.address.covers(target)
        else { return location }
        return target == base ? "/" : String(target.dropFirst(base.count))
    }

    /// The codings of a request that the proxy can read: it must find tokens in bodies.
    private static func readable(_ header: JournalEntry.Header) -> JournalEntry.Header {
        let known = header.value.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }.filter { coding in
            ["gzip", "x-gzip", "deflate", "identity"].contains(coding.prefix { $0 != ";" }.lowercased())
        }
        return JournalEntry.Header(header.name, known.isEmpty ? "identity" : known.joined(separator: ", "))
    }

    /// The headers of a message, in small letters, that are not passed on: those known to be of one connection, and those that its
    /// `Connection` names (RFC 9110 §7.6.1).
    private static func ofOneHop(in headers: [JournalEntry.Header]) -> Set<String> {
        headers.reduce(into: ofOneHop) { names, header in
            guard header.name.lowercased() == "connection" else { return }
            for name in header.value.split(separator: ",") { names.insert(name.filter { $0 != " " && $0 != "\t" }.lowercased()) }
        }
    }

    /// Headers that are about one connection or for its proxy (RFC 9110 §7.6.1, §11.7), and those that each side's wire writes itself.
    /// None is passed on.
    private static let ofOneHop: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect", "host", "content-length",
        "date", "proxy-authorization", "proxy-authenticate", "proxy-authentication-info",
    ]
}

extension BankResponse {
    /// A problem of the proxy itself (RFC 9457).
    fileprivate init(problem status: Int, _ title: String, _ detail: String) {
        let problem: JSON = ["title": .string(title), "status": .int(status), "detail": .string(detail)]
        self.init(
            status: status, headers: [JournalEntry.Header("Content-Type", "application/problem+json")], body: Array(problem.text.utf8))
    }
}

extension Bank {
    /// A bank without operations, for the session of a proxy: the provider answers, and faults that need a dialect have a plain one.
    package static func ofProvider(_ address: ProviderAddress) -> Bank {
        let responses = DialectResponseName.allCases.map { name in
            let body: JSON = ["title": .string(name.rawValue.replacing("-", with: " ")), "status": .int(name.usualStatus)]
            let template = ResponseTemplate(
                status: name.usualStatus, headers: [], body: .literal(body), contentType: "application/problem+json", invented: true)
            return (name, template)
        }
        var dialect = Dialect(name: "provider")
        dialect.about = "The responses of a fault in front of a real bank."
        dialect.responses = Dictionary(uniqueKeysWithValues: responses)
        var bank = Bank(name: address.authority, dialect: dialect)
        bank.about = "The API at \(address.origin)."
        return bank
    }
}
