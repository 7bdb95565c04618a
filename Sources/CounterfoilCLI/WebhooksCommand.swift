import ArgumentParser
import BankCore
import BankModel
import Contracts

/// The webhooks of a session: the requests that report events to a receiver.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "List, register and remove webhooks, show and repeat their deliveries.",
        discussion: """
            Example: counterfoil webhooks add http://127.0.0.1:9000/hook
            Deliveries go to this machine only, and to the hosts that `serve --webhooks-to` names.
            \(steeringExitCodes)
            """,
        subcommands: [List.self, Add.self, Show.self, Remove.self, Resend.self, Fault.self, Rotate.self], defaultSubcommand: List.self)

    /// The one that is meant.
    struct Chosen: ParsableArguments {
        @Argument(help: "The webhook, such as webhook-1.")
        var webhook: String

        var path: String { "/webhooks/\(webhook.pathSegment)" }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the webhooks with the numbers of their deliveries.",
            discussion: "Example: counterfoil webhooks list --session mybank")

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            try await options.call("GET", "/webhooks") { answer in
                Output.results.write(List.table(answer["webhooks"]?.array ?? []).text(for: .results))
            }
        }

        /// The webhooks as a table for people.
        static func table(_ webhooks: [JSON]) -> TextTable {
            var table = TextTable("WEBHOOK", "WAITING", "DELIVERED", "FAILED", "URL", "EVENTS", shortening: [4, 5])
            for webhook in webhooks {
                let events = (webhook["events"]?.array ?? []).compactMap(\.string).joined(separator: " ")
                let counts = Delivery.State.allCases.map { "\(webhook[$0.rawValue]?.int ?? 0)" }
                table.add(webhook.text("id"), counts[0], counts[1], counts[2], webhook.text("url"), events)
            }
            return table
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Register a receiver, and print the secret with which it checks signatures.",
            discussion: "Example: SECRET=$(counterfoil webhooks add http://127.0.0.1:9000/hook --event payment.settled)")

        @Argument(help: "The address that webhooks are sent to.")
        var url: String

        @Option(help: "A type of event to deliver, repeatable; by default all.")
        var event: [String] = []

        @Option(help: "How deliveries are signed: \(oneOf(WebhookSignature.allCases.map(\.rawValue))); by default the bank's method.")
        var sign: String?

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            let receiver = JSON.object(known: [
                "url": .string(url), "events": event.isEmpty ? nil : .array(event.map(JSON.string)), "sign": sign.map(JSON.string),
            ])
            try await options.call("POST", "/webhooks", receiver) { answer in
                Output.results.line(answer.text("secret"))
                Output.errors.line("counterfoil: \(answer.text("id")) is sent to \(answer.text("url"))")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the last deliveries of a webhook, with every attempt.",
            discussion: """
                Example: counterfoil webhooks show webhook-1
                --json also shows its secret, the objects that were sent and the times of the next attempts.
                """)

        @OptionGroup var chosen: Chosen
        @OptionGroup var options: AnswerOptions

        func run() async throws {
            try await options.call("GET", chosen.path) { answer in
                Output.results.write(Show.table(answer["deliveries"]?.array ?? []).text(for: .results))
            }
        }

        /// The deliveries of a webhook as a table for people.
        static func table(_ deliveries: [JSON]) -> TextTable {
            var table = TextTable("EVENT", "TYPE", "STATE", "ATTEMPTS", shortening: [1, 3])
            for delivery in deliveries {
                let attempts = (delivery["attempts"]?.array ?? []).map { attempt in
                    let result = attempt["status"]?.int.map { "\($0)" } ?? attempt.text("failure")
                    return attempt["fault"] == nil ? result : "\(result) (\(attempt.text("fault")))"
                }
                table.add(delivery.text("event"), delivery.text("type"), delivery.text("state"), attempts.joined(separator: ", "))
            }
            return table
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Remove a webhook; its pending deliveries are not sent.",
            discussion: "Example: counterfoil webhooks rm webhook-1")

        @OptionGroup var chosen: Chosen
        @OptionGroup var session: SessionOptions

        func run() async throws { try await session.served.call("DELETE", chosen.path) }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend", abstract: "Send a finished delivery again; without an event, all that failed.",
            discussion: "Example: counterfoil webhooks resend webhook-1")

        @OptionGroup var chosen: Chosen

        @Option(help: "The event's id, such as evt_….")
        var event: String?

        @OptionGroup var session: SessionOptions

        func run() async throws {
            let answer = try await session.served.call("POST", "\(chosen.path)/resend", .object(known: ["event": event.map(JSON.string)]))
            Output.results.line("\(answer["resent"]?.int ?? 0) sent again")
        }
    }

    struct Fault: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fault", abstract: "Apply a fault to the next deliveries of a webhook.",
            discussion: """
                Example: counterfoil webhooks fault webhook-1 duplicate

                \(DeliveryFault.allCases.flatMap { wrapped($0.about, first: "  \($0.rawValue): ", indent: "    ") }.joined(separator: "\n"))
                """)

        @OptionGroup var chosen: Chosen

        @Argument(help: "The fault.")
        var fault: String

        @Option(help: "The number of deliveries it applies to.")
        var times = 1

        @OptionGroup var session: SessionOptions

        mutating func validate() throws {
            let known = DeliveryFault.allCases.map(\.rawValue)
            guard !known.contains(fault) else { return }
            throw ValidationError("found the fault \(fault), expected \(oneOf(known))\(didYouMean(fault, among: known))")
        }

        func run() async throws {
            try await session.served.call("POST", "\(chosen.path)/faults", ["fault": .string(fault), "times": .int(times)])
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Replace the secret of a webhook, and print the new one.",
            discussion: "Example: counterfoil webhooks rotate webhook-1\nThe old one remains valid for a day of the session clock.")

        @OptionGroup var chosen: Chosen
        @OptionGroup var session: SessionOptions

        func run() async throws {
            Output.results.line(try await session.served.call("POST", "\(chosen.path)/secret").text("secret"))
        }
    }
}
