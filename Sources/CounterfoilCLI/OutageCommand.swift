import ArgumentParser
import BankCore
import BankFiles
import BankModel
import Contracts
import Faults

struct OutageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outage", abstract: "Control the outage of a running bank.",
        discussion: "Example: counterfoil outage start brownout --for 5m",
        subcommands: [List.self, Show.self, Start.self, Stop.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the outages that can be started.", discussion: "Example: counterfoil outage list")

        @OptionGroup var admin: AdminOptions

        @Flag(help: "As JSON.")
        var json = false

        func run() async throws {
            let answer = try await admin.get("/outages")
            if json { return Output.results.line(answer.pretty) }
            var table = TextTable("NAME", "ABOUT", shortening: [1])
            for outage in answer["outages"]?.array ?? [] {
                table.add(outage.text("name"), outage["about"].map(\.foreignText) ?? "error: \(outage.text("error"))")
            }
            Output.results.write(table.text(for: .results))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a session's outage, or a plan by its name.",
            discussion: "Example: counterfoil outage show --session roundup")

        @Argument(help: "The plan to print as JSON; by default the session's outage is shown.")
        var name: String?

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            if let name {
                return Output.results.line(try await options.session.admin.get("/outages/\(name.pathSegment)").pretty)
            }
            try await options.call("GET", "/outage") { answer in
                let seed = answer["seed"].map { ", seed \($0.foreignText)" } ?? ""
                Output.results.line("\(answer.text("name")) \(answer["running"] == true ? "is running" : "is over")\(seed)")
                var table = TextTable("RULE", "FAULT", "MATCHED", "APPLIED", right: [2, 3], shortening: [1])
                for rule in answer["rules"]?.array ?? [] {
                    table.add(rule.text("id"), rule["fault"]?.faultWords ?? "", rule.text("matched"), rule.text("fired"))
                }
                Output.results.write(table.text(for: .results))
                for reason in answer["skipped"]?.array ?? [] { Output.results.line("skipped: \(reason.foreignText)") }
                Output.results.line("began \(answer.text("began_at"))")
                for line in phases(answer) { Output.results.line(line) }
                guard let effect = answer["effect"] else { return }
                let read = try Complaints.collecting { complaints in OutageEffect.format.read(Node(effect), complaints) }
                for line in read.lines { Output.results.line(line) }
            }
        }

        /// `phase 1: 0s to 2m`, a line for each.
        private func phases(_ outage: JSON) -> [String] {
            (outage["phases"]?.array ?? []).enumerated().map { index, phase in
                let end = phase["until_ms"]?.int.map(time) ?? "its end"
                return "phase \(index + 1): \(time(phase["from_ms"]?.int ?? 0)) to \(end)"
            }
        }

        private func time(_ milliseconds: Int64) -> String { milliseconds == 0 ? "0s" : Duration.milliseconds(milliseconds).shortText }
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start an outage.",
            discussion: "Example: counterfoil outage start flapping --session roundup --for 5m")

        @Argument(help: "A name of `counterfoil outage list`, or the path of a plan file that ends in .yaml.")
        var name: String

        @Option(name: .customLong("for"), parsing: .unconditional, help: "Maximum duration, such as 5m, measured by the plan's clock.")
        var limit: String?

        @Option(help: "Seed, instead of the plan's seed.")
        var seed: UInt64?

        @Flag(help: "Replace the running outage.")
        var replace = false

        @OptionGroup var options: AnswerOptions

        mutating func validate() throws {
            if name.hasSuffix(".yml") {
                throw ValidationError("found the file \(name), expected a name of `counterfoil outage list`, or a file that ends in .yaml")
            }
            guard let limit, Duration(text: limit) == nil else { return }
            throw ValidationError("found --for \(limit), expected \(Duration.expectedText)")
        }

        func run() async throws {
            let session = try await options.session.served
            let answer = try await session.call("POST", "/outage", try body)
            if options.json { return Output.results.line(answer.pretty) }
            let seed = answer["seed"].map { ", seed \($0.foreignText)" } ?? ""
            Output.results.line("\(answer.text("name")) is running in \(session.name)\(seed)")
            for reason in answer["skipped"]?.array ?? [] { Output.errors.line("skipped: \(reason.foreignText)") }
        }

        /// The request body; it contains a plan from a file in full, because the server may not be able to read that file.
        private var body: JSON {
            get throws {
                let plan = try name.hasSuffix(".yaml") ? PlanLibrary(stubs: "").load(name) : nil
                var members = plan?.json.object
                members?["name"] = nil
                return .object(known: [
                    "name": .string(plan?.name ?? name), "plan": members.map(JSON.object), "for": limit.map(JSON.string),
                    "seed": seed.map { .int($0) }, "replace": replace ? .bool(true) : nil,
                ])
            }
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop a session's outage and release the requests that it holds.",
            discussion: "Example: counterfoil outage stop --session roundup")

        @OptionGroup var session: SessionOptions

        func run() async throws { try await session.served.call("DELETE", "/outage") }
    }
}
