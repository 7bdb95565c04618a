import BankModel
import Contracts
import Foundation
import Harness
import Testing

/// Steps and givens that change the client's world: death, damage, cancelling, clocks, addresses; each with a real process.
@Suite(.timeLimit(.minutes(10))) struct WorldStepTests {
    @Test func client_is_killed_while_its_request_is_held_and_lives_again() async throws {
        let yaml = """
            needs: [login, status]
            steps: [login, kill: {during: login, at: commit}, status]
            expect: [{control: 1}, {step: 3, view: {signed: "yes"}}]
            """

        let killed = try await DriverTroubleTests.run("holds", steps: yaml)
        let quick = try await DriverTroubleTests.run("honest", steps: yaml)

        #expect(killed.results.first?.judgement == Judgement(.pass))
        #expect(killed.results.first?.evidence.steps[2]?.outcome == .killed)
        #expect(quick.results.first?.judgement.verdict == .inconclusive)
        #expect(quick.results.first?.judgement.reasons.first?.finding.seen.text.contains("the bank held no request") == true)
    }

    @Test func client_that_hangs_without_a_request_to_hold_is_not_killed_but_fails() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, kill: {during: login, at: request}]\nexpect: [{control: 1}]"

        let report = try await DriverTroubleTests.run("hangs-at-second-login", steps: yaml)

        #expect(report.results.first?.judgement.verdict == .fail)
        #expect(report.results.first?.judgement.reasons.first?.finding.seen.text.contains("hung in step 2 (login)") == true)
    }

    @Test func damage_reaches_every_file_while_no_process_is_there() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, disk: damage, status]\nexpect: [{step: 3, view: {signed: \"#es\"}}]"
        let nothing = "needs: [login, status]\nsteps: [disk: damage, login]\nexpect: [{step: 2, outcome: ok}]"

        let damaged = try await DriverTroubleTests.run("honest", steps: yaml)
        let empty = try await DriverTroubleTests.run("honest", steps: nothing)

        #expect(damaged.results.first?.judgement == Judgement(.pass))
        #expect(empty.results.first?.judgement.verdict == .notExercised)
    }

    @Test func member_under_way_is_cancelled() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, together: [accounts, cancel: 2]]\nexpect: [{step: 2, error: cancelled}]"

        let report = try await DriverTroubleTests.run("waits-for-cancel", features: ["together", "cancel"], steps: yaml)
        let without = try await DriverTroubleTests.run("waits-for-cancel", features: ["together"], steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(without.results.first?.judgement.verdict == .unsupported)
    }

    @Test func member_is_cancelled_only_when_the_bank_holds_the_request_that_a_fault_is_for() async throws {
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

        _ = try await DriverTroubleTests.run("honest", features: ["ca", "h2"], steps: yaml, endings: { endings = $0 })

        #expect(endings.filter { $0.hasPrefix("ended") } == ended.map { "ended after \($0)" })
        #expect(endings.filter { $0.hasPrefix("announced") } == announced.map { "announced after \($0)" })
    }

    @Test func client_with_a_clock_is_told_the_sessions_now_with_every_step() async throws {
        let yaml = """
            needs: [login, status]
            given: {clock: {now: "2026-03-29T00:30:00Z", mode: frozen}}
            steps: [login, status, advance: 16m, status]
            expect: [{step: 2, view: {now: "2026-03-29T00:30:00.000Z"}}, {step: 4, view: {now: "2026-03-29T00:46:00.000Z"}}]
            """

        let report = try await DriverTroubleTests.run("honest", features: ["clock"], steps: yaml)
        let without = try await DriverTroubleTests.run("honest", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(without.results.first?.judgement.verdict == .unsupported)
    }

    @Test func device_whose_clock_is_off_is_told_its_own_now_until_the_clock_is_set_right() async throws {
        let yaml = """
            needs: [login, status]
            given: {clock: {now: "2026-03-29T00:30:00Z", mode: frozen}}
            steps: [login, device_clock: 1h, status, advance: 1m, device_clock: -1h, status, device_clock: 0s, status]
            expect:
            - {step: 3, view: {now: "2026-03-29T01:30:00.000Z"}}
            - {step: 6, view: {now: "2026-03-28T23:31:00.000Z"}}
            - {step: 8, view: {now: "2026-03-29T00:31:00.000Z"}}
            """

        let report = try await DriverTroubleTests.run("honest", features: ["clock"], steps: yaml)
        let without = try await DriverTroubleTests.run(
            "honest", steps: yaml.replacing("given: {clock: {now: \"2026-03-29T00:30:00Z\", mode: frozen}}", with: ""))

        #expect(report.results.first?.judgement == Judgement(.pass))
        #expect(without.results.first?.judgement.verdict == .unsupported)
    }

    @Test(arguments: [
        ("unresolvable", "http://no-such-bank.invalid"), ("session", "http://127.0.0.1:1"), ("refused", "http://127.0.0.1:1"),
    ])
    func client_is_told_the_address_that_the_case_gives(given: String, address: String) async throws {
        let yaml = "needs: [status]\ngiven: {base_url: \(given)}\nsteps: [status]\nexpect: [{step: 1, view: {base: \"\(address)\"}}]"

        let report = try await DriverTroubleTests.run("honest", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func files_with_a_token_open_to_others_are_found_unless_a_folder_shuts_them_off() async throws {
        let yaml = "needs: [login]\nsteps: [login]\nexpect: [{disk: {mode: \"0600\"}}]"

        let shut = try await DriverTroubleTests.run("shut-file", steps: yaml)
        let open = try await DriverTroubleTests.run("open-file", steps: yaml)

        #expect(shut.results.first?.judgement == Judgement(.pass))
        #expect(
            open.results.first?.judgement.reasons.map(\.finding.seen.text) == ["the file signed, which holds a secret, has the mode 0640"])
    }

    @Test func sensitive_data_is_found_on_disk() async throws {
        let yaml = "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{disk: {lacks: $data}}]"

        let clean = try await DriverTroubleTests.run("honest", steps: yaml)
        let leaking = try await DriverTroubleTests.run("leak-data", steps: yaml)

        #expect(clean.results.first?.judgement == Judgement(.pass))
        #expect(leaking.results.first?.judgement.reasons.map(\.finding.seen.text) == ["description#1 is in kept/cache, raw"])
    }

    @Test func run_ends_at_the_first_failure_that_counts_if_it_is_told_to() async throws {
        let all = try await DriverTroubleTests.run("liar", copies: 4)
        let first = try await DriverTroubleTests.run("liar", copies: 4, failFast: true)
        let good = try await DriverTroubleTests.run("honest", copies: 4, failFast: true)

        #expect(all.results.count == 4)
        #expect(first.results.count == 1)
        #expect(good.results.count == 4)
    }
}
