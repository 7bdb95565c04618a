import BankModel
import Contracts
import Foundation
import Harness
import Testing

/// Steps and preconditions that change the client's environment: kills, damage, cancelling, clocks, addresses; each with a real process.
@Suite(.timeLimit(.minutes(10))) struct EnvironmentStepTests {
    @Test func `a client is killed while its request is held and lives again`() async throws {
        let yaml = """
            needs: [login, status]
            steps: [login, kill: {during: login, at: commit}, status]
            expect: [{control: 1}, {step: 3, view: {signed: "yes"}}]
            """

        let killed = try await DriverTroubleTests.run("holds", steps: yaml)
        let quick = try await DriverTroubleTests.run("conforming", steps: yaml)

        #expect(killed.results.first?.judgement == Judgement(.pass))
        #expect(killed.results.first?.evidence.steps[2]?.outcome == .killed)
        #expect(quick.results.first?.judgement.verdict == .inconclusive)
        #expect(quick.results.first?.judgement.reasons.first?.finding.seen.text.contains("the bank held no request") == true)
    }

    @Test func `a kill that may be missed leaves the operation alone, unless the bank has met its request`() async throws {
        let yaml = """
            needs: [login, status]
            steps: [login, kill: {during: login, at: commit}, status]
            expect: [{control: 1}, {step: 3, view: {signed: "yes"}}]
            """

        let quick = try await DriverTroubleTests.run("conforming", steps: yaml, mayMissKills: true)
        let killed = try await DriverTroubleTests.run("holds", steps: yaml, mayMissKills: true)
        let met = try await DriverTroubleTests.run("delayed-at-second-login", steps: yaml, mayMissKills: true)

        #expect(quick.results.first?.judgement == Judgement(.pass))
        #expect(quick.results.first?.evidence.missedKills == [2])
        #expect(quick.results.first?.instance.allSteps.map { "\($0.action)" } == ["login", "login", "status"])
        #expect(killed.results.first?.judgement == Judgement(.pass))
        #expect(killed.results.first?.evidence.missedKills == [])
        #expect(met.results.first?.judgement.verdict == .inconclusive)
        #expect(met.results.first?.evidence.missedKills == [])
    }

    @Test func `a client that hangs without a request to hold is not killed but fails`() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, kill: {during: login, at: request}]\nexpect: [{control: 1}]"

        let report = try await DriverTroubleTests.run("hangs-at-second-login", steps: yaml)

        #expect(report.results.first?.judgement.verdict == .fail)
        #expect(report.results.first?.judgement.reasons.first?.finding.seen.text.contains("hung in step 2 (login)") == true)
    }

    @Test func `damage reaches every file while no process is there`() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, disk: damage, status]\nexpect: [{step: 3, view: {signed: \"#es\"}}]"
        let nothing = "needs: [login, status]\nsteps: [disk: damage, login]\nexpect: [{step: 2, outcome: ok}]"

        let damaged = try await DriverTroubleTests.run("conforming", steps: yaml)
        let empty = try await DriverTroubleTests.run("conforming", steps: nothing)

        #expect(damaged.results.first?.judgement == Judgement(.pass))
        #expect(empty.results.first?.judgement.verdict == .notExercised)
    }

    @Test func `a member under way is cancelled`() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, together: [accounts, cancel: 2]]\nexpect: [{step: 2, error: cancelled}]"

        let report = try await DriverTroubleTests.run("waits-for-cancel", features: ["together", "cancel"], steps: yaml)
        let without = try await DriverTroubleTests.run("waits-for-cancel", features: ["together"], steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(without.results.first?.judgement.verdict == .unsupported)
    }

    @Test func `a member is cancelled only when the bank holds the request that a fault is for`() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, fault: hang, together: [accounts, cancel: 3]]
            expect: [{step: 3, error: cancelled}]
            """

        let report = try await DriverTroubleTests.run("held-after-another", features: ["together", "cancel"], steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test(arguments: [
        ("h1", "[login, accounts, wait: 1ms, connections: cold, connections: cold, accounts]", [2, 2], [0]),
        // A connection of HTTP/2 carries them all, and later requests need one that is kept here.
        ("h2", "[login, accounts, wait: 1ms, connections: cold, connections: cold, accounts]", [2, 2], [1]),
        ("h1", "[login, connections: warm, accounts, connections: cold, login, accounts, connections: cold]", [3, 5], [2, 3]),
        ("h1", "[login, {fault: hang, on: {connection: warm}}, accounts, connections: cold]", [2], [1]),
    ])
    func `responses announce the end of their connection before a case ends all`(
        wireProtocol: String, steps: String, ended: [Int], announced: [Int]
    ) async throws {
        let yaml = "needs: [login, accounts]\ngiven: {protocol: \(wireProtocol)}\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]"
        var endings: [String] = []

        _ = try await DriverTroubleTests.run("conforming", features: ["ca", "h2"], steps: yaml, endings: { endings = $0 })

        #expect(endings.filter { $0.hasPrefix("ended") } == ended.map { "ended after \($0)" })
        #expect(endings.filter { $0.hasPrefix("announced") } == announced.map { "announced after \($0)" })
    }

    @Test func `a client with a clock receives the session's now with every step`() async throws {
        let yaml = """
            needs: [login, status]
            given: {clock: {now: "2026-03-29T00:30:00Z", mode: frozen}}
            steps: [login, status, advance: 16m, status]
            expect: [{step: 2, view: {now: "2026-03-29T00:30:00.000Z"}}, {step: 4, view: {now: "2026-03-29T00:46:00.000Z"}}]
            """

        let report = try await DriverTroubleTests.run("conforming", features: ["clock"], steps: yaml)
        let without = try await DriverTroubleTests.run("conforming", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(without.results.first?.judgement.verdict == .unsupported)
    }

    @Test func `a device whose clock is off receives its own now until the clock is set right`() async throws {
        let yaml = """
            needs: [login, status]
            given: {clock: {now: "2026-03-29T00:30:00Z", mode: frozen}}
            steps: [login, device_clock: 1h, status, advance: 1m, device_clock: -1h, status, device_clock: 0s, status]
            expect:
            - {step: 3, view: {now: "2026-03-29T01:30:00.000Z"}}
            - {step: 6, view: {now: "2026-03-28T23:31:00.000Z"}}
            - {step: 8, view: {now: "2026-03-29T00:31:00.000Z"}}
            """

        let report = try await DriverTroubleTests.run("conforming", features: ["clock"], steps: yaml)
        let without = try await DriverTroubleTests.run(
            "conforming", steps: yaml.replacing("given: {clock: {now: \"2026-03-29T00:30:00Z\", mode: frozen}}", with: ""))

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(without.results.first?.judgement.verdict == .unsupported)
    }

    @Test(arguments: [
        ("unresolvable", "http://no-such-bank.invalid"), ("session", "http://127.0.0.1:1"), ("refused", "http://127.0.0.1:1"),
    ])
    func `a client receives the address that the case gives`(given: String, address: String) async throws {
        let yaml = "needs: [status]\ngiven: {base_url: \(given)}\nsteps: [status]\nexpect: [{step: 1, view: {base: \"\(address)\"}}]"

        let report = try await DriverTroubleTests.run("conforming", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func `files with a token open to others are found unless a folder shuts them off`() async throws {
        let yaml = "needs: [login]\nsteps: [login]\nexpect: [{disk: {mode: \"0600\"}}]"

        let shut = try await DriverTroubleTests.run("shut-file", steps: yaml)
        let open = try await DriverTroubleTests.run("open-file", steps: yaml)

        #expect(shut.results.first?.judgement == Judgement(.pass))
        #expect(
            open.results.first?.judgement.reasons.map(\.finding.seen.text) == ["the file signed, which holds a secret, has the mode 0640"])
    }

    @Test func `sensitive data is found on disk`() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{disk: {lacks: $data}}]"

        let clean = try await DriverTroubleTests.run("conforming", steps: yaml)
        let leaking = try await DriverTroubleTests.run("leak-data", steps: yaml)

        #expect(clean.results.first?.judgement == Judgement(.pass))
        #expect(leaking.results.first?.judgement.reasons.map(\.finding.seen.text) == ["description#1 is in kept/cache, raw"])
    }

    @Test func `a run ends at the first failure that counts if an option demands it`() async throws {
        let all = try await DriverTroubleTests.run("falsifier", copies: 4)
        let first = try await DriverTroubleTests.run("falsifier", copies: 4, failFast: true)
        let good = try await DriverTroubleTests.run("conforming", copies: 4, failFast: true)

        #expect(all.results.count == 4)
        #expect(first.results.count == 1)
        #expect(good.results.count == 4)
    }
}
