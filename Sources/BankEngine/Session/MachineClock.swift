package import BankModel

#if canImport(CoreFoundation)
    // Owns the system's structures, as the compiler sees it, where Foundation was loaded first.
    import CoreFoundation
#endif
#if canImport(SwiftOverlayShims)
    // Owns them where a module of Swift's own came first, as in a release build.
    import SwiftOverlayShims
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The machine's two clocks, injected so that a test can hold them still.
package struct MachineClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Instant
    /// Nanoseconds that only go forward.
    package var monotonic: @Sendable () -> Int64

    package init(now: @escaping @Sendable () -> Instant, monotonic: @escaping @Sendable () -> Int64) {
        (self.now, self.monotonic) = (now, monotonic)
    }

    /// The machine's own.
    package static let system = MachineClock(now: { Instant(nanoseconds: read(CLOCK_REALTIME)) }, monotonic: { read(CLOCK_MONOTONIC) })

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
