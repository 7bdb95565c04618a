public import BankModel

/// Sends one request and returns the complete answer, or the reason why there is none.
public protocol HTTPTransport: Sendable {
    /// Sends the request once (redirects of safe requests followed).
    ///
    /// - Throws: ``TransportFailure``. A status such as 500 is an answer, not a failure.
    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse
}

/// The reason why no complete answer was received.
public struct TransportFailure: Error, Sendable, Hashable {
    /// `offline`, `timeout`, `tls`, `tooLarge`, `decode` or `cancelled`.
    public var error: ClientError
    /// The failure, in words for a person.
    public var detail: String
    /// True if a byte of the request may have reached the server: a write may have been executed.
    public var mayHaveLeft: Bool
    /// True if the answer was truncated: the connection was lost, the head or body cut.
    public var torn: Bool

    public init(_ error: ClientError, _ detail: String, mayHaveLeft: Bool, torn: Bool = false) {
        self.error = error
        self.detail = detail
        self.mayHaveLeft = mayHaveLeft
        self.torn = torn
    }
}

/// The limits of time and bytes for one attempt.
public struct TransportLimits: Sendable, Hashable {
    /// The time to connect, TLS included.
    public var connect: Duration
    /// The time from the start to the answer's last byte, redirects included.
    public var total: Duration
    /// The bytes of an answer's body.
    public var bodyBytes: Int
    /// The bytes of an answer's head, all lines of interim answers and trailers included; at most 96 KiB, as libcurl has
    /// limits of its own beyond (100 KiB for a line), whose codes do not name the cause.
    public var headBytes: Int
    /// The number of redirects followed, only to the same scheme, host and port; with 0 a redirect is an answer like any
    /// other.
    public var redirects: Int

    public init(
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
