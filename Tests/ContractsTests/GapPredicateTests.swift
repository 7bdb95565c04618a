import BankModel
import Contracts
import Testing

/// How long clients wait between attempts, and how keys are written.
@Suite struct GapPredicateTests {
    /// Attempts under one key each for A and B, with these waits in milliseconds between them.
    private func evidence(_ a: [Int64], _ b: [Int64]) -> Evidence { evidence([a, b]) }

    /// Attempts of each intent in turn, from step 2 on.
    private func evidence(_ intents: [[Int64]]) -> Evidence {
        var evidence = Make.allWell()
        evidence.steps = Make.steps(Dictionary(uniqueKeysWithValues: (1...intents.count + 1).map { ($0, .ok(view: [:])) }))
        evidence.journal = [Make.exchange(1)]
        for (index, waits) in intents.enumerated() {
            let (n, key) = (index + 2, "k\(index)")
            var at = Int64(n * 100 + 10)
            for wait in [0] + waits {
                at += wait * 1_000_000
                evidence.journal.append(Make.exchange(n, seq: evidence.journal.count + 1, at: at, roles: ["pay"], key: key, status: 503))
            }
        }
        return evidence
    }

    private func verdict(_ expectation: String, _ a: [Int64], _ b: [Int64]) throws -> Verdict {
        judge(try #require(Make.paying(expectation)), evidence(a, b)).verdict
    }

    @Test func `waits grow on the average`() throws {
        let grows = "{gap: {role: pay, grows: true}}"

        #expect(try verdict(grows, [100, 200], [100, 190]) == .pass)
        #expect(try verdict(grows, [100, 90], [100, 300]) == .pass)
        #expect(try verdict(grows, [100, 100], [100, 100]) == .fail)
        #expect(try verdict(grows, [200, 100], [200, 150]) == .fail)
        #expect(try verdict(grows, [100], [200]) == .notExercised)
        #expect(try verdict(grows, [], []) == .notExercised)
    }

    @Test func `questions that are answered are no attempts, unless the case is about polling`() throws {
        func verdict(_ waits: [Int64], _ keys: String = ", polls: true", paths: [String] = ["/p1"]) throws -> Verdict {
            var evidence = Make.allWell()
            evidence.journal = [Make.exchange(1)]
            for path in paths {
                var at: Int64 = 210
                for wait in [0] + waits {
                    at += wait * 1_000_000
                    evidence.journal.append(
                        Make.exchange(2, seq: evidence.journal.count + 1, at: at, roles: ["payment_status"], path: path))
                }
            }
            evidence.steps[2]?.ended = 210 + waits.reduce(50) { $0 + $1 * 1_000_000 }
            evidence.steps[3]?.started += 1_000_000_000
            evidence.steps[3]?.ended += 1_000_000_000
            evidence.journal.append(Make.exchange(3, seq: 99, at: 1_000_000_310))
            return judge(try #require(Make.reading("{gap: {role: payment_status, grows: true\(keys)}}")), evidence).verdict
        }

        #expect(try verdict([100, 200], "") == .notExercised)
        #expect(try verdict([100, 200]) == .pass)
        #expect(try verdict([200, 100]) == .fail)
        #expect(try verdict([100]) == .notExercised)
        #expect(try verdict([100, 200], paths: ["/p1", "/p2"]) == .pass, "two payments, each with waits of its own")
        #expect(try verdict([200, 100], paths: ["/p1", "/p2"]) == .fail)
    }

    @Test(arguments: [("/accounts/1", Verdict.fail), ("/accounts/2", .notExercised)])
    func `a request for something else is no second attempt`(path: String, expected: Verdict) throws {
        var evidence = Make.allWell()
        evidence.journal = [
            Make.exchange(1), Make.exchange(2, roles: ["accounts"], status: 429, path: "/accounts/1"),
            Make.exchange(2, seq: 3, at: 230, roles: ["accounts"], path: path), Make.exchange(3, seq: 4),
        ]

        #expect(judge(try #require(Make.reading("{gap: {role: accounts, min: 990ms}}")), evidence).verdict == expected)
    }

    @Test func `first waits vary from intent to intent`() throws {
        let varies = "{gap: {role: pay, varies: true}}"

        #expect(try verdict(varies, [100], [140]) == .pass)
        #expect(try verdict(varies, [100, 200], [101, 400]) == .fail)
        #expect(try verdict(varies, [100], []) == .notExercised)
    }

    /// A busy machine delays one of several retries: that is no random wait.
    @Test(arguments: [
        ([1000, 1003, 1400, 1001], Verdict.fail), ([1000, 1150, 1400, 1001], .pass), ([1000, 1001, 1400], .pass),
        ([700, 1000, 1001, 1002], .pass),
    ])
    func `one long wait of four is not counted`(firsts: [Int64], expected: Verdict) throws {
        let pays = firsts.indices.map { "pay: {intent: I\($0), amount: \"10.00\"}" }.joined(separator: ", ")
        let instance = try #require(
            Make.instances("needs: [login, pay]\nsteps: [login, \(pays)]\nexpect:\n- {gap: {role: pay, varies: true}}").first)

        #expect(judge(instance, evidence(firsts.map { [$0] })).verdict == expected)
    }

    /// A client whose retries are a tenth of its requests soon has none left, and the waits of two payment orders are chance.
    @Test(
        arguments: [
            ("grows", [[185, 161]], Verdict.notExercised), ("grows", Array(repeating: [200, 100], count: 7), .notExercised),
            ("grows", Array(repeating: [200, 100], count: 8), .fail), ("grows", Array(repeating: [100, 200], count: 8), .pass),
            ("varies", Array(repeating: [100], count: 4), .notExercised), ("varies", Array(repeating: [100], count: 5), .fail),
        ] as [(String, [[Int64]], Verdict)])
    func `the random waits of a few payment orders prove nothing`(rule: String, waits: [[Int64]], expected: Verdict) throws {
        let pays = (0..<8).map { "pay: {intent: I\($0), amount: \"10.00\"}" }.joined(separator: ", ")
        let instance = try #require(
            Make.instances("needs: [login, pay]\nsteps: [login, \(pays)]\nexpect:\n- {gap: {role: pay, \(rule): true}}").first)
        let all = waits + Array(repeating: [], count: 8 - waits.count)

        #expect(judge(instance, evidence(all)).verdict == expected)
    }

