import BankModel
import Contracts
import Testing

/// Rules on permanent rejections, judged from journals alone.
@Suite struct RejectionRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    static let stories = final + otherHeads + large + mismatch + reads

    private static let final: [Story] = {
        let rule = "pay.final-refusal-not-retried"
        let rejected = JournalEntry.pay(0, "key-a", .insufficientFunds)
        return [
            Story(rule, "it is sent again at once", .fail([1, 2]), [rejected, .pay(200, "key-a", .insufficientFunds)]),
            Story(
                rule, "it is sent again at once, the second time", .fail([2, 3]),
                [
                    rejected, .pay(60_000, "key-a", .insufficientFunds), .pay(60_200, "key-a", .insufficientFunds),
                ]),
            Story(
                rule, "it is sent three times within milliseconds, each on a new connection", .undecided([1, 2, 3]),
                (0..<3).map { .pay($0 * 40, "key-a", .insufficientFunds, on: Int($0) + 1) }),
            Story(
                rule, "it is sent again at once, in another encoding", .fail([1, 2]),
                [
                    .pay(0, "key-a", .insufficientFunds, body: #"{"amount": "5.00", "to": "lark"}"#),
                    .pay(200, "key-a", .insufficientFunds, body: #"{"to":"lark","amount":"5.00"}"#),
                ]),
            Story(
                rule, "it is sent three times within 155 ms, each under a new key", .fail([1, 2]),
                [rejected, .pay(70, "key-b", .insufficientFunds), .pay(145, "key-c", .insufficientFunds)]),
            Story(
                rule, "it comes under a new key so soon on another connection that it may have been under way", .undecided([1, 2]),
                [rejected, .pay(70, "key-b", .insufficientFunds, on: 2)]),
            Story(
                rule, "a script pays the same twice whatever happens", .undecided([1, 2]),
                [rejected, .pay(70, "key-b", .insufficientFunds), .pay(9_000, "key-c"), .pay(9_070, "key-d")]),
            Story(
                rule, "two payments for the same came before it, and both come again", .pass,
                [.pay(0, "key-b"), rejected.with { $0.monoNanoseconds = 20_000_000 }, .pay(90, "key-b")]),
            Story(rule, "the user pays the same under a new key, two seconds later", .pass, [rejected, .pay(2_000, "key-b")]),
            Story(
                rule, "the key was no UUID, and a new one is sent", .pass,
                [.pay(0, "key-a", .badRequest), .pay(70, "key-b")]),
            Story(
                rule, "a test pays money in and then pays at once under a new key", .pass, [rejected, .pay(70, "key-b")]),
            Story(
                rule, "a fault rejected it, and it is sent again at once", .fail([1, 2]), [rejected.byFault, .pay(70, "key-b")]),
            Story(
                rule, "its media type was wrong, and it comes with another", .pass,
                [
                    typed(.pay(0, status: 415), "application/vnd.bank+json"), typed(.pay(70, status: 415), "application/json"),
                ]),
            Story(
                rule, "its media type was wrong, and it comes with the same", .fail([1, 2]),
                [
                    typed(.pay(0, status: 415), "application/json"), typed(.pay(70, status: 415), "application/json"),
                ]),
            Story(
                rule, "the payee is not there yet", .notExercised,
                [.pay(0, "key-a", status: 404), .pay(300, "key-a", status: 404), .pay(700, "key-a")]),
            Story(rule, "it is reported", .pass, [rejected, .read(200)]),
            Story(rule, "the user pays money in and asks again", .pass, [rejected, .pay(60_000)]),
            Story(rule, "a double tap sent it twice at once", .pass, [rejected, .pay(3, "key-a", .keyInFlight, on: 2)]),
            Story(rule, "the token was rejected", .notExercised, [.pay(0, "key-a", .tokenRejected), .pay(200, token: "token#2")]),
            Story(rule, "nothing is rejected", .notExercised, [.pay(0)]),
        ]
    }()

    private static func typed(_ payment: JournalEntry, _ type: String) -> JournalEntry {
        payment.with { $0.requestHeaders = [JournalEntry.Header("Content-Type", type)] }
    }

    /// After these a client may repeat the same content with another head, on another connection, or once a lock has ended.
    private static let otherHeads: [Story] = [406, 407, 411, 412, 416, 417, 421, 423, 424, 426, 428, 431].map { (status: Int) in
        Story(
            "pay.final-refusal-not-retried", "it comes again with another head after \(status)", .notExercised,
            [.pay(0, "key-a", status: status), .pay(70, "key-a")])
    }

    private static let large: [Story] = [
        Story(
            "pay.final-refusal-not-retried", "the bank takes no large request for a moment", .notExercised,
            [JournalEntry.pay(0, "key-a", status: 413).saying("Retry-After", "0"), .pay(70, "key-a")]),
        Story(
            "pay.final-refusal-not-retried", "the bank asks for it again later", .notExercised,
            [JournalEntry.pay(0, "key-a", status: 422).saying("Retry-After", "1"), .pay(1_050, "key-a")]),
        Story(
            "pay.final-refusal-not-retried", "it is too large, and is sent again at once", .fail([1, 2]),
            [.pay(0, "key-a", status: 413), .pay(70, "key-a", status: 413)]),
    ]

    private static let mismatch: [Story] = {
        let rule = "pay.mismatch-not-retried"
        let rejected = JournalEntry.pay(0, "key-a", .keyMismatch)
        return [
            Story(rule, "the same is sent again", .fail([1, 2]), [rejected, .pay(400, "key-a", .keyMismatch)]),
            Story(
                rule, "the user sends the same again later", .undecided([1, 2]), [rejected, .pay(60_000, "key-a", .keyMismatch)]),
            Story(rule, "the same comes at once under a key of its own", .pass, [rejected, .pay(70, "key-b")]),
            Story(
                rule, "the same comes so soon on another connection that it may have been under way", .undecided([1, 2]),
                [rejected, .pay(40, "key-a", .keyMismatch, on: 2)]),
            Story(rule, "it is reported, and another has another key", .pass, [rejected, .pay(20_000, "key-b")]),
            Story(rule, "no key is taken", .notExercised, [.pay(0, "key-a", .insufficientFunds)]),
        ]
    }()

    private static let reads: [Story] = {
        let rule = "retry.not-on-client-errors"
        func rejected(_ ms: Int64, on connection: Int = 1, status: Int = 422) -> JournalEntry { .read(ms, status: status, on: connection) }
        func signIn(_ ms: Int64, _ status: Int, _ response: String = "") -> JournalEntry {
            JournalEntry.login(ms).with {
                $0.status = status
                $0.responseBody = Array(response.utf8)
            }
        }
        return [
            Story(rule, "it is sent three times at once", .fail([1, 2, 3]), [rejected(0), rejected(100), rejected(300)]),
            Story(
                rule, "it is sent with one version after the other in Accept", .notExercised,
                [rejected(0, status: 406), rejected(100, status: 406), rejected(300, status: 406)]),
            Story(rule, "a sign-in is sent three times at once", .fail([1, 2, 3]), [0, 100, 200].map { signIn($0, 400) }),
            Story(
                rule, "a sign-in to a locked account is sent three times at once", .fail([1, 2, 3]), [0, 100, 200].map { signIn($0, 423) }),
            Story(
                rule, "it is polled each second until the customer has decided", .notExercised,
                [0, 1_000, 2_000, 3_000].map { signIn($0, 400, #"{"error":"authorization_pending"}"#) } + [signIn(4_000, 200)]),
            Story(
                rule, "it is sent five times within milliseconds, each on a new connection", .undecided([1, 2, 3]),
                (0..<5).map { rejected($0 * 40, on: Int($0) + 1) }),
            Story(
                rule, "two are sent side by side, and three more one after the other", .fail([2, 3, 4]),
                [rejected(0), rejected(1, on: 2), rejected(20, on: 2), rejected(40, on: 2), rejected(60, on: 2)]),
            Story(
                rule, "it is sent three times at once, in another encoding each time", .fail([1, 2, 3]),
                ["{\"a\":1,\"b\":2}", "{ \"b\":2, \"a\":1 }", "{\"b\":2,\"a\":1.0}"].enumerated().map { index, body in
                    rejected(Int64(index) * 100).with {
                        $0.method = "POST"
                        $0.bodySHA256 = body
                        $0.requestBody = Array(body.utf8)
                        $0.bodyBytes = body.utf8.count
                    }
                }),
            Story(
                rule, "three devices ask the same without a token, once each", .undecided([1, 2, 3]),
                (0..<3).map { (n: Int) -> JournalEntry in .read(Int64(n) * 700, nil, status: 410, on: n + 1) }),
            Story(
                rule, "it is sent with one media type after the other", .pass,
                ["application/json", "application/vnd.bank+json", "application/problem+json"].enumerated().map { index, type in
                    typed(rejected(Int64(index) * 100, status: 415), type)
                }),
            Story(
                rule, "a browser asks before each of three requests whether the page may send it", .notExercised,
                (0..<3).map { (n: Int) -> JournalEntry in
                    JournalEntry.read(Int64(n) * 100, nil, status: 405).with { $0.method = "OPTIONS" }
                }),
            Story(rule, "it is sent twice", .pass, [rejected(0), rejected(100)]),
            Story(
                rule, "it is read side by side, and once more", .pass,
                [
                    rejected(0), rejected(1, on: 2), rejected(2, on: 3), rejected(700, on: 2),
                ]),
            Story(rule, "an app polls it", .pass, (0..<20).map { rejected($0 * 2_000) }),
            Story(rule, "something else comes between", .pass, [rejected(0), rejected(100), .read(200), rejected(300)]),
            Story(rule, "what is looked for is yet to come", .notExercised, (0..<10).map { rejected($0 * 300, status: 404) }),
            Story(rule, "nothing is rejected", .notExercised, [.read(0)]),
        ]
    }()
}
