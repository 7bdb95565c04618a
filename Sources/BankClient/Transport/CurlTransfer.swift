import BankModel
import Synchronization

/// One request under way: what libcurl's callbacks have gathered so far, and who waits for the end.
///
/// The callbacks run on the loop's thread and get this object as an `Unmanaged` box; cancellation comes from any thread.
final class CurlTransfer: Sendable {
    typealias Outcome = Result<Received, TransportFailure>

    /// A whole answer and where it points to.
    struct Received: Sendable {
        var response: HTTPResponse
        /// The absolute address of a `Location`, resolved by libcurl.
        var redirect: String?
    }

    /// What has come in.
    struct State {
        var waiting: CheckedContinuation<Outcome, Never>?
        var cancelled = false
        /// True from the moment a connection stood ready to carry the request.
        var mayHaveLeft = false
        var tooLarge: String?
        var head = ReplyHead()
        var body: [UInt8] = []
    }

    let request: HTTPRequest
    let limits: TransportLimits
    private let state = Mutex(State())

    init(_ request: HTTPRequest, limits: TransportLimits) { (self.request, self.limits) = (request, limits) }

    func wait(with continuation: CheckedContinuation<Outcome, Never>) { state.withLock { $0.waiting = continuation } }

    /// Ends the wait; of several endings the first counts.
    func end(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: outcome)
    }

    func markCancelled() { state.withLock { $0.cancelled = true } }
    var isCancelled: Bool { state.withLock { $0.cancelled } }
    var mayHaveLeft: Bool { state.withLock { $0.mayHaveLeft } }
    /// The failure of a transfer that was called off.
    var calledOff: TransportFailure { TransportFailure(.cancelled, "called off", mayHaveLeft: mayHaveLeft) }
    var tooLarge: String? { state.withLock { $0.tooLarge } }

    /// A connection is ready and the request is about to be written to it (also when libcurl sends it once more).
    func aboutToSend() { state.withLock { $0.mayHaveLeft = true } }

    /// Takes one line of a head; false if there is too much of it.
    func take(headLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        state.withLock { state in
            state.head.take(line: bytes)
            if state.head.bytes > limits.headBytes { state.tooLarge = "a head of more than \(limits.headBytes) bytes" }
            return state.tooLarge == nil
        }
    }

    /// Takes a piece of the body; false if there is too much of it.
    func take(body bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        state.withLock { state in
            guard state.body.count + bytes.count <= limits.bodyBytes else {
                state.tooLarge = "a body of more than \(limits.bodyBytes) bytes"
                return false
            }
            state.body.append(contentsOf: bytes)
            return true
        }
    }

    /// The answer, once libcurl says that it came whole; what libcurl lets pass is looked at again here.
    func answer(overTLS: Bool, redirect: String?) -> Outcome {
        state.withLock { state in
            if let fault = state.head.fault(bodyBytes: state.body.count, overTLS: overTLS, method: request.method) {
                return .failure(TransportFailure(.decode, fault, mayHaveLeft: true, torn: true))
            }
            let response = HTTPResponse(status: state.head.status, headers: state.head.headers, body: state.body)
            return .success(Received(response: response, redirect: redirect))
        }
    }
}
