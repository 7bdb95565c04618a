import BankCore
package import BankModel
import Faults

/// A request as read from the wire, passed by reference from its connection to its session.
package final class WireRequest: Sendable {
    /// The request as the core sees it.
    let request: BankRequest
    /// Without the session's prefix, query included.
    let target: String
    /// Whether it came by a redirect to another address of its operation: the core does not see the mark of that.
    let hasFollowed: Bool
    /// SHA-256 of the body; nil if the journal stores it whole.
    let bodyDigest: String?
    let connection: any SessionConnection
    /// When the head was read, by the monotonic clock.
    let mono: Int64
    let line: WireLine
    /// As sent, with the session's prefix: the target of redirects.
    let sentTarget: String
    /// The authority of the request: `Host`, or HTTP/2's `:authority`.
    let authority: String?

    package init(
        method: String, target: String, headers: [JournalEntry.Header], body: [UInt8], on connection: any SessionConnection,
        mono: Int64, line: WireLine, sentTarget: String, authority: String?
    ) {
        // The work that needs no state is done before the session's lock is acquired.
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        let asked = mark.map { RedirectTarget.unmarked(String(target[target.utf8.index(after: $0)...])) }
        let hasProof = headers.contains { $0.name.isHeaderName("DPoP") }
        request = BankRequest(
            method, mark.map { String(target[..<$0]) } ?? target, query: asked?.query, headers: headers, body: body, readsAhead: true,
            certificate: line.certificate, address: hasProof ? line.address(authority, sentTarget, headers) : nil)
        hasFollowed = asked?.isMarked ?? false
        self.target = target
        bodyDigest = body.count > JournalEntry.storedBodyBytes ? ExchangeRecord.digest(body) : nil
        self.connection = connection
        self.mono = mono
        self.line = line
        self.sentTarget = sentTarget
        self.authority = authority
    }

    /// Whether its client speaks TLS: to this port, or to a proxy that says so (`X-Forwarded-Proto`). Nothing but redirects follows it.
    var isSecure: Bool { line.isSecure(request.headers) }
}

/// The protocol of a connection.
package struct WireLine: Sendable, Hashable {
    package var wireProtocol = WireProtocol.h1
    /// The TLS version, such as `TLSv1.3`; nil in clear text.
    package var tls: String?
    /// The thumbprint of the client's certificate (RFC 8705 §3.1); nil if it has shown none.
    package var certificate: String?

    package init(wireProtocol: WireProtocol = .h1, tls: String? = nil, certificate: String? = nil) {
        self.wireProtocol = wireProtocol
        self.tls = tls
        self.certificate = certificate
    }

    /// Whether the client speaks TLS: to this port, or to a proxy that says so.
    fileprivate func isSecure(_ headers: [JournalEntry.Header]) -> Bool {
        tls != nil || headers.value(of: "X-Forwarded-Proto")?.lowercased() == "https"
    }

    /// The address that the client has asked; with the query.
    fileprivate func address(_ authority: String?, _ target: String, _ headers: [JournalEntry.Header]) -> String? {
        authority.map { "\(isSecure(headers) ? "https" : "http")://\($0)\(target)" }
    }
}
