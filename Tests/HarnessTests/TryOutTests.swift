import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Foundation
import Harness
import TestBanks
import Testing

/// The try-out of a driver before the first case: one sign-in and one read; if they fail, no case is run.
@Suite(.timeLimit(.minutes(10))) struct TryOutTests {
    @Test func `a client that does well is judged as without a try-out`() async throws {
        let with = try await DriverTroubleTests.run("conforming", copies: 2, triesOut: true)
        let without = try await DriverTroubleTests.run("conforming", copies: 2)

        #expect(with.trouble == nil)
        #expect(with.results.map(\.judgement) == [Judgement(.pass), Judgement(.pass)])
        #expect(with.results.map(\.evidence.seed) == without.results.map(\.evidence.seed))
    }

    @Test(
        arguments: [
            ("fails-once", "accounts ended with error timeout"), ("silent", "accounts ended with silent"),
            ("hang", "the client hung in step 2 (accounts): no response within 10s"), ("crash", "segmentation fault"),
            ("amount-number", "found 12.3 as `accounts[0].balance`"),
        ])
    func `a client that does not get through it is reported once and nothing is run`(mode: String, expected: String) async throws {
        let report = try await DriverTroubleTests.run(mode, copies: 5, triesOut: true)

        let trouble = try #require(report.trouble)
        let words = trouble.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("failed; no case was run"), "\(trouble)")
        #expect(words.contains(expected), "\(trouble)")
        #expect(report.results.isEmpty)
        #expect(report.document.exitCode(Demands()) == .noVerdict)
    }

    @Test func `a client reads ahead if it reads after its last result`() {
        var entry = JournalEntry(seq: 1, monoNanoseconds: 250)
        func evidence() -> Evidence {
            Evidence(steps: [1: StepReport(.ok(view: [:]), started: 100, ended: 200)], journal: [entry])
        }

        #expect(evidence().showsReadingAhead)
        entry.monoNanoseconds = 150
        #expect(!evidence().showsReadingAhead)
        entry.monoNanoseconds = 250
        entry.method = "POST"
        #expect(!evidence().showsReadingAhead)
    }

    @Test(arguments: [(at: 250, isAhead: true), (at: 350, isAhead: false), (at: 450, isAhead: true)])
    func `a client reads ahead if it reads between two steps`(at: Int, isAhead: Bool) {
        let steps = [
            1: StepReport(.ok(view: [:]), started: 100, ended: 200), 2: StepReport(.ok(view: [:]), started: 300, ended: 400),
        ]

        let evidence = Evidence(steps: steps, journal: [JournalEntry(seq: 1, monoNanoseconds: Int64(at))])

        #expect(evidence.showsReadingAhead == isAhead)
    }

    @Test func `views stand beside the expected ones within 80 columns`() async throws {
        let expected: JSON = [
            "accounts": [["id": "a-1", "name": "A name that is so long that no table has room for it", "currency": "GBP"]]
        ]

        let tryOut = try await Self.tryOut("conforming", views: [.accounts: expected])
        let text = tryOut.tryText

        #expect(!tryOut.isAsExpected)
        #expect(tryOut.isUsable)
        #expect(text.contains("  accounts      1 difference\n    where "))
        #expect(text.contains("accounts[0]"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    }

    @Test func `views that are as expected are reported in a line`() async throws {
        let tryOut = try await Self.tryOut("conforming", views: [.accounts: ["accounts": []]])

        #expect(tryOut.isAsExpected)
        #expect(tryOut.tryText.contains("  accounts      as expected, 0 rows\n"))
        #expect(tryOut.tryText.hasSuffix("\nall displayed data is as expected\n"))
    }

    @Test func `a view with nothing to compare with is not called as expected`() async throws {
        let tryOut = try await Self.tryOut("conforming", views: [:])

        #expect(tryOut.isAsExpected)
        #expect(tryOut.tryText.hasSuffix("\nnothing was compared: the banks declare no expected views (expected.yaml)\n"))
    }

    @Test func `check reports what is understood and what will be unsupported`() async throws {
        let tryOut = try await Self.tryOut("misspelt", features: ["cache", "paralel"], needs: "login, accounts, status")
        let text = tryOut.checkText

        #expect(tryOut.isUsable)
        #expect(text.contains("\n\nbash 1 supports version 1 of the driver protocol\n"))
        #expect(text.contains("  banks       all (its hello names none)\n  operations  login, accounts, status\n  features    cache\n"))
        #expect(text.contains("  ignored     the operation `acounts`, which the protocol does not define; did you mean `accounts`?\n"))
        #expect(text.contains("  ignored     the feature `paralel`, which the protocol does not define; did you mean `parallel`?\n"))
        #expect(text.hasPrefix("1 of 1 case instance will run\n\n"))
        #expect(
            text.hasSuffix(
                "\nthe driver is usable\nnext: `counterfoil test --try` compares all displayed data, `counterfoil test` runs the cases\n"))
    }

    @Test func `check names what a client lacks that signs in on the bank's page alone`() async throws {
        let hint = "most cases sign in with `login`"
        var tryOut = try await Self.tryOut("conforming")
        #expect(!tryOut.checkText.contains(hint))

        tryOut.hello?.operations = ["authorize_begin", "authorize_finish", "accounts"]

        #expect(tryOut.checkText.contains(hint))
    }

    @Test func `check reports a driver that cannot be used`() async throws {
        let claims = try await Self.tryOut("claims-all")
        let fails = try await Self.tryOut("fails-once")

        #expect(!claims.isUsable)
        #expect(claims.checkText.contains("no verdict: the driver claims the operation `op_"))
        #expect(!fails.isUsable)
        #expect(fails.checkText.hasSuffix("\nthe driver is not usable\n"))
    }

    @Test func `a driver for which no case will run is not usable`() async throws {
        var tryOut = try await Self.tryOut("conforming")
        #expect(tryOut.isUsable)

        tryOut.unsupported = ["the client does not support the bank toy": tryOut.total]

        #expect(!tryOut.isUsable)
        #expect(tryOut.checkText.hasSuffix("\nthe driver is not usable: no case will run\n"))
    }

    @Test func `the counts of what will not run are aligned`() async throws {
        var tryOut = try await Self.tryOut("conforming")

        tryOut.unsupported = ["the client does not support the bank toy": 632, "the client does not support the feature `h2`": 4]

        #expect(
            tryOut.checkText.contains(
                "\n  632  the client does not support the bank toy\n    4  the client does not support the feature `h2`\n"))
    }

    private static func tryOut(
        _ mode: String, features: [String] = [], views: [DriverOperation: JSON] = [:], needs: String = "login, accounts"
    ) async throws -> TryOutReport {
        let home = try TestFolder()
        defer { home.remove() }
        let folder = home.url
        let bank = FakeBank(folder: folder, views: views)
        let complaints = Complaints()
        let yaml = """
            contract: 1
            suite: toy
            cases:
            - {id: toy.case, why: because, level: should, needs: [\(needs)], steps: [login, accounts], expect: [{control: 2}]}
            """
        let suite = try #require(Node.parse(yaml: yaml, file: "t.yaml", complaints).flatMap { Suite($0, name: "toy", complaints) })
        let run = TestRun(
            bank: bank, command: try ScriptedDriver.command(mode, features: features, in: folder),
            options: RunOptions(today: CivilDate(daysSinceEpoch: 0)), clock: HangingClock(folder: folder), folder: folder)
        let tryOut = await run.tryOutReport(TestRun.instances([suite], on: bank.banks, complaints), reads: .all)
        #expect(bank.opened.value == 0, "sessions left open")
        return tryOut
    }
}

