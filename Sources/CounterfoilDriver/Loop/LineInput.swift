import Foundation

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
