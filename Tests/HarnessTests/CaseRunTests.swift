import BankModel
import Contracts
import Foundation
import Harness
import Testing

@Suite(.timeLimit(.minutes(10))) struct CaseRunTests {
    @Test func `a restart keeps the folder and lives in it`() async throws {
        let yaml = """
            needs: [login]
            steps: [login, restart, status]
            expect: [{control: 1}, {step: 3, view: {signed: "yes"}}]
            """

        let report = try await DriverTroubleTests.run("conforming", steps: yaml)

        let result = try #require(report.results.first)
        #expect(result.judgement == Judgement(.pass))
        guard case .ok(let view) = result.evidence.steps[3]?.outcome else {
            Issue.record("status did not answer")
            return
        }
        #expect(view["home"]?.string?.hasSuffix("state/c1") == true)
    }

    @Test func `a slow start after a restart is a harness matter and an exit is the client's`() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, restart, status]\nexpect: [{control: 1}]"

        let slow = try await DriverTroubleTests.run("hang-at-second-start", steps: yaml)
        let gone = try await DriverTroubleTests.run("exit-at-second-start", steps: yaml)

        #expect(slow.results.first?.judgement.verdict == .harnessError)
        #expect(
            slow.results.first?.judgement.reasons.first?.finding.seen.text
                == "the driver was not ready after the restart: no response within 30s")
        #expect(gone.results.first?.judgement.verdict == .fail)
        #expect(gone.results.first?.judgement.reasons.first?.finding.seen.text.hasPrefix("the client crashed after the restart") == true)
    }

    @Test func `a token handed over later comes with the customer's name`() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, login, status]\nexpect: [{step: 3, view: {asker: ava}}]"

        let report = try await DriverTroubleTests.run("conforming", steps: yaml, hasLoginCall: false)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test(arguments: [([], false, 1), (["fresh"], false, 3), ([], true, 3), (["fresh", "parallel"], false, 3)])
    func `a client that keeps state between cases gets a process for each`(features: [String], perCase: Bool, processes: Int) async throws {
        let yaml = "needs: [login, status]\nsteps: [login, status]\nexpect: [{control: 1}]"

        let report = try await DriverTroubleTests.run("conforming", features: features, steps: yaml, copies: 3, processPerCase: perCase)

        let pids = report.results.compactMap { result -> String? in
            guard case .ok(let view) = result.evidence.steps[2]?.outcome else { return nil }
            return view["pid"]?.string
        }
        #expect(pids.count == 3)
        #expect(Set(pids).count == processes)
        #expect(report.options.contains("--process-per-case") == perCase)
    }

    @Test func `a token on disk and in the log is found however written`() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, accounts]
            expect: [{disk: {lacks: $tokens, after: {step: 2}}}, {log: {lacks: $tokens}}]
            """

        let clean = try await DriverTroubleTests.run("conforming", steps: yaml)
        let leaking = try await DriverTroubleTests.run("leak", steps: yaml)

        #expect(clean.results.first?.judgement.verdict == .pass)
        #expect(
            leaking.results.first?.judgement.reasons.map(\.finding.seen.text) == [
                "token#1 is in store, base64", "token#1 is in stderr, raw",
            ])
    }

    @Test func `a secret in the log is found though the client crashes later and writes much`() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts, accounts]\nexpect: [{step: 3, outcome: ok}, {log: {lacks: $tokens}}]"

        let report = try await DriverTroubleTests.run("leaks-and-crashes", steps: yaml)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .fail)
        #expect(
            judgement.reasons.contains { $0.finding.seen.text.hasPrefix("the client crashed in step 2 (accounts)") }, "\(judgement.reasons)"
        )
        #expect(judgement.reasons.contains { $0.finding.seen.text == "token#1 is in stderr, raw" }, "\(judgement.reasons)")
    }

    @Test func `a token is handed over at the first start and not after a restart`() async throws {
        let yaml = """
            needs: [login]
            steps: [status, login, restart, status]
            expect: [{step: 1, view: {given: "cf_s1_0_0123456789abcdef"}}, {step: 4, view: {given: ""}}]
            """

        let report = try await DriverTroubleTests.run("conforming", steps: yaml, hasLoginCall: false)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func `members at once run in one case`() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, together: [accounts, accounts, release]]
            expect: [{control: 2}, {step: 3, outcome: ok}]
            """

        let report = try await DriverTroubleTests.run("conforming", features: ["together"], steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(report.results.first?.evidence.steps.count == 4)
    }

    @Test(arguments: [[], ["parallel"]])
    func `many cases run at once each with its own name`(features: [String]) async throws {
        let report = try await DriverTroubleTests.run("conforming", features: features, jobs: 4, copies: 12)

        #expect(report.results.map(\.judgement.verdict) == Array(repeating: .pass, count: 12))
        #expect(report.results.map(\.repetition) == Array(1...12))
    }

    @Test func `cases that share a process with one that breaks it are judged alone`() async throws {
        let report = try await DriverTroubleTests.run("crash", features: ["parallel"], jobs: 3, copies: 3)

        #expect(report.results.map(\.judgement.verdict) == [.fail, .fail, .fail])
        #expect(report.results.allSatisfy { $0.judgement.reasons.first?.finding.seen.text.contains("status 139") == true })
    }

    @Test func `the cases beside one that crashes pass alone`() async throws {
        let report = try await DriverTroubleTests.run("crash-in-c2", features: ["parallel"], jobs: 3, copies: 3)

        #expect(report.results.map(\.judgement.verdict) == [.pass, .fail, .pass], "\(report.results.map(\.judgement))")
        #expect(report.results.dropFirst().first?.judgement.reasons.first?.finding.seen.text.contains("status 139") == true)
    }

    @Test func `a case that shows nothing is run once more`() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{control: 2}]"

        let once = try await DriverTroubleTests.run("fails-once", steps: yaml)
        let always = try await DriverTroubleTests.run("conforming", steps: yaml.replacing("control: 2", with: "rejected: 1"))

        #expect(once.results.map(\.judgement) == [Judgement(.pass)])
        #expect(always.results.map(\.judgement.verdict) == [.inconclusive])
    }

    @Test func `a case that is run once more does not share its process`() async throws {
        let report = try await DriverTroubleTests.run(
            "crashes-again-beside-others", features: ["parallel"],
            steps: "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{rejected: 1}]", jobs: 3, copies: 3)

        #expect(report.results.map(\.judgement.verdict) == Array(repeating: .inconclusive, count: 3))
    }

    @Test func `the same instance has the same seed in every run`() async throws {
        let one = try await DriverTroubleTests.run("conforming")
        let two = try await DriverTroubleTests.run("conforming", copies: 2)

        let seeds = (one.results + two.results).map(\.evidence.seed)
        #expect(Set(seeds).count == 1)
        #expect(seeds.first != 0)
    }
}