    @Test func `bounds hold for every wait`() throws {
        #expect(try verdict("{gap: {role: pay, min: 100ms, max: 200ms}}", [150, 200], [100]) == .pass)
        #expect(try verdict("{gap: {role: pay, min: 100ms}}", [150, 90], [100]) == .fail)
        #expect(try verdict("{gap: {role: pay, max: 200ms, grows: true}}", [150, 210], [100]) == .fail)
    }

    @Test func `requests at once are no attempts`() throws {
        let instance = try #require(Make.reading("{gap: {role: accounts, min: 990ms}}"))
        /// Reads at these milliseconds, each answered after 10 ms.
        func verdict(_ times: Int64..., last: Int64? = 10_000, status: Int = 429, affected: Bool = false) -> Verdict {
            judge(
                instance,
                Make.allWell { evidence in
                    evidence.journal += times.enumerated().map { index, at in
                        var read = Make.exchange(3, seq: 10 + index, at: 310 + at * 1_000_000, roles: ["accounts"], status: status)
                        read.fault = affected ? FaultRecord(rule: "rule-1", kind: "truncate", point: "body", applied: true) : nil
                        read.durationMicroseconds = index == times.count - 1 ? last : 10_000
                        return read
                    }
                }
            ).verdict
        }

        #expect(verdict(0, 1) == .notExercised)
        #expect(verdict(0, 1, 1500, 1501) == .pass)
        #expect(verdict(0, 1, 900) == .fail)
        #expect(verdict(0, 20) == .fail)
        #expect(verdict(0, 1001) == .pass)
        // A read after an answered one is not an attempt, however soon it follows.
        #expect(verdict(0, 20, status: 200) == .notExercised)
        #expect(verdict(0, 20, status: 200, affected: true) == .fail)
    }

    @Test func `the interval of polls is counted from request to request`() throws {
        func verdict(_ polls: Bool) throws -> Verdict {
            let instance = try #require(Make.reading("{gap: {role: accounts, min: 490ms, polls: \(polls)}}"))
            let evidence = Make.allWell { evidence in
                evidence.journal += ([0, 500] as [Int64]).enumerated().map { index, at in
                    var poll = Make.exchange(3, seq: 10 + index, at: 310 + at * 1_000_000, roles: ["accounts"], status: 429)
                    poll.durationMicroseconds = 40_000
                    return poll
                }
            }
            return judge(instance, evidence).verdict
        }

        #expect(try verdict(true) == .pass, "a timer that began when the client sent the first one")
        #expect(try verdict(false) == .fail, "a pause begins with the response")
    }

    @Test func `a missing attempt hides no failure`() throws {
        let gap = "{gap: {role: pay, min: 100ms}}"
        let instance = try #require(Make.paying(gap, "{step: 3, outcome: ok}", "{same: [key], within: intent}"))
        var evidence = evidence([], [])

        #expect(judge(instance, evidence).verdict == .notExercised)
        evidence.steps[3]?.outcome = .error("offline", detail: nil)
        #expect(judge(instance, evidence).verdict == .fail)
        #expect(judge(instance, evidence).reasons.map(\.weight) == [.failure, .absent])
    }

    @Test(
        arguments: [
            ("0f4e6a52-9d1c-4b1e-8a55-3c2f7d6b9e01", true, true), ("0F4E6A52-9D1C-4B1E-8A55-3C2F7D6B9E01", true, true),
            ("0f4e6a529d1c4b1e8a553c2f7d6b9e01", true, false), ("order-17", true, false), ("order 17", false, false), ("", false, false),
            (String(repeating: "k", count: 41), false, false), ("schlüssel", false, false),
        ] as [(String, Bool, Bool)])
    func `a key is written as the bank demands`(key: String, isRight: Bool, isUUID: Bool) throws {
        var bank = Make.bank
        let yaml = "needs: [login, pay]\nsteps: [login, pay: {intent: A, amount: \"1.00\"}, status]\nexpect: [{key: {format: well-formed}}]"
        func verdict(_ key: BankFacts.Key, _ text: String?) throws -> Verdict {
            bank.key = key
            let instance = try #require(Make.instances(yaml, on: bank).first)
            return judge(instance, Make.allWell { $0.journal[1] = Make.exchange(2, roles: ["pay"], key: text) }).verdict
        }

        #expect(try verdict(.init(longest: 40), key) == (isRight ? .pass : .fail))
        #expect(try verdict(.init(isUUID: true), key) == (isUUID ? .pass : .fail))
        #expect(try verdict(.init(), nil) == .fail)
    }
}
