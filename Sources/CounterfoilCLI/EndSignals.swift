import Harness
import Platform
import UnixSignals

/// The signals that end a command gracefully: Ctrl-C, SIGTERM, and SIGHUP of a terminal that is closed.
enum EndSignals {
    /// Catches them from now on.
    ///
    /// A SIGHUP that is ignored, as under `nohup`, stays so.
    static func caught() async -> UnixSignalsSequence {
        if isIgnored(SIGHUP) { return await UnixSignalsSequence(trapping: .sigterm, .sigint) }
        return await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    }

    /// Whether the process ignores the signal, as SIGHUP under `nohup`, or SIGINT in the background of a shell script.
    static func isIgnored(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_IGN)
        signal(number, handler)
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// Ctrl-C, SIGTERM and SIGHUP end the run and the drivers with it; the results so far are still reported.
///
/// - Parameter onSignal: is called at each signal, before the run is cancelled.
func interruptible<Value: Sendable>(
    _ run: @escaping @Sendable () async -> Value, onSignal: @escaping @Sendable () -> Void = {}
) async -> Value {
    let signals = await EndSignals.caught()
    let running = Task { await run() }
    let waiting = Task {
        for await _ in signals {
            onSignal()
            running.cancel()
        }
    }
    defer { waiting.cancel() }
    return await running.value
}

/// Runs drivers as ``interruptible(_:onSignal:)``, then ends the processes that they leave behind, and reports it once.
func runningDrivers<Value: Sendable>(_ run: @escaping @Sendable () async -> Value) async -> Value {
    let isInterrupted = Locked(false)
    let noteSignal: @Sendable () -> Void = { isInterrupted.withLock { $0 = true } }
    let (value, left) = await LeftProcesses.endedAfter { await interruptible(run, onSignal: noteSignal) }
    guard left.found > 0 else { return value }
    let text = isInterrupted.withLock { $0 } ? left.textIfInterrupted : "\(left)"
    Output.errors.line("warning: \(text)")
    return value
}
