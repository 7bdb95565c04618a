import ArgumentParser
import BankFiles
import BankModel

/// Single rules in a session of a running server.
struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault",
        abstract: "Make selected requests to a running bank fail.",
        discussion: "Example: counterfoil fault set '{fault: {lose-reply: {by: reset}}, on: {role: pay}, times: 1}'",
        subcommands: [List.self, Set.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the rules, in the order in which they are matched.",
            discussion: "Example: counterfoil fault list")

        @OptionGroup var session: SessionOptions

        @Flag(help: "As JSON.")
        var json = false

        func run() async throws {
            try await session.reportingFailures { session in
                let answer = try await session.get("/faults")
                if json { return Output.results.line(answer.pretty) }
                var table = TextTable("RULE", "FAULT", "ON", "MATCHED", "FIRED", right: [3, 4], shortening: [1, 2])
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
            discussion: "Example: counterfoil fault set '{fault: hang, on: {role: accounts}, nth: 2}' --session roundup")

        @Argument(help: "The rule: fault, on, and which matching requests.")
        var rule: String

        @OptionGroup var session: SessionOptions

        func run() async throws {
            try await session.reportingFailures { session in
                let rule = try RuleText(rule)
                let node = try Complaints.collecting { complaints in Node.parse(yaml: rule.yaml, file: rule.file, complaints) }
                let answer = try await session.call("POST", "/faults", node.json)
                Output.results.line(answer.text("id"))
            }
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
            try await session.reportingFailures { session in
                try await session.call("DELETE", "/faults" + (rule.map { "/\($0.pathSegment)" } ?? ""))
            }
        }
    }
}
