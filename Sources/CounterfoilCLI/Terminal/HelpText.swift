import Platform

/// ArgumentParser's help and usage on a terminal. It wraps all but the usage itself.
enum HelpText {
    /// Below this width its wrapping leaves no room for descriptions.
    private static let narrowest = 40

    /// The columns for help: those that `COLUMNS` asks for (environ(7)), else the terminal's, else 80.
    static var columns: Int {
        max(narrowest, ThisProcess.variable("COLUMNS").flatMap { Int($0) } ?? Output.results.columns ?? 80)
    }

    /// Wraps each line that begins a usage, between its arguments; the further lines are indented.
    static func wrapped(_ text: String, columns: Int) -> String {
        var isUsage = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // A usage may have further lines, each a separate form.
            isUsage = line.lowercased().hasPrefix("usage: ") || (isUsage && line.hasPrefix("       "))
            return isUsage && line.count > columns ? folded(line, columns: columns) : String(line)
        }.joined(separator: "\n")
    }

    private static func folded(_ line: Substring, columns: Int) -> String {
        var lines: [String] = []
        var current = ""
        for argument in arguments(of: line) {
            if !current.isEmpty, current.count + 1 + argument.count > columns {
                lines.append(current)
                current = "        \(argument)"
            } else {
                current += (current.isEmpty ? "" : " ") + argument
            }
        }
        return (lines + [current]).joined(separator: "\n")
    }

    /// The words, where `[--seed <seed>]` is one.
    private static func arguments(of line: Substring) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if depth > 0 { parts[parts.count - 1] += " \(word)" } else { parts.append(String(word)) }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return parts
    }
}
