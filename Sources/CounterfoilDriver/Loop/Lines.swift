import Foundation
import Platform

/// Writes whole lines to a file descriptor: two tasks never mix theirs.
package final class LineOutput: Sendable {
    private let descriptor: Int32
    private let lock = Locked(())

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Standard output for the protocol alone: whatever else the process prints there goes to standard error from now on.
    static func claimingStandardOutput() -> LineOutput {
        fflush(nil)
        let own = dup(STDOUT_FILENO)
        guard own >= 0 else { return LineOutput(descriptor: STDOUT_FILENO) }
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return LineOutput(descriptor: own)
    }

    /// Writes the line and its end. A stream that takes no more for now, as one that does not block, is waited for.
    package func write(_ line: String) { lock.withLock { _ in _ = Disk.put(Array((line + "\n").utf8), descriptor) } }
}

/// The lines of standard input.
package enum LineInput {
    /// The lines, read on a dedicated thread, because reading blocks: the main queue and tasks run on beside it.
    package static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }.start()
        }
    }
}
