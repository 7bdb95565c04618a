import BankModel
import Platform

/// One request in progress: the request, the waiting task, and whether it was cancelled.
final class CurlTransfer: Sendable {
    typealias Outcome = Result<CurlAnswer, TransportFailure>
    /// Not a checked one, which allocates memory for each request to detect what ``claimWaiting()`` rules out: a second
    /// resume.
    typealias Waiting = UnsafeContinuation<Outcome, Never>

    private struct State {
        var receipt: CurlReceipt?
        var waiting: Waiting?
        var cancelled = false
    }

    let request: HTTPRequest
    private let state: Locked<State>

    init(_ request: HTTPRequest, limits: TransportLimits, receive: (@Sendable ([UInt8]) -> Bool)? = nil) {
        self.request = request
        state = Locked(State(receipt: CurlReceipt(limits: limits, receive: receive)))
    }

    func wait(with continuation: Waiting) { state.withLock { $0.waiting = continuation } }

    /// Returns the receipt that collects the response; nil if the request was cancelled before it began.
    func begin() -> CurlReceipt? {
        state.withLock { $0.cancelled ? nil : $0.receipt.take() }
    }

    /// Returns the waiting continuation, once, nil if it was resumed before; and whether the request was cancelled.
    func claimWaiting() -> (waiting: Waiting?, isCancelled: Bool) {
        state.withLock { state in
            defer { state.waiting = nil }
            return (state.waiting, state.cancelled)
        }
    }

    /// Ends the wait; of several ends the first counts.
    func end(_ outcome: Outcome) { claimWaiting().waiting?.resume(returning: outcome) }

    func markCancelled() { state.withLock { $0.cancelled = true } }
}

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
        if let fault = read.fault(bodyBytes: bodyBytes, isUnpacked: request.unpacksAnswer, speaksHTTP2: speaksHTTP2, method: request.method)
        {
            throw TransportFailure(.decode, fault, mayHaveLeft: true, torn: true)
        }
        return HTTPResponse(status: read.status, headers: read.headers, body: body)
    }
}
