import UnixSignals

/// Ctrl-C, SIGTERM and SIGHUP end the run and the drivers with it; what was found out so far is still told.
func interruptible<Value: Sendable>(_ run: @escaping @Sendable () async -> Value) async -> Value {
    let signals = await EndSignals.caught()
    let running = Task { await run() }
    let waiting = Task {
        for await _ in signals { running.cancel() }
    }
    defer { waiting.cancel() }
    return await running.value
}
