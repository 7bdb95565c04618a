import Dispatch

/// Prints a server's messages in order, on a separate thread. A pipe that nobody reads blocks only that thread, not the server or
/// its shutdown.
final class LateOutput: Sendable {
    private let output: Output
    private let queue: DispatchQueue

    init(_ output: Output) {
        self.output = output
        queue = DispatchQueue(label: "output \(output.descriptor)")
    }

    /// Writes the text and a line's end, once all before it is written.
    func line(_ text: String) { queue.async { [output] in output.line(text) } }

    /// Writes what went wrong, and below it what to do, once all before it is written.
    func error(_ text: String, hint: String? = nil) { queue.async { [output] in output.error(text, hint: hint) } }

    /// Runs `work` once everything before it is written; its output comes before everything that is printed later.
    func then(_ work: @escaping @Sendable (Output) -> Void) { queue.async { [output] in work(output) } }

    /// Returns when all is written, at the latest after the limit.
    func drain(within limit: Duration) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.finish() }
        let timer = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }
}
