import BankModel

/// What libcurl's callbacks have gathered of one transfer so far. Lives on the loop's thread once the transfer has begun, so
/// nothing is locked.
///
/// Bytes are only counted and kept here. Who waits for the answer has made room for them, reads them (``CurlAnswer``) and
/// gives the memory back: malloc is slow where one thread frees what another has taken (with glibc's, 1.5 waits for a lock in
/// each request were measured).
struct CurlReceipt {
    /// What a bank's head and a short body take as a rule.
    private static let (usualHeadBytes, usualBodyBytes) = (512, 960)

    /// True from the moment a connection stood ready to carry the request (also when libcurl sends it once more).
    var mayHaveLeft = false
    /// True if TLS has agreed on HTTP/2 for the connection that carries it.
    var hasAgreedOnHTTP2 = false
    private var head: [UInt8] = []
    private var body: [UInt8] = []
    private var overflow: Overflow?
    let limits: TransportLimits

    private enum Overflow {
        case head, body
    }

    /// Has room for an answer, so that the loop's thread need not make it.
    init(limits: TransportLimits) {
        self.limits = limits
        head.reserveCapacity(CurlReceipt.usualHeadBytes)
        body.reserveCapacity(max(0, min(limits.bodyBytes, CurlReceipt.usualBodyBytes)))
    }

    /// Has no room: what a handle holds between two transfers.
    init() { limits = TransportLimits() }

    /// Takes one line of a head, interim answers and trailers included; false if there is too much of it.
    mutating func take(headLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard head.count + bytes.count <= limits.headBytes else {
            overflow = .head
            return false
        }
        head.append(contentsOf: bytes)
        return true
    }

    /// Takes a piece of the body; false if there is too much of it.
    mutating func take(body bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard body.count + bytes.count <= limits.bodyBytes else {
            overflow = .body
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// True once some of the body has come.
    var hasBody: Bool { !body.isEmpty }

    /// What there was too much of; nil if all stayed within the limits.
    var tooLarge: String? {
        switch overflow {
        case .head: "a head of more than \(limits.headBytes) bytes"
        case .body: "a body of more than \(limits.bodyBytes) bytes"
        case nil: nil
        }
    }

    /// The failure of a transfer that was called off.
    var calledOff: TransportFailure { TransportFailure(.cancelled, "called off", mayHaveLeft: mayHaveLeft) }

    /// Hands over the answer's bytes, once libcurl says that it came whole.
    mutating func handOver(speaksHTTP2: Bool, redirect: String?) -> CurlAnswer {
        var answer = CurlAnswer(head: [], body: [], speaksHTTP2: speaksHTTP2, redirect: redirect)
        swap(&answer.head, &head)
        swap(&answer.body, &body)
        return answer
    }
}
