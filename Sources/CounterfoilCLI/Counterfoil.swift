import ArgumentParser
import Platform

/// The command `counterfoil`.
@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil",
        abstract: "A stub bank, and a judge of bank clients.",
        discussion: """
            counterfoil serve roundup                           serve a bank to build on
            counterfoil test --client ./driver                  judge a client
            counterfoil driver check --client ./driver          check a driver
            counterfoil judge                                   judge an app used by hand
            counterfoil verify --provider URL --bank roundup    compare a real API with its stub
            counterfoil validate roundup                        check a bank's files
            counterfoil import wiremock DIR --out DIR           convert WireMock mappings
            counterfoil new bank NAME --openapi api.yaml        make a bank from OpenAPI
            counterfoil generate --rows 1000000 --out DIR       make a bank of a million rows
            counterfoil outage start brownout                   start an outage
            Exit codes: 0 success, 1 a client failed, 2 usage or unreadable files,
            3 no verdict, 4 nothing was exercised,
            5 a known failure passed.
            """,
        version: Counterfoil.versionText,
        subcommands: [
            ServeCommand.self, TestCommand.self, JudgeCommand.self, ReportCommand.self, MutantsCommand.self, ClientCommand.self,
            VerifyCommand.self, ValidateCommand.self,
            JournalCommand.self,
            OutageCommand.self,
            FaultCommand.self, SessionCommand.self, ClockCommand.self, TokensCommand.self, ImportCommand.self, ExportCommand.self,
            NewCommand.self, DriverGroup.self, TrustCommand.self, GenerateCommand.self, StateCommand.self, SchemaCommand.self,
        ])

    /// The version of this build.
    static let versionText = "0.1.0"

    /// As ArgumentParser's own, but a usage error ends with 2 (theirs is 64), as every other program's does.
    static func main() async {
        if let settings = ServeSettings(plain: Array(CommandLine.arguments.dropFirst())) {
            end(await settings.run())
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { exit(withError: error) }
            Output.errors.write(fullMessage(for: error) + "\n")
            end(2)
        }
    }
}

/// The system's `exit`, which ArgumentParser's hides.
private func end(_ code: Int32) -> Never { exit(code) }
