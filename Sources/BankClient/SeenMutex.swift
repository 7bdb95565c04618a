#if THREAD_SANITIZER
import Synchronization

/// A `Mutex` that reports to the thread sanitizer: used only in the build of `make tsan`, where it replaces the other.
///
/// Synchronization's mutex waits in the kernel (a futex that hands the lock over), which the sanitizer does not see, so
/// that it reports two successive holders as simultaneous; `.ci/tsan/mutex.swift` shows it. The lock itself is the same
/// as in every other build.
package struct SeenMutex<Value: ~Copyable>: ~Copyable, Sendable {
    /// The lock's identity for the sanitizer: a unique address.
    private final class Marker: Sendable {}

    private let marker = Marker()
    private let mutex: Synchronization.Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            let address = Unmanaged.passUnretained(marker).toOpaque()
            acquired(address)
            defer { released(address) }
            return try body(&value)
        }
    }
}

/// The sanitizer's own function: everything before the release of the address happens before the code that follows.
@_silgen_name("__tsan_acquire") private func acquired(_ address: UnsafeMutableRawPointer)
@_silgen_name("__tsan_release") private func released(_ address: UnsafeMutableRawPointer)

typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
