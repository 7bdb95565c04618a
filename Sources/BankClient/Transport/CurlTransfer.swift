import BankModel
import Synchronization

/// One request under way: what is asked, who waits for the end, and whether it was called off.
final class CurlTransfer: Sendable {
    typealias Outcome = Result<CurlAnswer, TransportFailure>
    /// Not a checked one, which takes memory for each request to find out what ``takeWaiting()`` rules out: a second ending.
    typealias Waiting = UnsafeContinuation<Outcome, Never>

    private struct State {
        var receipt: CurlReceipt?
        var waiting: Waiting?
        var cancelled = false
    }

    let request: HTTPRequest
    private let state: Mutex<State>

    init(_ request: HTTPRequest, limits: TransportLimits) {
        self.request = request
        state = Mutex(State(receipt: CurlReceipt(limits: limits)))
    }

    func wait(with continuation: Waiting) { state.withLock { $0.waiting = continuation } }

    /// Gives what the answer is to be gathered in; nil if the request was called off before it began.
    func begin() -> CurlReceipt? {
        state.withLock { $0.cancelled ? nil : $0.receipt.take() }
    }

    /// Who waits for the end, given once, nil if it has come before; and whether the request was called off.
    func takeWaiting() -> (waiting: Waiting?, isCancelled: Bool) {
        state.withLock { state in
            defer { state.waiting = nil }
            return (state.waiting, state.cancelled)
        }
    }

    /// Ends the wait; of several endings the first counts.
    func end(_ outcome: Outcome) { takeWaiting().waiting?.resume(returning: outcome) }

    func markCancelled() { state.withLock { $0.cancelled = true } }
}
