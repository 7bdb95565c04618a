import Foundation

/// A rule of the command line: the rule itself as JSON or YAML, a file with one, or `-` for standard input.
struct RuleText {
    let yaml: String
    /// The place that complaints name.
    let file: String

    /// - Throws: ``UsageError`` if the file cannot be read.
    init(_ argument: String) throws(UsageError) {
        if argument == "-" {
            file = "standard input"
            yaml = try RuleText.read(file) { try FileHandle.standardInput.readToEnd() ?? Data() }
        } else if argument.contains("{") || argument.contains(": ") || argument.contains("\n") {
            file = "the rule"
            yaml = argument
        } else {
            file = argument
            yaml = try RuleText.read(argument) { try Data(contentsOf: URL(filePath: argument)) }
        }
    }

    private static func read(_ file: String, _ contents: () throws -> Data) throws(UsageError) -> String {
        do { return String(decoding: try contents(), as: UTF8.self) } catch {
            throw UsageError(
                "cannot read \(file): \(error.plainReason); expected a rule as JSON or YAML, a file with one, or - for standard input")
        }
    }
}
