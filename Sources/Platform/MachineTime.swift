/// The machine's clocks, in nanoseconds.
package enum MachineTime {
    /// The wall clock, since 1970 (UTC).
    package static func wall() -> Int64 { read(CLOCK_REALTIME) }

    /// A clock that only goes forward, from any start; all processes of the machine read the same.
    package static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

    /// The time that the process has spent on all cores together.
    package static func processor() -> Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return nanoseconds(time)
    }
}

func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
