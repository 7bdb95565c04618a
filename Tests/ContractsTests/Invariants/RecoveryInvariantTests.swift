import BankModel
import Contracts
import Testing

/// After the last fault a client works again, as far as a run can show it.
@Suite struct RecoveryInvariantTests {
    private static let rule = "{fault: close, on: {role: accounts}}"

    /// A case with these steps after a fault that ended in step 4.
    private static func instance(_ later: String, end: String = "{fault: stop}", given: String = "{}") -> Instance? {
        Make.instances(
            "needs: [login, accounts, pay]\ngiven: \(given)\nsteps: [login, \(rule), accounts, \(end), \(later)]\nexpect: [{step: 1, outcome: ok}]"
        ).first
    }

    private static let pays =
        "login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: A, amount: \"10.00\"}, pay: {intent: A, amount: \"10.00\"}"

    /// What came of the steps 5, 6, 7 and 8, each with an exchange that the bank answered soon.
    private static func evidence(
        _ outcomes: [StepOutcome], roles: [String] = ["login", "pay", "pay", "pay"], status: Int = 201,
        _ changes: (inout Evidence) -> Void = { _ in }
    ) -> Evidence {
        var steps: [Int: StepOutcome] = [1: .ok(view: [:]), 2: .done, 3: .error("offline", detail: nil), 4: .done]
        for (index, outcome) in outcomes.enumerated() { steps[5 + index] = outcome }
        let later = outcomes.indices.map { index in
            Make.exchange(
                5 + index, roles: [roles[index]], token: roles[index] == "login" ? nil : "token#1", status: index == 0 ? 200 : status)
        }
        var evidence = Evidence(steps: Make.steps(steps), journal: [Make.exchange(1, roles: ["login"], token: nil)] + later)
        changes(&evidence)
        return evidence
    }

    private static let fails: [StepOutcome] = [.ok(view: [:])] + Array(repeating: .error("offline", detail: nil), count: 3)

    private static func broken(_ instance: Instance?, _ evidence: Evidence) throws -> [String] {
        try Make.broken(instance, evidence).filter { $0.hasPrefix("recovers") }
    }

