import Platform

/// A rule of the command line: the rule itself as JSON or YAML, a file with one, or `-` for standard input.
struct RuleText {
    let yaml: String
    /// The position that complaints name.
    let file: String

    /// - Throws: ``UsageError`` if the file cannot be read.
    init(_ argument: String) throws(UsageError) {
        if argument == "-" {
            file = "standard input"
            yaml = try RuleText.read(file) { () throws(UnreadFile) in try Disk.bytes(of: STDIN_FILENO, .settings) }
        } else if argument.contains("{") || argument.contains(": ") || argument.contains("\n") {
            file = "the rule"
            yaml = argument
        } else {
            file = argument
            yaml = try RuleText.read(argument) { () throws(UnreadFile) in try Disk.bytes(named: argument, .settings) }
        }
    }

    private static func read(_ file: String, _ contents: () throws(UnreadFile) -> [UInt8]) throws(UsageError) -> String {
        do throws(UnreadFile) { return String(decoding: try contents(), as: UTF8.self) } catch {
            let message = error.message(expected: "a rule as JSON or YAML, a file with one, or - for standard input")
            throw UsageError("cannot read \(file): \(message)")
        }
    }
}
