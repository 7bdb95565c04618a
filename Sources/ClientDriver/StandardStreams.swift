import BankModel
import DriverProtocol
import Foundation
import Synchronization

/// A driver on standard input and output: `counterfoil client --drive` and the mutants run it.
package enum StandardStreams {
    /// Operates the client until standard input ends.
    package static func drive(_ client: any ClientUnderTest) async {
        let output = LineOutput(descriptor: STDOUT_FILENO)
        let errors = LineOutput(descriptor: STDERR_FILENO)
        var loop = DriverLoop(client, write: { output.write($0.line) }, complain: { errors.write("counterfoil client: \($0)".inOneLine) })
        await loop.run(lines())
    }

    /// Reports to a person on standard error.
    @Sendable package static func warn(_ text: String) {
        LineOutput(descriptor: STDERR_FILENO).write("counterfoil client: \(text)".inOneLine)
    }

    /// The lines of standard input, read on a thread of their own, as reading blocks.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }.start()
        }
    }
}

/// Writes whole lines to a file descriptor: two tasks never mix theirs.
package final class LineOutput: Sendable {
    private let descriptor: Int32
    private let lock = Mutex(())

    package init(descriptor: Int32) { self.descriptor = descriptor }

    package func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        lock.withLock { _ in
            var start = 0
            while start < bytes.count {
                let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno != EINTR { return }
                start += max(0, count)
            }
        }
    }
}
