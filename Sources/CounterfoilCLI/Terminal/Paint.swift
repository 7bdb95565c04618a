/// The colours of a kind of text: which lines get one, by how they begin.
struct Paint: Sendable {
    /// The colour of lines, or of their first words.
    struct LineStyle: Sendable {
        /// The beginning of the line.
        let prefix: String
        let style: Style
    }

    let rules: [LineStyle]
    /// Whether the line of a report that counts verdicts is coloured as a whole.
    var colourSummary = false

    /// Texts for programs.
    static let none = Paint(rules: [])

    /// Messages on stderr.
    static let messages = Paint(rules: [
        LineStyle(prefix: "error:", style: .red), LineStyle(prefix: "warning:", style: .yellow), LineStyle(prefix: "hint:", style: .cyan),
        LineStyle(prefix: "FAIL", style: .red), LineStyle(prefix: "inconclusive so far", style: .yellow),
        LineStyle(prefix: "pass so far", style: .green),
    ])

    /// Reports of a run or of a journal.
    static let report = Paint(
        rules: [
            LineStyle(prefix: "FAIL", style: .red), LineStyle(prefix: "INCONCLUSIVE", style: .yellow),
            LineStyle(prefix: "HARNESS-ERROR", style: .yellow),
            LineStyle(prefix: "no verdict:", style: .yellow),
        ], colourSummary: true)

    /// The text with colours; nothing else of it changes.
    func applied(to text: String) -> String {
        guard !rules.isEmpty else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(line).joined(separator: "\n")
    }

    private func line(_ line: Substring) -> String {
        if let rule = rules.first(where: { line.hasPrefix($0.prefix) }) {
            return rule.style.applied(to: rule.prefix) + line.dropFirst(rule.prefix.count)
        }
        if colourSummary, let style = Paint.summaryStyle(line) { return style.applied(to: line) }
        return String(line)
    }

    /// The colour of `38 passed, 1 failed of 40 (…`; nil for any other line.
    private static func summaryStyle(_ line: Substring) -> Style? {
        guard let summary = try? /^\d+ passed(, \d+ [a-z ]+)* of \d+[ ,].*/.wholeMatch(in: line)?.output.0 else { return nil }
        let counts = summary.prefix { $0 != "(" }
        if counts.contains(" failed") { return .red }
        return counts.contains(" inconclusive") || counts.contains(" harness error") ? .yellow : .green
    }
}

/// Whether a stream gets colours.
enum Colour {
    /// Decides by the environment: `NO_COLOR` (https://no-color.org) goes before `CLICOLOR_FORCE`, and that before `CLICOLOR`
    /// (https://bixense.com/clicolors/).
    ///
    /// - Parameters:
    ///   - isTerminal: whether the stream is a terminal.
    ///   - variable: a variable of the environment; nil if it is not set or empty.
    static func isWanted(isTerminal: Bool, variable: (String) -> String?) -> Bool {
        if variable("NO_COLOR") != nil { return false }
        if let forced = variable("CLICOLOR_FORCE"), forced != "0" { return true }
        if variable("CLICOLOR") == "0" { return false }
        return isTerminal && variable("TERM") != "dumb"
    }
}

/// A colour of text (ECMA-48 §8.3.117, SGR), out of the eight that every terminal lets its user choose.
enum Style: String {
    case red = "1;31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"

    func applied(to text: some StringProtocol) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
