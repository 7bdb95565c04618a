import ArgumentParser
import BankModel
import Platform

@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil", abstract: "A mock bank API, and contract tests for bank clients.",
        discussion: """
            counterfoil serve roundup                     serve a bank to develop against
            counterfoil test --client ./driver            test a client
            counterfoil judge --session roundup           check an app used by hand
            counterfoil new bank NAME --openapi api.yaml  create a bank from OpenAPI
            counterfoil outage start brownout             start an outage

            Exit codes: 0 success, 1 a client failed, 2 usage or unreadable files, 3 no verdict, 4 nothing was exercised, 5 a known \
            failure passed. Colours follow NO_COLOR, CLICOLOR_FORCE and CLICOLOR.
            """,
        version: Counterfoil.versionText,
        groupedSubcommands: [
            CommandGroup(
                name: "Bank",
                subcommands: [
                    ServeCommand.self, ValidateCommand.self, NewCommand.self, ImportCommand.self, ExportCommand.self,
                    RecordCommand.self, GenerateCommand.self, SchemaCommand.self,
                ]),
            CommandGroup(
                name: "Testing",
                subcommands: [
                    TestCommand.self, ExploreCommand.self, JudgeCommand.self, GoldenCommand.self, ReportCommand.self, DriverGroup.self,
                    VerifyCommand.self, MutantsCommand.self,
                ]),
            CommandGroup(
                name: "Running server",
                subcommands: [
                    SessionCommand.self, FaultCommand.self, OutageCommand.self, ClockCommand.self, TokensCommand.self,
                    ChallengesCommand.self, EventCommand.self, ScheduleCommand.self, WebhooksCommand.self, JournalCommand.self,
                    LedgerCommand.self, ProbeCommand.self,
                ]),
            CommandGroup(name: "Other", subcommands: [ClientCommand.self, TrustCommand.self, StateCommand.self]),
        ])

    static let versionText = "0.1.0"

    /// As ArgumentParser's own, but a usage error ends with 2 (theirs is 64), as every other program's does.
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let flaw = ArgumentFlaws.notUTF8(arguments) {
            Output.errors.line(flaw.text)
            end(2)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            if let text = printed(error) {
                Output.errors.line(text)
                end(2)
            }
            finish(error, arguments)
        }
    }

    /// What is printed of an error in a command line, in files or in a call, all of which end with 2; nil for any other error.
    static func printed(_ error: any Error) -> String? {
        switch error {
        case let error as ComplaintsError: error.description
        case let error as UsageError: error.text
        case let error as AdminFailure: Message(error.description, hint: error.hint).text
        case let error as FileError: Message(error.description, hint: error.hint).text
        default: nil
        }
    }

    /// Ends the program after a command that threw: shows help, or what went wrong.
    private static func finish(_ error: any Error, _ arguments: [String]) -> Never {
        let columns = HelpText.columns
        let text = fullMessage(for: error, columns: columns)
        switch exitCode(for: error) {
        case .validationFailure:
            // The message is the first line, after a prefix; usage and the way to the help follow.
            let message = message(for: error)
            let known =
                UnknownCommand(arguments, below: self)?.message ?? ClockCommand.backwards(arguments).map { Message($0) }
                ?? ArgumentFlaws.negativeValue(message, arguments) ?? ArgumentFlaws.bankOption(message, arguments)
                ?? ArgumentFlaws.farOption(message)
            let usage = text.firstRange(of: message).map { String(text[$0.upperBound...]) } ?? ""
            Output.errors.write((known ?? Message(message)).text + HelpText.wrapped(usage, columns: columns) + "\n")
            end(2)
        case .success where !text.isEmpty:
            // Help; or the version or a script for a shell, as they are.
            let isHelp = text.hasPrefix("OVERVIEW: ")
            Output.results.write(commands: (isHelp ? HelpText.wrapped(text, columns: columns) : text) + "\n")
            end(0)
        case let code where !code.isSuccess && !text.isEmpty:
            Output.errors.error(message(for: error))
            end(code.rawValue)
        default: exit(withError: error)
        }
    }
}

/// The system's `exit`, which ArgumentParser's hides.
private func end(_ code: Int32) -> Never { exit(code) }
