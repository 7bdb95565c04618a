import Foundation

/// A value that threads share: each has it alone while it reads or changes it.
///
/// Has the interface of `Synchronization.Mutex`, which needs iOS 18 and macOS 15. A POSIX lock is also what the thread sanitizer sees, and
/// the thread that has just released it may take it again without a context switch.
package final class Locked<Value>: Sendable {
    private let lock = NSLock()
    // Only `withLock` reads or writes it.
    nonisolated(unsafe) private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Reads or changes the value with exclusive access.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
