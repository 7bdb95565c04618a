import Platform

/// The processes that drivers have moved out of their group and left running.
package struct LeftProcesses: Sendable, Hashable, CustomStringConvertible {
    /// How many there were when all drivers had ended.
    package var found = 0
    /// How many of them could not be ended.
    package var remaining = 0

    package var description: String {
        let what = found == 1 ? "1 process behind; it was terminated" : "\(found) processes behind; they were terminated"
        return "the driver left \(what)" + (remaining > 0 ? ", but \(remaining) did not end" : "")
    }

    /// The same for a run that a signal has ended: the driver had no time to end them.
    package var textIfInterrupted: String {
        let what = found == 1 ? "1 process of the driver was running; it was" : "\(found) processes of the driver were running; they were"
        return "when the run was interrupted, \(what) terminated" + (remaining > 0 ? ", but \(remaining) did not end" : "")
    }

    /// How long they are asked to end before they are killed, and how long killing may take.
    private static let patience: Duration = .seconds(1), limit: Duration = .seconds(5)

    /// How often those that have ended meanwhile are reaped.
    private static let pause: Duration = .seconds(1)

    /// Runs drivers, and ends the processes that they leave. One process can do so once at a time.
    ///
    /// - Parameter body: starts drivers and returns when all have ended.
    package static func endedAfter<Value>(_ body: () async -> Value) async -> (value: Value, left: LeftProcesses) {
        guard let orphans = Orphans() else { return (await body(), LeftProcesses()) }
        defer { orphans.stopAdopting() }
        let reaping = Task {
            while !Task.isCancelled {
                orphans.reap()
                do { try await Task.sleep(for: pause) } catch { return }
            }
        }
        let value = await body()
        reaping.cancel()
        await reaping.value
        return (value, await end(orphans))
    }

    /// Asks all to end, and then kills those that are there.
    private static func end(_ orphans: Orphans) async -> LeftProcesses {
        var all = orphans.signal(SIGTERM)
        var left = all
        let began = ContinuousClock.now
        while !left.isEmpty, began.duration(to: .now) < limit {
            // The end comes after a cancelled run, too.
            await Task { try? await Task.sleep(for: .milliseconds(10)) }.value
            left = orphans.signal(began.duration(to: .now) < patience ? 0 : SIGKILL)
            all.formUnion(left)
        }
        return LeftProcesses(found: all.count, remaining: left.count)
    }
}
