/// The end of what a program wrote to stderr, as reports show it.
///
/// A crash in Swift prints its reason first, then a hundred lines of registers and images: the reason is kept too.
package struct StderrEnd {
    /// At most as many lines as reports have of it.
    package let lines: [String]

    package init(_ text: String) {
        let all = text.split(separator: "\n").map(String.init)
        let limit = ReportDocument.Bounds.stderrLines
        let end = all.suffix(limit)
        guard let reason = all.lastIndex(where: StderrEnd.isReason), reason < end.startIndex else {
            lines = Array(end)
            return
        }
        let rest = all.suffix(limit - 2)
        lines = [all[reason], "… \(rest.startIndex - reason - 1) lines …"] + rest
    }

    /// The lines, each within the bounds of reports.
    package var text: String { lines.map { clipped($0, to: ReportDocument.Bounds.stderrLine) }.joined(separator: "\n") }

    /// Whether a line has the reason why a program ended: in Swift, Rust, Go, Java, C++ and Python.
    private static func isReason(_ line: String) -> Bool {
        ["Fatal error", "panicked at", "panic: ", "Exception in thread", "terminate called", "Traceback (most recent"]
            .contains { line.contains($0) }
    }
}
