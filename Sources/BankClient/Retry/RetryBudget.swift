import Synchronization

/// The number of retries that a client makes in all while its bank fails, whatever each call's ``RetryPolicy`` allows.
///
/// Every retry uses one, and every success earns one back. In an outage the budget is soon used up, and each call is sent once: the
/// client adds no load to a bank that is down, and continues as soon as one call succeeds.
package final class RetryBudget: Sendable {
    private let most: Int
    private let left: Mutex<Int>

    /// - Parameter most: the budget at the beginning, and the most that successes restore.
    package init(_ most: Int = 25) {
        self.most = most
        left = Mutex(most)
    }

    /// Uses one retry; false if the budget is used up.
    package func spend() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// Earns one retry, after a success.
    package func earn() { left.withLock { $0 = min(most, $0 + 1) } }
}
