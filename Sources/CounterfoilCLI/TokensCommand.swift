import ArgumentParser
import BankModel

/// The tokens of a session: issued and ended from outside, as if the bank had.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "List, issue, expire and revoke a session's tokens.",
        discussion: """
            Example: TOKEN=$(counterfoil tokens issue --login ava --session roundup)
            The text of a token is shown only by `issue`; elsewhere it has a name such as token#1.
            \(steeringExitCodes)
            """,
        subcommands: [List.self, Issue.self, Expire.self, Revoke.self, Downscope.self], defaultSubcommand: List.self)

    /// Which tokens are meant.
    struct Chosen: ParsableArguments {
        @Argument(help: "The token's name, such as token#1 or refresh#1, as `counterfoil tokens list` shows it.")
        var token: String?

        @Flag(help: "Apply to all tokens of the session.")
        var all = false

        mutating func validate() throws {
            guard (token == nil) == all else { throw ValidationError("expected a token's name, or --all") }
        }

        /// Changes the tokens; for the admin API, no token means all.
        func change(_ command: String, in session: SessionOptions, scopes: JSON? = nil) async throws {
            let body = JSON.object(known: ["token": token.map(JSON.string), "scopes": scopes])
            try await session.served.call("POST", "/tokens/\(command)", body)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the tokens issued since the last reset, without their texts.",
            discussion: "Example: counterfoil tokens list --session roundup")

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            try await options.call("GET", "/tokens") { answer in
                var table = TextTable("TOKEN", "LOGIN", "STATE", "EXPIRES", "SCOPES", shortening: [4])
                for token in answer["tokens"]?.array ?? [] {
                    let scopes = (token["scopes"]?.array ?? []).compactMap(\.string).joined(separator: " ")
                    table.add(token.text("id"), token.text("login"), token.text("state"), token.text("expires_at"), scopes)
                }
                Output.results.write(table.text(for: .results))
            }
        }
    }

    struct Issue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issue", abstract: "Issue an access token as if the customer had signed in, and print its text.",
            discussion: """
                Example: counterfoil tokens issue --login ava --scope accounts --lifetime 5m --session counterfoil
                Prints the token only; with --json the refresh token too, if the bank has them.
                """)

        @Option(help: "The customer; by default the bank's first.")
        var login: String?

        @Option(help: "A scope of the token, repeatable; by default all scopes of the bank.")
        var scope: [String] = []

        @Option(parsing: .unconditional, help: "Its lifetime by the session clock, such as 5m; by default the bank's.")
        var lifetime: String?

        @OptionGroup var options: AnswerOptions

        mutating func validate() throws {
            guard let lifetime, Duration(text: lifetime) == nil else { return }
            throw ValidationError("found --lifetime \(lifetime), expected \(Duration.expectedText)")
        }

        func run() async throws {
            try await options.call("POST", "/tokens", body) { answer in
                Output.results.line(answer.text("token"))
                Output.errors.line("counterfoil: \(answer.text("id")) is valid until \(answer.text("expires_at"))")
            }
        }

        private var body: JSON {
            .object(known: [
                "login": login.map(JSON.string), "scopes": scope.isEmpty ? nil : .array(scope.map(JSON.string)),
                "lifetime": lifetime.map(JSON.string),
            ])
        }
    }

    struct Expire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expire", abstract: "Expire a token now; --all expires every access token, but no refresh token.",
            discussion: "Example: counterfoil tokens expire 'token#1'; counterfoil tokens expire --all")

        @OptionGroup var chosen: Chosen
        @OptionGroup var session: SessionOptions

        func run() async throws { try await chosen.change("expire", in: session) }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a token; --all revokes every token, refresh tokens too.",
            discussion: "Example: counterfoil tokens revoke 'refresh#1'; counterfoil tokens revoke --all")

        @OptionGroup var chosen: Chosen
        @OptionGroup var session: SessionOptions

        func run() async throws { try await chosen.change("revoke", in: session) }
    }

    struct Downscope: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "downscope", abstract: "Reduce a token to the scopes that --scope names; without --scope it has none.",
            discussion: "Example: counterfoil tokens downscope 'token#1' --scope accounts --session counterfoil")

        @OptionGroup var chosen: Chosen

        @Option(help: "A scope to keep, repeatable.")
        var scope: [String] = []

        @OptionGroup var session: SessionOptions

        func run() async throws { try await chosen.change("downscope", in: session, scopes: .array(scope.map(JSON.string))) }
    }
}