@Suite struct ViewShapeTests {
    @Test(
        arguments: [
            (DriverOperation.balance, #"{"balance":"1.00","currency":null}"#, nil),
            (.status, #"{"signed_in":true,"prompts":0,"mood":7}"#, nil),
            (.transactions, #"{"transactions":[{"id":"1"}],"stale":true}"#, nil), (.login, "{}", nil),
            (.balance, #"{"balance":1.0}"#, #"found 1.0 as `balance`, expected a text, such as "180.37""#),
            (.status, #"{"prompts":"0"}"#, #"found "0" as `prompts`, expected a whole number"#),
            (
                .transactions, #"{"transactions":[{"id":"1"},{"id":null}]}"#,
                #"found null as `transactions[1].id`, expected a text, such as "a-1"; a row that cannot be read is left out, "#
                    + "and a list of which none can be read is the error `decode`"
            ),
            (.goals, #"{"goals":[7]}"#, #"found 7 as `goals[0]`, expected an object {"id","name","saved","currency"}"#),
            (.atms, #"{"atms":[{"id":"a","lat":51.4}]}"#, #"found 51.4 as `atms[0].lat`, expected a text, such as "-33.86""#),
            (.accounts, #"{"accounts":[],"stale":"yes"}"#, #"found "yes" as `stale`, expected true or false"#),
        ] as [(DriverOperation, String, String?)])
    func `a mistake names the position, what was found and what was expected`(
        operation: DriverOperation, view: String, mistake: String?
    ) throws {
        #expect(ViewShape(of: operation).mistake(in: try JSON(parsing: view)) == mistake)
    }

    @Test func `the document's table of views is the shape's own`() throws {
        let page = try String(
            contentsOf: Clone.root.appending(path: "docs/driver-protocol.md"), encoding: .utf8)

        for operation in DriverOperation.allCases {
            let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(operation.rawValue)` |") && $0.contains("`{") }
            #expect(row?.hasSuffix("| `\(ViewShape(of: operation).notation)` |") == true, "\(operation.rawValue)")
        }
        for feature in DriverFeature.allCases { #expect(page.contains("| `\(feature.rawValue)` |")) }
    }

    @Test func `optional keys are reported as paths`() {
        #expect(
            ViewShape(of: .transactions).optionalPaths
                == ["transactions.currency", "transactions.pending", "transactions.atm", "stale", "as_of", "complete"])
    }
}
