import ArgumentParser
import BankCore
import BankFiles
import BankModel
import Platform

struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Make selected requests to a running bank fail.",
        discussion: "Example: counterfoil fault set '{fault: {lose-reply: {by: reset}}, on: {role: pay}, times: 1}'",
        subcommands: [List.self, Set.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the rules, in the order in which they are matched.",
            discussion: "Example: counterfoil fault list")

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            try await options.call("GET", "/faults") { answer in
                var table = TextTable("RULE", "FAULT", "ON", "MATCHED", "APPLIED", right: [3, 4], shortening: [1, 2])
                for rule in answer["faults"]?.array ?? [] {
                    table.add(
                        rule.text("id"), rule["fault"]?.faultWords ?? "", rule["on"]?.selectorWords ?? "", rule.text("matched"),
                        rule.text("fired"))
                }
                Output.results.write(table.text(for: .results))
                if let held = answer["held"]?.int, held > 0 { Output.results.line("held now: \(counted(held, "exchange"))") }
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a rule, given as JSON or YAML.",
            discussion: """
                Example: counterfoil fault set '{fault: hang, on: {role: accounts}, nth: 2}' --session roundup
                `counterfoil schema rule --markdown` prints every kind of fault and every key of a rule.
                """)

        @Argument(help: "The rule as JSON or YAML, a file with one, or - for standard input.")
        var rule: String

        @OptionGroup var session: SessionOptions

        func run() async throws {
            let session = try await session.served
            let rule = try RuleText(rule)
            let node = try Complaints.collecting { complaints in Node.parse(yaml: rule.yaml, file: rule.file, complaints) }
            Output.results.line(try await session.call("POST", "/faults", node.json).text("id"))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Remove a rule and release the requests that it holds.",
            discussion: "Example: counterfoil fault rm rule-1; counterfoil fault rm --all")

        @Argument(help: "The rule's id, as `counterfoil fault list` shows it.")
        var rule: String?

        @Flag(help: "Remove all rules that were set individually; an outage continues.")
        var all = false

        @OptionGroup var session: SessionOptions

        mutating func validate() throws {
            guard (rule == nil) == all, rule != "" else { throw ValidationError("expected a rule's id, or --all") }
        }

        func run() async throws {
            try await session.served.call("DELETE", "/faults" + (rule.map { "/\($0.pathSegment)" } ?? ""))
        }
    }
}

extension JSON {
    /// A fault as a user reads it in a table: `status 503`, `lose-reply by close`, `delay for 2s after 1s`.
    ///
    /// Headers and bodies stay out: they are long, and `--json` shows them.
    var faultWords: String {
        guard let members = object?.members else { return foreignText }
        return members.map { name, settings in
            guard let settings = settings.object else { return "\(name) \(settings.words)" }
            let shown = settings.members.filter { !["headers", "body"].contains($0.key) }
            // Without the key where it is the fault's own name, or the name of one of several: `dialect maintenance`.
            let words = shown.map { key, value in key == name || key == "name" ? value.words : "\(key) \(value.words)" }
            return ([name] + words).joined(separator: " ")
        }.joined(separator: " ")
    }

    /// Which exchanges a rule selects, as a user reads it: `role pay, attempt 1`.
    var selectorWords: String { object?.members.map { "\($0.key) \($0.value.words)" }.joined(separator: ", ") ?? foreignText }

    /// A value without quotes and brackets.
    fileprivate var words: String {
        switch self {
        case .string(let text): text.inOneLine
        case .array(let values): values.map(\.words).joined(separator: "|")
        case .object(let object): object.members.map { "\($0.key) \($0.value.words)" }.joined(separator: " ")
        default: text
        }
    }
}

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
        do throws(UnreadFile) { return try String(ofFile: contents()) } catch {
            let message = error.message(expected: "a rule as JSON or YAML, a file with one, or - for standard input")
            throw UsageError("cannot read \(file): \(message)")
        }
    }
}
