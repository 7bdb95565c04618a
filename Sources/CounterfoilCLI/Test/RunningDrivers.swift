import Harness

/// Runs drivers as ``interruptible(_:)``, then ends the processes that they leave behind, and reports it once.
func runningDrivers<Value: Sendable>(_ run: @escaping @Sendable () async -> Value) async -> Value {
    let (value, left) = await LeftProcesses.endedAfter { await interruptible(run) }
    if left.found > 0 { Output.errors.line("warning: \(left)") }
    return value
}
