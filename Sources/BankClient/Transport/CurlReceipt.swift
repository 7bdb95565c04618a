import BankModel

/// The bytes that libcurl's callbacks have collected of one transfer. Confined to the loop's thread once the transfer has
/// begun, so nothing is locked. Bytes are only counted and stored here; the waiting task parses them (``CurlAnswer``).
struct CurlReceipt {
    /// True from the moment a connection was ready to carry the request (also when libcurl sends it once more).
    var mayHaveLeft = false
    /// True if TLS has negotiated HTTP/2 for the connection that carries it.
    var hasAgreedOnHTTP2 = false
    private var head: [UInt8] = []
    private var body: [UInt8] = []
    /// The limit that was exceeded; nil if none was.
    private(set) var tooLarge: String?
    /// Gets the pieces of a stream of events in place of ``body``; nil keeps every body.
    private var receive: (@Sendable ([UInt8]) -> Bool)?
    /// Whether the body is such a stream; nil before its first byte.
    private var isStream: Bool?
    let limits: TransportLimits

    init(limits: TransportLimits = TransportLimits(), receive: (@Sendable ([UInt8]) -> Bool)? = nil) {
        self.limits = limits
        self.receive = receive
    }

    /// Appends one line of a head, interim answers and trailers included; false if the limit is exceeded.
    mutating func append(headLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard head.count + bytes.count <= limits.headBytes else {
            tooLarge = "a head of more than \(limits.headBytes) bytes"
            return false
        }
        head.append(contentsOf: bytes)
        return true
    }

    /// Appends a piece of the body; false if the limit is exceeded.
    mutating func append(body bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if let receive {
            let isStream = isStream ?? ResponseHead(head).isEventStream
            self.isStream = isStream
            if isStream { return receive(Array(bytes)) }
        }
        guard body.count + bytes.count <= limits.bodyBytes else {
            tooLarge = "a body of more than \(limits.bodyBytes) bytes"
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// True once a part of the body has arrived.
    var hasBody: Bool { !body.isEmpty }

    /// The failure of a transfer that was cancelled.
    var calledOff: TransportFailure { TransportFailure(.cancelled, "cancelled", mayHaveLeft: mayHaveLeft) }

    /// The response, once libcurl has reported it complete.
    ///
    /// - Parameter packedBytes: the size of the body before it was unpacked.
    func handOver(speaksHTTP2: Bool, redirect: String?, packedBytes: Int) -> CurlAnswer {
        CurlAnswer(head: head, body: body, packedBytes: packedBytes, speaksHTTP2: speaksHTTP2, redirect: redirect)
    }
}
