import BankModel

/// The bytes of a response that libcurl reports as complete.
struct CurlAnswer: Sendable {
    /// All lines of all heads of the exchange, interim ones and trailers too.
    var head: [UInt8]
    /// Unpacked, if it came in a coding that was asked for.
    var body: [UInt8]
    /// The size of the body as it came.
    var packedBytes: Int
    /// True if HTTP/2 was negotiated over TLS.
    var speaksHTTP2: Bool
    /// The absolute address of a `Location`, resolved by libcurl.
    var redirect: String?

    /// Parses the response, and validates what libcurl accepts leniently.
    ///
    /// - Throws: ``TransportFailure`` with `decode` if the response is incomplete.
    func response(to request: HTTPRequest) throws(TransportFailure) -> HTTPResponse {
        let read = ResponseHead(head)
        // Nothing but a coding changes the size.
        let bodyBytes = read.isCoded && request.unpacksAnswer ? packedBytes : body.count
        if let fault = read.fault(
            bodyBytes: bodyBytes, isUnpacked: request.unpacksAnswer, speaksHTTP2: speaksHTTP2, method: request.method)
        {
            throw TransportFailure(.decode, fault, mayHaveLeft: true, torn: true)
        }
        return HTTPResponse(status: read.status, headers: read.headers, body: body)
    }
}
