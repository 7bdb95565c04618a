public import BankModel

/// Sends one request and brings the whole answer, or says why there is none.
public protocol HTTPTransport: Sendable {
    /// Sends the request once (redirects of safe requests followed).
    ///
    /// - Throws: ``TransportFailure``. A status such as 500 is an answer, not a failure.
    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse
}

/// Why no whole answer came.
public struct TransportFailure: Error, Sendable, Hashable {
    /// `offline`, `timeout`, `tls`, `tooLarge`, `decode` or `cancelled`.
    public var error: ClientError
    /// What happened, for a person.
    public var detail: String
    /// True if a byte of the request may have reached the server: a write may then have been done.
    public var mayHaveLeft: Bool
    /// True if the answer broke off: the connection was lost, the head or body cut.
    public var torn: Bool

    public init(_ error: ClientError, _ detail: String, mayHaveLeft: Bool, torn: Bool = false) {
        self.error = error
        self.detail = detail
        self.mayHaveLeft = mayHaveLeft
        self.torn = torn
    }
}

/// How much time and how many bytes one attempt may take.
public struct TransportLimits: Sendable, Hashable {
    /// Until the connection stands, TLS included.
    public var connect: Duration
    /// From the start to the answer's last byte, redirects included.
    public var total: Duration
    /// Bytes of an answer's body.
    public var bodyBytes: Int
    /// Bytes of an answer's head, all lines of interim answers and trailers included; at most 96 KiB, as libcurl has limits
    /// of its own beyond (100 KiB for a line), whose codes do not say that there was too much.
    public var headBytes: Int
    /// How many are followed, and only to the same scheme, host and port; with 0 a redirect is an answer like any other.
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
