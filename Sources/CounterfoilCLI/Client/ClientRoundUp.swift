import ArgumentParser
import BankClient
import BankModel
import ClientDriver
import Foundation

struct ClientRoundUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "round-up", abstract: "Round up the purchases of the last seven days and move the sum to a savings goal.",
        discussion: """
            Shows each settled purchase since midnight seven days ago, with its distance to the next whole currency unit. Without \
            --goal, the command asks for the goal on standard input.
            Example: counterfoil client round-up --bank roundup --goal GOAL
            """)

    @OptionGroup var options: ClientOptions

    @Option(help: "The account whose purchases are rounded up, and which pays; by default the first.")
    var account: String?

    @Option(help: "The goal's id or name.")
    var goal: String?

    @Option(help: "Name of the payment order; a repeated command with the same name never moves money twice. By default a new name.")
    var intent: String?

    @Flag(help: "Only show what would be moved.")
    var dryRun = false

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            _ = try await options.signIn(client)
            if let intent, !dryRun, let before = try await begun(intent, client) { return before }
            let preview = try await client.previewRoundUp(account: account)
            guard !dryRun else {
                let text = RoundUpText.table(preview) + "Dry run: no money was moved.\n"
                return Shown(view: ViewJSON.preview(preview), text: text)
            }
            if !options.json { Output.results.write(RoundUpText.table(preview)) }
            let choice = GoalChoice(goals: try await client.roundUpGoals(of: preview.account))
            let chosen = try choice.goal(goal ?? ask(choice, preview.amount))
            let intent = intent ?? UUID().uuidString.lowercased()
            let moved = try await options.withRetryHint(intent) { () throws(ClientFailure) in
                try await client.roundUp(intent, preview, to: chosen.id)
            }
            return Shown(view: ViewJSON.roundUp(moved), text: RoundUpText.moved(moved, to: chosen))
        }
    }

    /// The result of an earlier attempt of the intent; nil if there was none.
    private func begun(_ intent: String, _ client: BankClient) async throws(ClientFailure) -> Shown? {
        do throws(ClientFailure) {
            let moved = try await options.withRetryHint(intent) { () throws(ClientFailure) in try await client.resumeRoundUp(intent) }
            return Shown(view: ViewJSON.roundUp(moved), text: RoundUpText.moved(moved, to: nil))
        } catch {
            guard error.error == .nothingToDo else { throw error }
            return nil
        }
    }

    /// A line of standard input; empty at its end.
    private func ask(_ choice: GoalChoice, _ amount: Money) -> String {
        Output.errors.write(choice.question(amount))
        return readLine() ?? ""
    }
}

/// Finds the goal that a user names.
struct GoalChoice {
    var goals: [Goal]

    /// The goals, numbered, and what is asked.
    func question(_ amount: Money) -> String {
        var table = TextTable("", "GOAL", "SAVED", "", right: [0, 2])
        for (number, goal) in goals.enumerated() {
            table.add(String(number + 1), goal.name, goal.saved.major, goal.saved.currency.code)
        }
        return table.text(for: .errors) + "Which goal should receive \(amount)? "
    }

    /// - Parameter answer: an id, a name that only one has, or a number of the question's.
    /// - Throws: ``ClientFailure`` `notFound`, with the possible names.
    func goal(_ answer: String) throws(ClientFailure) -> Goal {
        let answer = answer.trimmingCharacters(in: .whitespacesAndNewlines)
        if let goal = goals.first(where: { $0.id == answer }) { return goal }
        let named = goals.filter { $0.name == answer }
        if named.count == 1 { return named[0] }
        if let number = Int(answer), number > 0, number <= goals.count { return goals[number - 1] }
        let known = goals.map { "\($0.id) (\($0.name))" }.joined(separator: ", ")
        let found =
            answer.isEmpty ? "found no goal" : named.isEmpty ? "found no goal \(answer)" : "found \(named.count) goals named \(answer)"
        throw ClientFailure(.notFound, "\(found), expected --goal with one of: \(known)", mayHaveLeft: false)
    }
}

/// A round-up as the user sees it.
enum RoundUpText {
    static func table(_ preview: RoundUpPreview) -> String {
        var table = TextTable("DATE", "PURCHASE", "AMOUNT", "ROUNDED UP BY", right: [2, 3])
        for purchase in preview.purchases {
            table.add(purchase.day.description, purchase.description, purchase.amount.major, purchase.roundedUpBy.major)
        }
        return table.text(for: .results) + "\(preview.amount) in total, from account \(preview.account).\n"
    }

    /// - Parameter goal: nil where the round-up was begun before: then it went where it was to go at that time.
    static func moved(_ moved: RoundUp, to goal: Goal?) -> String {
        let whereTo = goal.map { "to \($0.name)" } ?? "as computed at the first attempt"
        return "\(moved.amount) moved \(whereTo), payment \(moved.payment ?? "-")\n"
    }
}
