import BankModel
import Contracts
import Testing

/// How far apart the first waits of many intents are.
@Suite struct SpreadPredicateTests {
    /// Twelve intents, each with these milliseconds between its two attempts; nil for no second attempt.
    private func judgement(_ waits: [Int64?], percent: Int = 50) throws -> Judgement {
        let pays = (1...12).map { "pay: {intent: I\($0), amount: \"10.00\"}" }.joined(separator: ", ")
        let expectation = "{spread: {role: pay, intents: 10, percent: \(percent)}}"
        let instance = try #require(
            Make.instances("needs: [login, pay]\nsteps: [login, \(pays)]\nexpect:\n- \(expectation)").first)
        var evidence = Make.allWell()
        evidence.steps = Make.steps(Dictionary(uniqueKeysWithValues: (1...13).map { ($0, .ok(view: [:])) }))
        evidence.journal = [Make.exchange(1)]
        for (index, wait) in waits.enumerated() {
            let n = index + 2
            for at in [Int64(n * 100 + 10)] + (wait.map { [Int64(n * 100 + 10) + $0 * 1_000_000] } ?? []) {
                evidence.journal.append(
                    Make.exchange(n, seq: evidence.journal.count + 1, at: at, roles: ["pay"], key: "k\(n)", status: 503))
            }
        }
        return judge(instance, evidence)
    }

    @Test func `waits over the whole range are apart`() throws {
        #expect(try judgement((1...12).map { $0 * 10 }).verdict == .pass)
        // Half of them at once is the bound, and allowed.
        #expect(try judgement([100, 100, 101, 101, 102, 102, 10, 30, 50, 150, 170, 200]).verdict == .pass)
    }

    @Test func `waits that hardly differ are a crowd`() throws {
        let judgement = try judgement((1...12).map { 97 + $0 % 4 })

        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.map(\.seen) == ["12 of 12 first waits of role pay lie between 97ms and 100ms"])
    }

    @Test func `one of two waits is a crowd`() throws {
        #expect(try judgement([100, 100, 100, 100, 100, 100, 100, 200, 200, 200, 200, 200]).verdict == .fail)
        #expect(try judgement([100, 100, 100, 100, 100, 100, 100, 200, 200, 200, 200, 200], percent: 60).verdict == .pass)
    }

    @Test func `too few second attempts say nothing`() throws {
        let few: [Int64?] = Array(repeating: 100, count: 9) + [nil, nil, nil]

        #expect(try judgement(few).verdict == .notExercised)
        #expect(try judgement(Array(repeating: nil, count: 12)).verdict == .notExercised)
    }

    @Test func `a case with fewer intents is complained of`() {
        let found = Make.complaints(
            needs: "[pay]", steps: "[pay: {intent: A, amount: \"1.00\"}]", expect: "[{spread: {role: pay, intents: 10, percent: 50}}]")

        #expect(found.contains { $0.contains("found 1 intent, expected at least the 10") }, "\(found)")
    }
}
