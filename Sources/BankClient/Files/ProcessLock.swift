import Foundation
import Platform

/// A lock that processes share, by an empty lock file. The system releases it when its holder ends, however it ends.
package struct ProcessLock: Sendable {
    let path: String
    let clock: any ClientClock

    /// How long another process is waited for: longer than it needs for one exchange with the bank.
    static let longestWait: Duration = .seconds(15)
    private static let pause: Duration = .milliseconds(10)

    /// Runs the body while no other process runs one under this lock.
    ///
    /// If the file cannot be opened the body is run all the same: what it stores cannot be stored either, which is an error.
    ///
    /// - Returns: nil if another process has held the lock for too long; nothing was run then.
    func holding<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value? {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return await body() }
        defer { close(file) }
        let began = clock.uptime()
        while !FileLock.exclusive.set(on: file, byte: 0) {
            guard clock.uptime() - began < ProcessLock.longestWait else { return nil }
            // The wait ends with the lock, not with the task: a refresh goes on for all who wait for it.
            try? await clock.sleep(for: ProcessLock.pause)
        }
        return await body()
    }
}
