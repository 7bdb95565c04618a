import ArgumentParser
import BankEngine
import BankFiles
import BankModel
import Faults

/// The faults that a proxy begins with.
struct ProxyFaults: ParsableArguments {
    @Option(help: "A rule for the proxy as JSON or YAML, a file with one, or - for standard input; repeatable.")
    var fault: [String] = []

    @Option(help: "The outage of the proxy, such as brownout.")
    var plan: String?

    var isEmpty: Bool { fault.isEmpty && plan == nil }

    /// Rules and plan, read.
    struct Loaded {
        var rules: [Rule]
        var plan: Plan?

        /// Sets the rules and starts the plan.
        ///
        /// - Throws: ``RuleError``, ``OutageError`` if one of them could never apply.
        func start(in session: BankSession) throws {
            for rule in rules { _ = try session.set(rule) }
            guard let plan else { return }
            for reason in try session.start(plan).skipped { Output.errors.line("counterfoil: \(plan.name) skips \(reason)".inOneLine) }
        }
    }

    func load(_ plans: PlanLibrary) throws -> Loaded {
        Loaded(
            rules: try fault.map { argument in
                let rule = try RuleText(argument)
                return try Complaints.collecting { complaints in
                    Node.parse(yaml: rule.yaml, file: rule.file, complaints).flatMap { Rule($0, complaints) }
                }
            }, plan: try plan.map { try plans.load($0) })
    }
}