    @Test func `three failed tries of a payment order are reported`() throws {
        #expect(
            try Self.broken(Self.instance(Self.pays), Self.evidence(Self.fails)) == [
                "recovers: steps 6, 7, 8 (pay) ended with offline, although step 4 had ended the last fault"
            ])
    }

    @Test func `three failed sign-ins are reported`() throws {
        let signIns = Array(repeating: StepOutcome.error("decode", detail: nil), count: 3)
        let evidence = Self.evidence(signIns, roles: ["login", "login", "login"], status: 200)

        #expect(
            try Self.broken(Self.instance("login, login, login"), evidence) == [
                "recovers: steps 5, 6, 7 (login) ended with decode, although step 4 had ended the last fault"
            ])
    }

    @Test func `one success in three is enough, and is counted`() throws {
        let evidence = Self.evidence([.ok(view: [:]), .error("offline", detail: nil), .error("offline", detail: nil), .ok(view: [:])])

        #expect(try Self.broken(Self.instance(Self.pays), evidence).isEmpty)
        #expect(try Make.held(Self.instance(Self.pays), evidence).contains("recovers"))
    }

    @Test(arguments: ["{fault: {lose-reply: {by: close}}}", "{device_clock: 1h}"])
    func `it does not apply while something is wrong`(end: String) throws {
        #expect(try Self.broken(Self.instance(Self.pays, end: end), Self.evidence(Self.fails)).isEmpty)
    }

    @Test func `it does not apply where something else explains the failures`() throws {
        let instance = Self.instance(Self.pays)
        let rejected = Self.evidence(Self.fails, status: 422)
        let failed = Self.evidence(Self.fails, status: 503)
        let told = Self.evidence(Self.fails) { $0.journal[0].responseHeaders = [JournalEntry.Header("Retry-After", "120")] }
        let twice = Self.evidence(Array(Self.fails.prefix(3)))
        let byRight = Self.evidence([Self.fails[0]] + Array(repeating: .error("rejected", detail: nil), count: 3))
        let signedOut = Self.evidence([.error("unauthorized", detail: nil)] + Self.fails.dropFirst())

        for evidence in [rejected, failed, told, twice, byRight, signedOut] { #expect(try Self.broken(instance, evidence).isEmpty) }
    }

    @Test func `a client that sends nothing may have stopped for a while after three failures, and not before`() throws {
        let silent = Self.evidence(Self.fails) { $0.journal.removeLast(3) }
        let first = "pay: {intent: B, amount: \"1.00\"}, "
        let before = Make.instances(
            "needs: [login, pay]\nsteps: [login, \(first)\(first)\(first){fault: close}, {fault: stop}, \(Self.pays)]\nexpect: [{step: 1, outcome: ok}]"
        ).first
        let offline = StepOutcome.error("offline", detail: nil)
        let steps: [Int: StepOutcome] = [
            1: .ok(view: [:]), 2: offline, 3: offline, 4: offline, 5: .done, 6: .done, 7: .ok(view: [:]), 8: offline, 9: offline,
            10: offline,
        ]
        let signIns = [1, 7].map { Make.exchange($0, roles: ["login"], token: nil) }

        #expect(try Self.broken(Self.instance(Self.pays), silent).count == 1)
        #expect(try Self.broken(before, Evidence(steps: Make.steps(steps), journal: signIns)).isEmpty)
    }

    @Test func `a client may send nothing for a moment after a port was closed`() throws {
        let steps = "[login, {fault: refuse}, accounts, {fault: stop}, \(Self.pays)]"
        let closed = Make.instances("needs: [login, accounts, pay]\nsteps: \(steps)\nexpect: [{step: 1, outcome: ok}]").first
        let rule = try #require(Make.rule("{fault: refuse}", step: 2))
        let silent = Self.evidence(Self.fails) {
            $0.journal.removeLast(3)
            $0.rules = [rule]
        }

        #expect(try Self.broken(closed, silent).isEmpty)
    }

    @Test(arguments: ["{advance: 2m}", "restart"])
    func `a client that sends nothing when time has passed, or when it was restarted, is reported`(pause: String) throws {
        let later = "\(pause), \(Self.pays)"
        let failed = (1...3).map { (n: Int) in Make.exchange(3, seq: 20 + n, at: 310 + Int64(n), roles: ["accounts"], status: 503) }
        let login = Make.exchange(5, roles: ["login"], token: nil)
        let atOnce = Self.evidence(Self.fails) { $0.journal = [Make.exchange(1, roles: ["login"], token: nil)] + failed + [login] }
        var waited = atOnce
        waited.steps = Make.steps([
            1: .ok(view: [:]), 2: .done, 3: .error("offline", detail: nil), 4: .done, 5: .done, 6: .ok(view: [:]),
            7: .error("offline", detail: nil), 8: .error("offline", detail: nil), 9: .error("offline", detail: nil),
        ])
        waited.journal[4] = Make.exchange(6, roles: ["login"], token: nil)
        waited.journal[4].receipt = Receipt(headBytes: 9, end: .kept)

        #expect(try Self.broken(Self.instance(Self.pays), atOnce).isEmpty)
        #expect(try Self.broken(Self.instance(later), waited).count == 1)
    }

    @Test(arguments: [("HEAD", true), ("GET", false)])
    func `a client that sends nothing for a moment may probe the bank`(method: String, mayPause: Bool) throws {
        let failed = (1...3).map { (n: Int) in Make.exchange(3, seq: 20 + n, at: 310 + Int64(n), roles: ["accounts"], status: 503) }
        let evidence = Self.evidence(Self.fails) {
            var probe = Make.exchange(6, roles: ["atms"], token: nil)
            probe.method = method
            $0.journal = [Make.exchange(1, roles: ["login"], token: nil)] + failed
            $0.journal += [Make.exchange(5, roles: ["login"], token: nil), probe]
        }

        #expect(try Self.broken(Self.instance(Self.pays), evidence).isEmpty == mayPause)
    }
}
