import ArgumentParser
@testable import BankClient
import BankModel
import Testing

@testable import CounterfoilCLI

/// The dialogue of a round-up; Tests/Shell/client.sh makes one at a served bank.
@Suite struct ClientRoundUpTests {
    private func money(_ text: String) throws -> Money { try Money(major: text, currency: try #require(Currency("GBP"))) }

    private func choice() throws -> GoalChoice {
        let names = [("g1", "Trip"), ("g2", "Bike"), ("g3", "Bike"), ("2", "House")]
        return GoalChoice(goals: try names.map { Goal(id: $0.0, name: $0.1, saved: try money("1.00")) })
    }

    @Test(
        arguments: [("g1", "g1"), ("Trip", "g1"), (" 1 \n", "g1"), ("3", "g3"), ("2", "2"), ("4", "2")])
    func `a goal is meant by its id before all, by its name if only one has it, or by its number in the list`(
        _ answer: String, _ expected: String
    ) throws {
        #expect(try choice().goal(answer).id == expected)
    }

    @Test(
        arguments: [
            ("", "found no goal, expected"), ("0", "found no goal 0, "), ("5", "found no goal 5, "), ("Bike", "found 2 goals named Bike, "),
            ("trip", "found no goal trip, "), ("\(Int.min)", "found no goal \(Int.min), "),
        ])
    func `any other answer is reported, with the possible names`(_ answer: String, _ expected: String) throws {
        let choice = try choice()

        let failure = #expect(throws: ClientFailure.self) { try choice.goal(answer) }

        #expect(failure?.error == .notFound)
        #expect(failure?.detail.hasPrefix(expected) == true)
        #expect(failure?.detail.hasSuffix("expected --goal with one of: g1 (Trip), g2 (Bike), g3 (Bike), 2 (House)") == true)
    }

    @Test func `the question numbers the goals`() throws {
        let goals = GoalChoice(goals: Array(try choice().goals.prefix(2)))
        let amount = try money("1.58")

        #expect(
            goals.question(amount)
                == """
                   GOAL  SAVED
                1  Trip   1.00  GBP
                2  Bike   1.00  GBP
                Which goal should receive 1.58 GBP? 
                """)
    }

    @Test func `each purchase stands with what it is rounded up by, the sum below`() throws {
        let purchases = try [("2026-01-12", "Café", "4.35", "0.65"), ("2026-01-11", "Rent", "500.00", "0.00")].map {
            RoundUpPurchase(
                day: try #require(CivilDate($0.0)), description: $0.1, amount: try money($0.2), roundedUpBy: try money($0.3))
        }
        let preview = RoundUpPreview(account: "a1", purchases: purchases, amount: try money("0.65"))

        #expect(
            RoundUpText.table(preview)
                == """
                DATE        PURCHASE  AMOUNT  ROUNDED UP BY
                2026-01-12  Café        4.35           0.65
                2026-01-11  Rent      500.00           0.00
                0.65 GBP in total, from account a1.

                """)
    }

    @Test(
        arguments: [
            (["--bank", "roundup", "--user", "ava"], "--user needs --password, or --token"),
            (["--bank", "roundup", "--password", "x"], "--user needs --password"), (["--bank", "round"], "did you mean `roundup`?"),
        ])
    func `options that cannot be are reported`(_ words: [String], _ expected: String) throws {
        #expect(rejection(of: ClientRoundUp.self, words).contains(expected))
        #expect(throws: Never.self) { try ClientRoundUp.parse(["--bank", "roundup", "--user", "ava", "--token", "t"]) }
    }
}
