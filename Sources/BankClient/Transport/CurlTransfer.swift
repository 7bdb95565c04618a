import BankModel
import Synchronization

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
    private let state: Mutex<State>

    init(_ request: HTTPRequest, limits: TransportLimits, receive: (@Sendable ([UInt8]) -> Bool)? = nil) {
        self.request = request
        state = Mutex(State(receipt: CurlReceipt(limits: limits, receive: receive)))
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
