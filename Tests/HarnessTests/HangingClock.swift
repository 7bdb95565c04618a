import Foundation

/// A clock by which the time for an answer is up at the moment in which a scripted driver reports that it hangs, and not before: so
/// no test takes a machine that is busy for a client that hangs.
///
/// A driver reports it with a file beside its script, `hangs`. Waits of less than a second, which only let others go first, are as
/// long as they are.
struct HangingClock: Clock {
    typealias Instant = ContinuousClock.Instant

    /// The folder of the driver's script.
    let folder: URL
    private let real = ContinuousClock()

    init(folder: URL) { self.folder = folder }

    var now: Instant { real.now }
    var minimumResolution: Duration { real.minimumResolution }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard deadline - now >= .seconds(1) else { return try await real.sleep(until: deadline, tolerance: tolerance) }
        let sign = folder.appending(path: "hangs").path
        while !FileManager.default.fileExists(atPath: sign) { try await real.sleep(for: .milliseconds(20)) }
    }
}
