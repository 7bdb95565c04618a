import BankModel

/// What libcurl's callbacks have gathered of one transfer so far. Lives on the loop's thread only, so nothing is locked.
struct CurlReceipt {
    /// True from the moment a connection stood ready to carry the request (also when libcurl sends it once more).
    var mayHaveLeft = false
    /// True once a status line has named HTTP/2 on a connection for which TLS had agreed on it.
    var hasAgreedOnHTTP2 = false
    private(set) var tooLarge: String?
    private var head = ReplyHead()
    private var body: [UInt8] = []
    private let limits: TransportLimits

    init(limits: TransportLimits) { self.limits = limits }

    /// Takes one line of a head; false if there is too much of it.
    mutating func take(headLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        head.take(line: bytes)
        if head.bytes > limits.headBytes { tooLarge = "a head of more than \(limits.headBytes) bytes" }
        return tooLarge == nil
    }

    /// Takes a piece of the body; false if there is too much of it.
    mutating func take(body bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard body.count + bytes.count <= limits.bodyBytes else {
            tooLarge = "a body of more than \(limits.bodyBytes) bytes"
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// True once some of the body has come.
    var hasBody: Bool { !body.isEmpty }

    /// The failure of a transfer that was called off.
    var calledOff: TransportFailure { TransportFailure(.cancelled, "called off", mayHaveLeft: mayHaveLeft) }

    /// The answer, once libcurl says that it came whole; what libcurl lets pass is looked at again here.
    func answer(overTLS: Bool, method: String, redirect: String?) -> CurlTransfer.Outcome {
        if let fault = head.fault(bodyBytes: body.count, speaksHTTP2: overTLS && hasAgreedOnHTTP2, method: method) {
            return .failure(TransportFailure(.decode, fault, mayHaveLeft: true, torn: true))
        }
        let response = HTTPResponse(status: head.status, headers: head.headers, body: body)
        return .success(CurlTransfer.Received(response: response, redirect: redirect))
    }
}
