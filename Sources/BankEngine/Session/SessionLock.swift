import Foundation
import Synchronization

/// Guards a session's state: held for microseconds, by many threads.
///
/// `Synchronization.Mutex` alone hands itself over to a waiting thread (a futex with priority inheritance, on Linux): under load
/// every request then costs two context switches. The thread that has just unlocked a POSIX mutex may lock it again, which serves
/// two event loops that pay in one session 2.4 times as fast. So threads wait at `gate`; the mutex inside is never contended and
/// serves the compiler's checks.
final class SessionLock<Value: Sendable>: Sendable {
    private let gate = NSLock()
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    /// Reads or changes the value with exclusive access.
    func withLock<Result: Sendable, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        gate.lock()
        defer { gate.unlock() }
        return try value.withLock { value throws(Failure) in try body(&value) }
    }
}
