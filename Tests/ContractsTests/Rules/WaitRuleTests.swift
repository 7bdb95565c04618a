import BankModel
import Contracts
import Testing

/// Rules on `Retry-After`, judged from journals alone.
@Suite struct WaitRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    static let stories: [Story] =
        reads("retry.after-429-seconds", 429, "5") + reads("retry.after-429-http-date", 429, date)
        + reads("retry.maintenance-honoured", 503, "5") + reads("retry.maintenance-honoured", 503, date)
        + payments("retry.payment-after-429-seconds", 429, "5") + payments("retry.payment-after-429-http-date", 429, date)
        + payments("retry.payment-maintenance-honoured", 503, "5") + absurd + dates

    /// Six seconds after the journals' beginning.
    private static let date = "Fri, 15 Jan 2027 08:00:06 GMT"

    private static func limited(_ status: Int, _ wait: String) -> JournalEntry {
        .read(0, status: status).saying("Retry-After", wait)
    }

    private static func reads(_ rule: String, _ status: Int, _ wait: String) -> [Story] {
        let limited = limited(status, wait)
        return [
            Story(rule, "it comes a second later", .fail([1, 2]), [limited, .read(1_000)]),
            Story(
                rule, "it comes a second later, with a renewed token and after another account", .fail([2, 5]),
                [
                    .refresh(-500, sends: "refresh#9", gives: 1), limited, .refresh(300), .read(600, path: "/v1/accounts/2"),
                    .read(1_000, "token#2"),
                ]),
            Story(
                rule, "another customer's token is renewed meanwhile, and they ask for the same", .undecided([2, 4]),
                [
                    .refresh(-500, sends: "refresh#9", gives: 1), limited, .refresh(300, sends: "refresh#7", gives: 8, on: 2),
                    .read(800, "token#8", on: 2),
                ]),
            Story(
                rule, "another customer signs in meanwhile, and asks for the same", .undecided([1, 3]),
                [limited, .login(500, gives: "token#2", on: 2), .read(800, "token#2", on: 2)]),
            Story(
                rule, "another customer asks for the same, whose sign-in was not recorded", .undecided([1, 2]),
                [limited, .read(800, "token#2", on: 2)]),
            Story(
                rule, "another device of the customer asks for the same", .undecided([2, 3]),
                [.read(-1_000, "token#2", on: 2), limited, .read(900, "token#2", on: 2)]),
            Story(
                rule, "another device asks for the same without a token", .undecided([1, 2]),
                [
                    limited.with { ($0.token, $0.customer) = (nil, nil) }, .read(900, nil, on: 2),
                ]),
            Story(
                rule, "a proxy tries again by itself", .undecided([1, 2]),
                [limited.forwarded, JournalEntry.read(300).forwarded, JournalEntry.read(6_100).forwarded]),
            Story(rule, "the user reloads two seconds later", .undecided([1, 2]), [limited, .read(2_000)]),
            Story(rule, "the user reloads on a new connection, four seconds later", .undecided([1, 2]), [limited, .read(4_000, on: 2)]),
            Story(rule, "the user opens another account", .undecided([1, 2]), [limited, .read(1_000, path: "/v1/accounts/2")]),
            Story(
                rule, "the user reloads, and the program repeats that at once", .fail([2, 3]),
                [limited, limited.with { ($0.monoNanoseconds, $0.at, $0.connection) = moved($0, 3_000, 1) }, .read(3_400)]),
            Story(
                rule, "it comes three times within milliseconds, each on a new connection", .undecided([1, 2, 3]),
                (0..<3).map { n in limited.with { ($0.monoNanoseconds, $0.at, $0.connection) = moved($0, n * 40, Int(n) + 1) } }),
            Story(
                rule, "the same, and again when the time is over", .undecided([1, 2]), [limited, .read(40, on: 2), .read(6_200)]),
            Story(rule, "it comes when the time is over", .pass, [limited, .read(6_100)]),
            Story(rule, "it was read twice at once", .pass, [limited, .read(3, on: 2), .read(6_100)]),
            Story(
                rule, "the session clock was advanced", wait == date ? .notExercised : .pass,
                [
                    limited, .read(1_000).with { $0.at = Instant(nanoseconds: $0.at.nanoseconds + 60_000_000_000) },
                ]),
            Story(
                rule, "the session clock went from one end of time to the other", wait == date ? .notExercised : .pass,
                [
                    limited.with { $0.at = Instant(nanoseconds: Int64.min) },
                    .read(1_000).with { $0.at = Instant(nanoseconds: Int64.max / 2) },
                ]),
            Story(
                rule, "something else is asked for", .pass,
                [
                    limited, .exchange(500, "GET", "/v1/atms", "atms", [.atms]), .login(1_000, gives: "token#2"),
                ]),
            Story(rule, "another user comes", .pass, [limited, .read(1_000, "token#2").with { $0.customer = "ben" }]),
            Story(rule, "the bank did not say how long", .notExercised, [.read(0, status: status), .read(1_000)]),
            Story(rule, "its Retry-After is invalid", .notExercised, [Self.limited(status, "soon"), .read(1_000)]),
            Story(rule, "no response asks to wait", .notExercised, [.read(0), .read(100)]),
        ]
    }

    /// A copy of an entry, `ms` milliseconds later on another connection.
    private static func moved(_ entry: JournalEntry, _ ms: Int64, _ connection: Int) -> (Int64, Instant, Int) {
        let nanoseconds = ms * 1_000_000
        return (entry.monoNanoseconds + nanoseconds, Instant(nanoseconds: entry.at.nanoseconds + nanoseconds), connection)
    }

    private static func payments(_ rule: String, _ status: Int, _ wait: String) -> [Story] {
        let limited = JournalEntry.pay(0, status: status).saying("Retry-After", wait)
        return [
            Story(rule, "it comes a second later", .fail([1, 2]), [limited, .pay(1_000)]),
            Story(rule, "the user taps again two seconds later", .undecided([1, 2]), [limited, .pay(2_000)]),
            Story(
                rule, "it comes so soon on another connection that it may have been under way", .undecided([1, 2]),
                [limited, .pay(40, on: 2)]),
            Story(rule, "it comes when the time is over", .pass, [limited, .pay(6_100)]),
            Story(rule, "the user pays something else meanwhile", .pass, [limited, .pay(3_000, "key-b", body: "6.00")]),
            Story(rule, "the user reads meanwhile", .pass, [limited, .read(500)]),
            Story(rule, "the response to a read asks to wait", .notExercised, [Self.limited(status, wait), .pay(1_000)]),
            Story(rule, "no response to a payment asks to wait", .notExercised, [.pay(0)]),
        ]
    }

    /// More than anybody waits for.
    private static let absurd: [Story] = ["86400", "99999999999999999999999"].flatMap { seconds in
        [
            Story("retry.after-429-seconds", "a day is cut short", .fail([1, 2]), [limited(429, seconds), .read(900)]),
            Story("retry.after-429-seconds", "the user asks again the next time", .pass, [limited(429, seconds), .read(4_000_000)]),
        ]
    }

    private static let dates: [Story] = [
        Story(
            "retry.after-429-http-date", "the header Date was wrong", .notExercised,
            [
                limited(429, date).with { $0.faults = [FaultRecord(rule: "rule-1", kind: "date-skew", point: "head", applied: true)] },
                .read(1_000),
            ]),
        Story(
            "retry.after-429-http-date", "the clock of the journal is behind the bank's, by which the time is over", .pass,
            [limited(429, date).saying("Date", date), .read(900)]),
        Story(
            "retry.after-429-http-date", "by the bank's clock, too, it comes too early", .fail([1, 2]),
            [limited(429, date).saying("Date", "Fri, 15 Jan 2027 08:00:02 GMT"), .read(900)]),
        Story("retry.after-429-http-date", "the time is over already", .pass, [limited(429, "Fri, 15 Jan 2027 07:59:00 GMT"), .read(100)]),
        Story("retry.after-429-seconds", "none at all", .notExercised, [limited(429, "0"), .read(100)]),
    ]
}