@Suite struct DriverCommandTests {
    @Test(
        arguments: [
            ("a b  c", ["a", "b", "c"]), ("a 'b c' \"d e\"", ["a", "b c", "d e"]), (#"a\ b "c\"d" 'e\f'"#, ["a b", "c\"d", "e\\f"]),
            ("x'' ''", ["x", ""]), (#"p "$HOME" $(id)"#, ["p", "$HOME", "$(id)"]), (#"p "a\b""#, ["p", "a\\b"]),
        ])
    func `splits by a shell's word rules and expands nothing`(text: String, words: [String]) throws {
        #expect(try DriverCommand(text).words == words)
    }

    @Test func `files among the arguments are looked up from where the program was started`() throws {
        let command = try DriverCommand("python3 -u kits/driver.py /etc/hosts accounts --config=x.json")

        let resolved = command.resolved(in: "/home/a") { $0 == "/home/a/kits/driver.py" || $0 == "/home/a/-u" }

        #expect(resolved.words == ["python3", "-u", "/home/a/kits/driver.py", "/etc/hosts", "accounts", "--config=x.json"])
        #expect(resolved.text == command.text)
    }

    @Test func `an argument that is no file is named if the driver complains of it`() throws {
        let command = try DriverCommand("python3 -u kits/drver.py accounts").resolved(in: "/home/a") { _ in false }

        let expected = "found no file `kits/drver.py` in /home/a, where counterfoil was started"
        #expect(command.missingFile(in: "python3: can't open file '/tmp/run/kits/drver.py'") == expected)
        #expect(command.missingFile(in: "no accounts") == nil)
    }

    @Test(arguments: [
        ("", DriverCommandError.empty), ("  ", .empty), ("a 'b", .openQuote("'")), ("a \"b", .openQuote("\"")), ("a\\", .loneBackslash),
    ])
    func `rejects what is no command line`(text: String, error: DriverCommandError) {
        #expect(throws: error) { try DriverCommand(text) }
    }

    @Test(arguments: [("h2", 1), ("h1", 2)])
    func `the second run of an inconclusive case ends connections of HTTP2 without a word`(
        wireProtocol: String, announced: Int
    ) async throws {
        let steps = "[login, accounts, {connections: cold}, accounts]"
        let given = "given: {protocol: \(wireProtocol)}"
        var endings: [String] = []

        let report = try await DriverTroubleTests.run(
            "silent", features: ["ca", "h2"], steps: "needs: [login, accounts]\n\(given)\nsteps: \(steps)\nexpect: [{control: 2}]",
            endings: { endings = $0 })

        #expect(report.results.map(\.judgement.verdict) == [.inconclusive])
        #expect(endings.count { $0.hasPrefix("announced") } == announced, "\(endings)")
    }
}
