import BankModel
import Dispatch
import Platform

/// The last line of a terminal on standard error, rewritten in place: how far something is. Elsewhere it is not shown.
///
/// The terminal's width is asked for each time: the line follows it, and never wraps.
final class StatusLine: Sendable {
    private let output = Output.errors
    /// The columns of the line that is shown.
    private let shown = Locked(0)

    /// Whether anything is shown.
    var isShown: Bool { output.isSteerable }

    /// The columns that a line may fill.
    var room: Int { StatusLine.room(columns: output.columns ?? 80) }

    /// Shows a line in place of the one before.
    ///
    /// - Parameters:
    ///   - text: the line; its end is cut off if it does not fit.
    ///   - bar: how much of its beginning gets a colour, in characters.
    func show(_ text: String, bar: (length: Int, style: Style)? = nil) {
        guard isShown else { return }
        shown.withLock { shown in
            let columns = output.columns ?? 80
            let line = text.inOneLine.clipped(toColumns: StatusLine.room(columns: columns))
            var painted = line
            if let bar, output.isColoured {
                painted = bar.style.applied(to: line.prefix(bar.length)) + line.dropFirst(bar.length)
            }
            output.steer(StatusLine.erasure(of: shown, columns: columns) + painted)
            shown = line.columns
        }
    }

    /// Removes the line, before results are written.
    func clear() {
        guard isShown else { return }
        shown.withLock { shown in
            output.steer(StatusLine.erasure(of: shown, columns: output.columns ?? 80))
            shown = 0
        }
    }

    /// The columns that a line may fill on a terminal: not the last, in which some terminals wrap.
    static func room(columns: Int) -> Int { max(1, columns - 1) }

    /// Erases the line that is shown (ECMA-48: CUU, ED, EL).
    ///
    /// A terminal that became narrower has wrapped the line: the rows above the cursor belong to it, too.
    static func erasure(of shown: Int, columns: Int) -> String {
        let above = (max(1, shown) - 1) / max(1, columns)
        return above > 0 ? "\u{1B}[\(above)A\r\u{1B}[J" : "\r\u{1B}[K"
    }
}

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
