#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The machine's monotonic clock, in nanoseconds: the clock by which the bank notes when heads arrive.
func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
