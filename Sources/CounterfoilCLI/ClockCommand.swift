import ArgumentParser
import BankModel

/// The clock of a session: tokens, idempotency windows, settlement and dates follow it.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show and move a session's clock.",
        discussion: """
            Example: counterfoil clock advance 16m --session roundup
            The clock never goes back, except by a reset of the session. Delays and timeouts use real time.
            \(steeringExitCodes)
            """,
        subcommands: [Show.self, Advance.self, Set.self, Freeze.self, Run.self], defaultSubcommand: Show.self)

    /// Rejects what is not an instant.
    static func check(instant text: String) throws {
        guard Instant(rfc3339: text) == nil else { return }
        throw ValidationError("found the instant \(text), expected one as in RFC 3339, such as 2026-01-12T09:15:00Z")
    }

    /// The mistake in a command line that sets a clock back: ArgumentParser takes `-5m` for an option, so that no argument has it.
    static func backwards(_ arguments: [String]) -> String? {
        guard arguments.first == "clock", let command = arguments.dropFirst().first, ["advance", "set"].contains(command) else {
            return nil
        }
        let words = arguments.dropFirst(2)
        let below = zip([command] + words, words).first { previous, word in
            previous != "--skew" && word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
        }
        guard let below else { return nil }
        let expected = command == "advance" ? Advance.expected : "an instant such as 2026-12-31T23:59:50Z, or --skew"
        return "found \(below.1), expected \(expected): a clock only goes forward, and only a reset of the session sets it back"
    }

    fileprivate static func show(_ clock: JSON) {
        let skew = clock.text("skew")
        Output.results.line("\(clock.text("now")) \(clock.text("mode"))" + (skew == "0ms" ? "" : ", the Date header is off by \(skew)"))
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a session's clock: its instant, and whether it runs.",
            discussion: "Example: counterfoil clock show --session roundup\nAn error of the Date header (skew) is shown too.")

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            try await options.call("GET", "/clock", show: ClockCommand.show)
        }
    }

    struct Advance: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "advance", abstract: "Advance a session's clock.", discussion: "Example: counterfoil clock advance 16m")

        fileprivate static let expected = "a duration from 0ms to 36525d (100 years), such as 250ms, 30s, 5m, 2h or 1d"

        @Argument(help: "The duration to advance by, such as 250ms, 30s, 5m, 2h or 1d; at most 36525d (100 years).")
        var duration: String

        @OptionGroup var options: AnswerOptions

        mutating func validate() throws {
            guard Duration(text: duration) == nil else { return }
            throw ValidationError(
                ClockCommand.backwards(["clock", "advance", duration]) ?? "found the duration \(duration), expected \(Advance.expected)")
        }

        func run() async throws {
            try await options.call("POST", "/clock/advance", ["by": .string(duration)], show: ClockCommand.show)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a session's clock forward, or skew the Date header.",
            discussion: """
                Example: counterfoil clock set 2026-12-31T23:59:50Z --session roundup
                The clock stays running or frozen; clock freeze and clock run change that.
                """)

        @Argument(help: "The instant, such as 2026-12-31T23:59:50Z.")
        var instant: String?

        @Option(
            parsing: .unconditional,
            help: "Skew of the Date header, such as 5m or -90s, at most 36525d (100 years) either way; nothing else is affected.")
        var skew: String?

        @OptionGroup var options: AnswerOptions

        mutating func validate() throws {
            guard instant != nil || skew != nil else { throw ValidationError("expected an instant, or --skew") }
            try instant.map(ClockCommand.check)
            if let skew, Duration(text: skew.hasPrefix("-") ? String(skew.dropFirst()) : skew) == nil {
                throw ValidationError("found --skew \(skew), expected a duration from -36525d to 36525d (100 years), such as 5m or -90s")
            }
        }

        func run() async throws {
            let setting = JSON.object(known: ["now": instant.map(JSON.string), "skew": skew.map(JSON.string)])
            try await options.call("PUT", "/clock", setting, show: ClockCommand.show)
        }
    }

    struct Freeze: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "freeze", abstract: "Freeze a session's clock.", discussion: "Example: counterfoil clock freeze --session roundup")

        @OptionGroup var options: AnswerOptions

        func run() async throws { try await options.call("PUT", "/clock", ["mode": "frozen"], show: ClockCommand.show) }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Let a session's clock run on from its current instant.",
            discussion: "Example: counterfoil clock run --session roundup")

        @OptionGroup var options: AnswerOptions

        func run() async throws { try await options.call("PUT", "/clock", ["mode": "running"], show: ClockCommand.show) }
    }
}
