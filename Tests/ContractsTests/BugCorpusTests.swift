import BankModel
import Contracts
import Testing

/// Public bugs, the cases that find them and the mutants that prove the cases: what is missing is reported.
@Suite struct BugCorpusTests {
    private static let bugs = """
        contract: 1
        bugs:
        - id: double-tap
          bug: A double tap pays twice.
          where: [acme/wallet#12, acme/other PR#7]
        - id: lost
          bug: A row is lost | by day.
          where: [KT-5]
          reason: No case can see it.
        """

    private static let cases = """
        contract: 1
        suite: toy
        cases:
        - id: toy.tap
          why: because
          bugs: [Acme/Other#7]
          needs: [accounts]
          steps: [accounts]
          expect: [{control: 1}]
        """

    private static func mutant(_ name: String, _ killedBy: String) throws -> MutantRecord {
        let line: JSON = ["name": .string(name), "mistake": "It errs.", "killed_by": [.string(killedBy)], "control": "toy.other"]
        return try #require(MutantRecord(line, at: SourcePosition(), Complaints()))
    }

    private func corpus(_ bugs: String = bugs, _ cases: String = cases, _ killedBy: String = "toy.tap") throws -> BugCorpus {
        let complaints = Complaints()
        let suite = Contracts.Suite(Make.node(cases, complaints), name: "toy", complaints)
        let known = KnownBug.list(Make.node(bugs, complaints), complaints)
        let corpus = BugCorpus(known, [try #require(suite)], [try Self.mutant("taps", killedBy)])
        #expect(complaints.all.map(\.description) == [])
        return corpus
    }

    private func complaints(_ corpus: BugCorpus) -> [String] {
        let complaints = Complaints()
        corpus.checkNames(complaints)
        corpus.checkCover(complaints)
        return complaints.all.map(\.message)
    }

    @Test func `a bug with a case that a mutant proves, and one with a reason, are in order`() throws {
        #expect(complaints(try corpus()) == [])
        #expect(complaints(try corpus(Self.bugs, Self.cases, "invariant.bounded in toy.tap")) == [])
    }

    @Test(
        arguments: [
            ("  reason: No case can see it.", "", "found no case for the bug lost, expected one with KT-5 under `bugs`, or a `reason`"),
            (
                "  where: [acme/wallet#12, acme/other PR#7]", "  where: [acme/wallet#12, acme/other PR#7]\n  reason: None.",
                "found a `reason` for the bug double-tap, which toy.tap finds, expected one of the two"
            ),
            (
                "where: [acme/wallet#12, acme/other PR#7]", "where: [acme/other#8]",
                "found the bug Acme/Other#7 in toy.tap, expected a thread of the file of bugs"
            ),
            ("id: lost", "id: double-tap", "the bug `double-tap` is declared twice; first at t.yaml:3:3"),
            ("[KT-5]", "[Acme/Wallet#12]", "the thread Acme/Wallet#12 is named twice; first at t.yaml:3:3"),
        ])
    func `a gap is reported`(old: String, new: String, expected: String) throws {
        let found = complaints(try corpus(Self.bugs.replacing(old, with: new)))

        #expect(found.contains { $0.hasPrefix(expected) }, "\(found)")
    }

    @Test func `a case that no mutant proves is reported`() throws {
        // A secret in the log of a case about something else is another mistake than the case's bug.
        for killed in ["toy.elsewhere", "invariant.no-secret-in-log in toy.tap"] {
            let found = complaints(try corpus(Self.bugs, Self.cases, killed))

            #expect(found == ["found no mutant that toy.tap must fail, expected one that makes the mistake of double-tap"])
        }
    }

    @Test func `the page has a row for each bug with its case and mutant, and those without a case apart`() throws {
        let lines = try corpus().page(source: "make page", contracts: "../Contracts").split(separator: "\n").map(String.init)

        #expect(lines.first?.hasPrefix("<!-- Written by `make page`") == true)
        #expect(
            lines.contains(
                "| A double tap pays twice. | [acme/wallet#12](https://github.com/acme/wallet/issues/12), "
                    + "[acme/other PR#7](https://github.com/acme/other/pull/7) | [`toy.tap`](../Contracts/t.yaml) | `taps` |"))
        #expect(lines.last == #"| A row is lost \| by day. | [KT-5](https://youtrack.jetbrains.com/issue/KT-5) | No case can see it. |"#)
        #expect(lines.contains("## Without a case"))
    }
}
