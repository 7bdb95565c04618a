import UnixSignals

/// Ctrl-C, SIGTERM and SIGHUP end the run and the drivers with it; the results so far are still reported.
func interruptible<Value: Sendable>(_ run: @escaping @Sendable () async -> Value) async -> Value {
    let signals = await EndSignals.caught()
    let running = Task { await run() }
    let waiting = Task {
        for await _ in signals { running.cancel() }
    }
    defer { waiting.cancel() }
    return await running.value
}
