import Platform

/// The machine's monotonic clock, in nanoseconds: the very clock by which the bank notes when heads arrive.
func monotonicNanoseconds() -> Int64 { MachineTime.monotonic() }
