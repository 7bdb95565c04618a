import BankClient
import BankModel
import Testing

struct RetryTests {
    @Test func `waits lie between nothing and a ceiling that doubles up to the cap`() {
        let policy = RetryPolicy(attempts: 10, base: .milliseconds(100), cap: .milliseconds(500), budget: .seconds(60))
        func wait(_ attempt: Int, _ chance: Double) -> Duration? {
            policy.wait(after: attempt, elapsed: .zero, retryAfter: nil, chance: chance)
        }

        #expect([1, 2, 3, 4, 9].map { wait($0, 0) } == Array(repeating: .zero, count: 5))
        #expect([1, 2, 3, 4, 9].map { wait($0, 1) } == [100, 200, 400, 500, 500].map { .milliseconds($0) })
        #expect(wait(10, 0) == nil)
    }

    @Test func `the bank's Retry-After is a lower bound, and one beyond the budget is not waited for`() {
        let policy = RetryPolicy(budget: .seconds(3))

        #expect(policy.wait(after: 1, elapsed: .zero, retryAfter: .seconds(2), chance: 0) == .seconds(2))
        #expect(policy.wait(after: 1, elapsed: .seconds(2), retryAfter: .seconds(7), chance: 0) == nil)
        #expect(policy.wait(after: 1, elapsed: .zero, retryAfter: .seconds(1_000_000_000), chance: 0) == nil)
        #expect(policy.wait(after: 1, elapsed: .zero, retryAfter: .seconds(-5), chance: 0) == .zero)
    }

    @Test(
        arguments: [
            ("3", nil, Duration.seconds(3)), ("99999999999999999999999", nil, .seconds(1_000_000_000)),
            ("Sun, 06 Nov 1994 08:49:40 GMT", nil, .seconds(3)),
            ("Sun, 06 Nov 1994 08:49:40 GMT", "Sun, 06 Nov 1994 08:49:35 GMT", .seconds(5)), ("Sun, 06 Nov 1994 08:00:00 GMT", nil, .zero),
            ("soon", nil, nil), ("-1", nil, nil), ("", nil, nil), ("1.5", nil, nil),
        ] as [(String, String?, Duration?)])
    func `Retry-After in both forms, by the bank's own Date`(_ text: String, _ date: String?, _ expected: Duration?) throws {
        var headers: HTTPHeaders = ["Retry-After": text]
        headers["Date"] = date
        let now = try #require(Instant(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT"))

        #expect(RetryAfterHeader.wait(headers, now: now) == expected)
    }

    @Test func `while a key is in flight each wait is at least as long as the one before, for any random numbers`() {
        func wait(_ attempt: Int, _ chance: Double) -> Duration {
            RetryPolicy.inFlight.wait(after: attempt, elapsed: .zero, retryAfter: nil, chance: chance) ?? .zero
        }

        for attempt in 1..<7 { #expect(wait(attempt + 1, 0) >= min(wait(attempt, 1), .seconds(1))) }
        #expect(wait(1, 0) == .milliseconds(100))
        #expect(wait(7, 1) == .seconds(2))
        #expect(wait(8, 0) == .zero)
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", true), ("Sunday, 06-Nov-94 08:49:37 GMT", true), ("Sun Nov  6 08:49:37 1994", true),
            ("Sun Nov 06 08:49:37 1994", true), ("Monday, 06-Nov-94 08:49:37 GMT", false), ("Sun, 06-Nov-94 08:49:37 GMT", false),
            ("Sun Nov  6 08:49:37 1994 GMT", false), ("Sunday, 06-Nov-1994 08:49:37 GMT", false), ("Sun Nov  6 24:49:37 1994", false),
            ("Sunday, 31-Feb-94 08:49:37 GMT", false), ("Sunday, 06-Nov--4 08:49:37 GMT", false), ("", false),
        ])
    func `a date in each of the three forms of RFC 9110 is read, and no other text`(_ text: String, _ isDate: Bool) {
        let expected = isDate ? Instant(rfc3339: "1994-11-06T08:49:37Z") : nil

        #expect(HTTPDate.instant(text, now: Instant(seconds: 1_800_000_000)) == expected)
    }

    @Test func `a year of two digits lies at most 50 years ahead`() {
        let now = Instant(seconds: 1_800_000_000)

        #expect(HTTPDate.instant("Wednesday, 06-Nov-75 08:49:37 GMT", now: now)?.date.year == 2075)
        #expect(HTTPDate.instant("Monday, 06-Nov-78 08:49:37 GMT", now: now)?.date.year == 1978)
    }

    @Test(
        arguments: [
            (ScriptedTransport.Outcome.lost, 3), (.refused, 3), (.problem(503, "maintenance"), 3), (.problem(500, "x"), 3),
            (.problem(404, "x"), 1),
            (.problem(400, "x"), 1), (.json(200, "<"), 1), (.failure(TransportFailure(.tls, "", mayHaveLeft: false)), 1),
        ])
    func `reads are retried if that may help, at most three times`(_ outcome: ScriptedTransport.Outcome, _ expected: Int) async throws {
        let bank = try await Bank { _, _ in outcome }

        _ = await bank.error { try await $0.accounts() }

        #expect(bank.transport.requests.count == expected)
    }

    @Test func `keys are UUIDs of version 4, each another`() {
        let random = RandomSource(SeededGenerator(seed: 7))
        let keys = (0..<100).map { _ in random.uuid() }

        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil })
    }
}
