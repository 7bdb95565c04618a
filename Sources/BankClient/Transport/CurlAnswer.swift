import BankModel

/// The bytes of an answer that libcurl reports as complete.
struct CurlAnswer: Sendable {
    /// All lines of all heads of the exchange, interim ones and trailers too.
    var head: [UInt8]
    var body: [UInt8]
    /// True if HTTP/2 was negotiated over TLS.
    var speaksHTTP2: Bool
    /// The absolute address of a `Location`, resolved by libcurl.
    var redirect: String?

    /// Parses the answer, and validates what libcurl accepts leniently.
    ///
    /// - Parameter method: the request's.
    /// - Throws: ``TransportFailure`` with `decode` if the answer is incomplete.
    func response(to method: String) throws(TransportFailure) -> HTTPResponse {
        let read = ReplyHead(head)
        if let fault = read.fault(bodyBytes: body.count, speaksHTTP2: speaksHTTP2, method: method) {
            throw TransportFailure(.decode, fault, mayHaveLeft: true, torn: true)
        }
        return HTTPResponse(status: read.status, headers: read.headers, body: body)
    }
}
