/// The record of one response on the wire.
package struct Receipt: Sendable, Hashable {
    /// Bytes of the status line and headers written to the socket.
    package var headBytes: Int
    /// Bytes of the body written to the socket, framing not counted.
    package var bodyBytes: Int
    /// Bytes written to the socket that are neither: lines of chunks, and bytes that are not HTTP.
    package var rawBytes: Int
    /// Bytes the send queue still held when the connection ended: the client's machine has not acknowledged them.
    package var unsent: Int
    /// Whether the client reset the connection after the response, which it may not have read.
    package var isReset = false
    /// The end of the exchange.
    package var end: End

    package init(headBytes: Int = 0, bodyBytes: Int = 0, rawBytes: Int = 0, unsent: Int = 0, end: End) {
        self.headBytes = headBytes
        self.bodyBytes = bodyBytes
        self.rawBytes = rawBytes
        self.unsent = unsent
        self.end = end
    }

    /// The end of an exchange on its connection.
    package enum End: String, Sendable, CaseIterable {
        /// The connection stayed open.
        case kept
        /// The server shut down writing, drained and closed.
        case fin
        /// The server reset the connection.
        case rst
        case streamReset = "stream-reset"
        case goaway
        case tlsAlert = "tls-alert"
        /// Still held: nothing sent, nothing closed.
        case held
        /// The client closed first.
        case clientGone = "client-gone"
        /// The request's body did not arrive in full: nothing was executed.
        case incomplete

        /// What reports call it.
        package var title: String {
            switch self {
            case .kept: "keep-alive"
            case .fin: "closed"
            case .rst: "reset"
            default: rawValue
            }
        }
    }
}

/// The protocol of an exchange's connection.
package enum WireProtocol: String, Sendable, CaseIterable {
    /// HTTP/1.1 in clear text.
    case h1
    /// HTTP/1.1 over TLS.
    case h1s
    /// HTTP/2.
    case h2
}

package struct FaultRecord: Sendable, Hashable {
    /// The rule's id.
    package var rule: String
    /// The fault's kind, such as `lose-reply`.
    package var kind: String
    /// The point at which it was applied, such as `commit`.
    package var point: String
    /// False if the exchange's protocol cannot carry it, or the exchange never reached its point.
    package var applied: Bool
    /// The reason why it was not applied.
    package var reason: String?

    package init(rule: String, kind: String, point: String, applied: Bool, reason: String? = nil) {
        self.rule = rule
        self.kind = kind
        self.point = point
        self.applied = applied
        self.reason = reason
    }
}
