import BankModel
@testable import Contracts
import Testing

/// Nothing repeats without end; checked with journals alone.
@Suite struct BoundRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    static let stories = reads + payments + redirects

    private static func failed(_ ms: Int64, on connection: Int = 1) -> JournalEntry { .read(ms, status: 503, on: connection) }

    private static let reads: [Story] = {
        let rule = "retry.bounded"
        return [
            Story(rule, "a failing read is sent without end", .fail(Array(1...21)), (0..<60).map { failed($0 * 100) }),
            Story(
                rule, "a refused connection is made without end", .fail(Array(1...21)), (0..<30).map { failed($0 * 20, on: Int($0)).lost }),
            Story(rule, "it is given up after some tries", .pass, (0..<6).map { failed($0 * 100) }),
            Story(rule, "an app polls each second while the bank is down", .pass, (0..<120).map { failed($0 * 1_000) }),
            Story(
                rule, "four parts of an app poll the same every two seconds", .pass,
                (0..<40).flatMap { n in
                    (1...4).map { failed(Int64(n) * 2_000 + Int64($0), on: $0) }
                }),
            Story(rule, "every fifth try succeeds", .pass, (0..<60).map { $0 % 5 == 4 ? .read($0 * 100) : failed($0 * 100) }),
            Story(
                rule, "the user types, and each letter cancels the last search", .notExercised,
                (0..<30).map { n in
                    JournalEntry.read(n * 100, path: "/v1/search").with { $0.receipt = Receipt(end: .clientGone) }
                }),
            Story(
                rule, "thirty devices ask the same without a token, once each", .pass,
                (0..<30).map { (n: Int) -> JournalEntry in .read(Int64(n) * 100, nil, status: 503, on: n + 1) }),
            Story(
                rule, "one device asks without a token and without end", .fail(Array(1...21)),
                (0..<30).map { (n: Int) -> JournalEntry in .read(Int64(n) * 100, nil, status: 503) }),
            Story(rule, "nothing fails", .notExercised, [.read(0)]),
        ]
    }()

    private static let payments: [Story] = {
        let rule = "retry.payment-bounded"
        return [
            Story(
                rule, "a failing payment is sent without end", .fail(Array(1...11)),
                (0..<30).map { .pay($0 * 100, "key-a", .internalError) }),
            Story(
                rule, "a key in flight is asked for without end", .fail(Array(1...11)),
                (0..<30).map { .pay($0 * 100, "key-a", .keyInFlight) }),
            Story(
                rule, "each of three attempts is made four times by a proxy", .pass,
                (0..<12).map { (n: Int) -> JournalEntry in
                    JournalEntry.pay(Int64(n / 4) * 2_000 + Int64(n % 4) * 100, "key-a", .internalError).forwarded
                }),
            Story(rule, "it is given up after some tries", .pass, (0..<5).map { .pay($0 * 200, "key-a", .internalError) }),
            Story(rule, "it is tried each hour", .pass, (0..<24).map { .pay($0 * 3_600_000, "key-a", .internalError) }),
            Story(rule, "nothing fails", .notExercised, [.pay(0)]),
        ]
    }()

    private static let redirects: [Story] = {
        let rule = "wire.redirect-loop-bounded"
        /// A redirect to another path of the session.
        func step(_ ms: Int64, _ path: String = "/v1/accounts", to next: String = "/v1/accounts") -> JournalEntry {
            .read(ms, status: 302, path: path, lasts: 1).saying("Location", "http://127.0.0.1:8080/s/a\(next)")
        }
        return [
            Story(rule, "a loop is followed without end", .fail(Array(1...161)), (0..<200).map { step($0 * 2) }),
            Story(
                rule, "a loop of two is followed without end", .fail(Array(1...161)),
                (0..<200).map { n in
                    step(n * 2, n % 2 == 0 ? "/v1/a" : "/v1/b", to: n % 2 == 0 ? "/v1/b" : "/v1/a")
                }),
            Story(rule, "it is given up after fifty steps, twice", .pass, (0..<100).map { step($0 * 2) }),
            Story(
                rule, "a script reads a document that is elsewhere, a thousand times", .pass,
                (0..<1_000).flatMap { n in
                    [step(n * 4, to: "/v1/document"), .read(n * 4 + 2, path: "/v1/document", lasts: 1)]
                }),
            Story(rule, "a picture has not changed", .notExercised, (0..<200).map { .read($0 * 2, status: 304, lasts: 1) }),
            Story(rule, "nothing is elsewhere", .notExercised, [.read(0)]),
        ]
    }()
}

/// The effect of an outage on an app.
@Suite struct OutageEffectTests {
    private func hit(_ entry: JournalEntry, rule: String = "plan-1") -> JournalEntry {
        entry.with { $0.faults = [FaultRecord(rule: rule, kind: "status", point: "request", applied: true)] }
    }

    @Test func `the longest time without a success and the recovery are named`() throws {
        let journal = Story.numbered([
            .read(0), hit(.read(1000, status: 503)), .read(1500), hit(.read(2000, status: 503)), hit(.read(3000, status: 503)),
            .read(4000, status: 401), .read(5000), .read(6000),
        ])

        let effect = try #require(OutageEffect(of: "storm", ["plan-1"], in: journal))

        #expect(effect.affected == 3)
        #expect(effect.longest == OutageEffect.Stretch(since: 4, until: 7, duration: .milliseconds(3010)))
        #expect(effect.recovered == 7)
    }

    @Test func `an app that has not recovered is not reported as recovered`() throws {
        let journal = Story.numbered([.read(0), hit(.read(1000, status: 503)), .read(9000, status: 500)])

        let effect = try #require(OutageEffect(of: "storm", ["plan-1"], in: journal))

        #expect(effect.longest == OutageEffect.Stretch(since: 2, until: nil, duration: .milliseconds(8010)))
        #expect(effect.recovered == nil)
        #expect(OutageEffect(of: "storm", ["plan-2"], in: journal) == nil)
    }

    @Test func `an answer that is only late is one`() throws {
        let late = JournalEntry.read(1000).with {
            $0.faults = [FaultRecord(rule: "plan-1", kind: "delay", point: "head", applied: true)]
        }

        let effect = try #require(OutageEffect(of: "storm", ["plan-1"], in: Story.numbered([late, .read(2000)])))

        #expect(effect.affected == 1)
        #expect(effect.longest == nil)
        #expect(effect.recovered == 1)
    }
}
