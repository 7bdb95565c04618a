#if THREAD_SANITIZER
    import Synchronization

    /// A `Mutex` of which the thread sanitizer is told: only in the build of `make tsan`, where it takes the name of the other.
    ///
    /// Synchronization's waits in the kernel (a futex that hands the lock over), which the sanitizer does not see, so that it
    /// takes two holders after one another for two at the same time; `.ci/tsan/mutex.swift` shows it. The lock itself is the
    /// one of every other build.
    package struct SeenMutex<Value: ~Copyable>: ~Copyable, Sendable {
        /// What the sanitizer knows the lock by: an address that is nobody else's.
        private final class Place: Sendable {}

        private let place = Place()
        private let mutex: Synchronization.Mutex<Value>

        package init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
                let address = Unmanaged.passUnretained(place).toOpaque()
                acquired(address)
                defer { released(address) }
                return try body(&value)
            }
        }
    }

    /// The sanitizer's own: what others did before they released the address has happened before what follows.
    @_silgen_name("__tsan_acquire") private func acquired(_ address: UnsafeMutableRawPointer)
    @_silgen_name("__tsan_release") private func released(_ address: UnsafeMutableRawPointer)

    typealias Mutex<Value: ~Copyable> = SeenMutex<Value>
#endif
