import ArgumentParser
import BankModel

/// The challenges of a session: decided from outside, as by the bank's own app.
struct ChallengesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenges", abstract: "List, approve and deny a session's challenges.",
        discussion: """
            Example: counterfoil challenges approve --session payments
            A challenge asks the customer to confirm a request. Sessions made with --challenges have them.
            \(steeringExitCodes)
            """,
        subcommands: [List.self, Approve.self, Deny.self], defaultSubcommand: List.self)

    /// The challenge that is meant.
    struct Chosen: ParsableArguments {
        @Argument(help: "The challenge's number; by default the latest that is pending.")
        var number: Int?

        @OptionGroup var session: SessionOptions

        func decide(_ decision: String) async throws {
            let served = try await session.served
            var wanted = number.map { String($0) }
            if wanted == nil {
                let all = try await served.get("/challenges")["challenges"]?.array ?? []
                wanted = all.last { $0["state"] == "pending" }?["number"]?.plainText
            }
            guard let chosen = wanted else {
                throw AdminFailure(
                    description: "found no pending challenge in the session \(served.name), expected one",
                    hint: "`counterfoil challenges list` lists all")
            }
            let decided = try await served.call("POST", "/challenges/\(chosen)", ["decision": .string(decision)])
            Output.results.line("\(decided.text("id")) \(decided.text("state"))")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the challenges since the last reset, with the correct code.",
            discussion: "Example: counterfoil challenges list --session payments")

        @OptionGroup var options: AnswerOptions

        func run() async throws {
            try await options.call("GET", "/challenges") { answer in
                var table = TextTable("NUMBER", "KIND", "LOGIN", "OPERATION", "STATE", "CODE", "EXPIRES")
                for challenge in answer["challenges"]?.array ?? [] {
                    table.add(
                        challenge["number"]?.plainText ?? "", challenge.text("kind"), challenge.text("login"), challenge.text("operation"),
                        challenge.text("state"), challenge["code"]?.string ?? "-", challenge.text("expires_at"))
                }
                Output.results.write(table.text(for: .results))
            }
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve", abstract: "Approve a challenge as its customer; a challenged payment is then executed.",
            discussion: "Example: counterfoil challenges approve 1 --session payments")

        @OptionGroup var chosen: Chosen

        func run() async throws { try await chosen.decide("approve") }
    }

    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny", abstract: "Deny a challenge as its customer; a challenged payment is never executed.",
            discussion: "Example: counterfoil challenges deny 1 --session payments")

        @OptionGroup var chosen: Chosen

        func run() async throws { try await chosen.decide("deny") }
    }
}
