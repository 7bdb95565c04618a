import BankModel
import Synchronization

/// One request under way: what is asked, who waits for the end, and whether it was called off.
///
/// What comes in is the loop's thread's own (``CurlReceipt``); here is only what other threads touch too.
final class CurlTransfer: Sendable {
    typealias Outcome = Result<CurlAnswer, TransportFailure>

    private struct State {
        var waiting: UnsafeContinuation<Outcome, Never>?
        var cancelled = false
    }

    let request: HTTPRequest
    let limits: TransportLimits
    private let state = Mutex(State())

    init(_ request: HTTPRequest, limits: TransportLimits) { (self.request, self.limits) = (request, limits) }

    func wait(with continuation: UnsafeContinuation<Outcome, Never>) { state.withLock { $0.waiting = continuation } }

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
}
