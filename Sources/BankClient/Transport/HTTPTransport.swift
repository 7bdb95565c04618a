package import BankModel

/// Sends one request and returns the complete answer, or the reason why there is none.
package protocol HTTPTransport: Sendable {
    /// Sends the request once (redirects of safe requests followed).
    ///
    /// - Throws: ``TransportFailure``. A status such as 500 is a response, not a failure.
    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse
}

/// A transport that can hand over a stream of events while it arrives.
package protocol StreamingTransport: HTTPTransport {
    /// Sends the request once. The body of a stream of events (200, `text/event-stream`) is handed over in pieces, and is empty in the
    /// response that is returned at its end; any other response is returned as ever.
    ///
    /// - Parameters:
    ///   - longest: the time from the start to the response's last byte.
    ///   - receive: is called on the transport's own thread, so it must not wait; false ends the connection.
    func send(
        _ request: HTTPRequest, within longest: Duration, receive: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse
}

/// The reason why no complete answer was received.
package struct TransportFailure: Error, Sendable, Hashable {
    /// `offline`, `timeout`, `tls`, `tooLarge`, `decode` or `cancelled`.
    package var error: ClientError
    /// The failure, in words for a user.
    package var detail: String
    /// True if a byte of the request may have reached the server: a write may have been executed.
    package var mayHaveLeft: Bool
    /// True if the response was truncated: the connection was lost, the head or body cut.
    package var torn: Bool

    package init(_ error: ClientError, _ detail: String, mayHaveLeft: Bool, torn: Bool = false) {
        self.error = error
        self.detail = detail
        self.mayHaveLeft = mayHaveLeft
        self.torn = torn
    }
}

/// The limits of time and bytes for one attempt.
package struct TransportLimits: Sendable, Hashable {
    /// The time to connect, TLS included.
    package var connect: Duration
    /// The time from the start to the response's last byte, redirects included.
    package var total: Duration
    /// The bytes of a response's body.
    package var bodyBytes: Int
    /// The bytes of a response's head, all lines of interim responses and trailers included; at most 96 KiB, as libcurl has
    /// further limits (100 KiB for a line), whose codes do not name the cause.
    package var headBytes: Int
    /// The number of redirects followed, only to the same scheme, host and port; with 0 a redirect is a response like any
    /// other.
    package var redirects: Int

    package init(
        connect: Duration = .seconds(2), total: Duration = .seconds(5), bodyBytes: Int = 16 << 20, headBytes: Int = 64 << 10,
        redirects: Int = 5
    ) {
        self.connect = connect
        self.total = total
        self.redirects = redirects
        self.bodyBytes = bodyBytes
        self.headBytes = min(headBytes, 96 << 10)
    }
}
