import BankModel
import Contracts
import Testing

/// Which keys payments have; checked with journals alone.
@Suite struct PaymentRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    static let stories = sameBytes + newIntent + corrected + kept.flatMap { keptKey($0, after: $1) } + [resent]

    private static let resent = Story(
        "pay.transport-resend-harmless", "another order was under way too, and the HTTP library sends that one again", .pass,
        [
            JournalEntry.pay(0, "key-a").lost, .pay(5, "key-b", on: 2).lost, .pay(300, "key-b", on: 3),
        ].map { pay in
            pay.with {
                $0.method = "PUT"
                $0.path = "/v1/payments/\($0.key ?? "")"
            }
        })

    /// One payment from an encoder that orders keys differently each time, and another amount.
    private static let written = #"{"amount":{"currency":"GBP","minorUnits":500},"reference":"a/b"}"#
    private static let rewritten = #"{ "reference":"a\/b", "amount": {"minorUnits":5.00e2, "currency":"GBP"} }"#
    private static let another = #"{"reference":"a/b","amount":{"minorUnits":501,"currency":"GBP"}}"#

    private static let sameBytes: [Story] = {
        let rule = "pay.retry-same-bytes"
        let lost = JournalEntry.pay(0).lost
        return [
            Story(rule, "the same key comes with another amount", .fail([1, 2]), [lost, .pay(300, body: "6.00")]),
            Story(rule, "it comes to another address", .fail([1, 2]), [lost, .pay(300).with { $0.path = "/v1/payments/again" }]),
            Story(rule, "it is sent again as it was", .pass, [lost, .pay(300)]),
            Story(rule, "it is encoded again", .pass, [.pay(0, body: written).lost, .pay(300, body: rewritten)]),
            Story(
                rule, "it is encoded again with another amount", .fail([1, 2]), [.pay(0, body: written).lost, .pay(300, body: another)]),
            Story(
                rule, "its bytes are others, and more than the journal stores", .undecided([1, 2]),
                [.pay(0, body: written).cutShort.lost, .pay(300, body: rewritten).cutShort]),
            Story(
                rule, "it is compressed again", .undecided([1, 2]),
                [lost, .pay(300, body: "5,00")].map { pay in
                    pay.with { $0.requestHeaders = [JournalEntry.Header("Content-Encoding", "gzip")] }
                }),
            Story(
                rule, "it comes in parts with another boundary", .undecided([1, 2]),
                ["a", "b"].enumerated().map { index, boundary in
                    let pay = JournalEntry.pay(Int64(index) * 300, body: "--\(boundary)").with {
                        $0.requestHeaders = [JournalEntry.Header("Content-Type", "multipart/form-data; boundary=\(boundary)")]
                    }
                    return index == 0 ? pay.lost : pay
                }),
            Story(
                rule, "a sign-in lies between", .pass,
                [
                    .pay(0, "key-a", .tokenRejected), .login(8_000, gives: "token#2"), .pay(9_000, token: "token#2"),
                ]),
            Story(
                rule, "another user's key has the same name", .notExercised,
                [
                    lost, .pay(9_000, body: "6.00", token: "token#2").with { $0.customer = "ben" },
                ]),
            Story(
                rule, "a request whose customer is not known has another token, and a key of that name", .undecided([1, 2]),
                [lost, JournalEntry.pay(9_000, "key-a", .tokenRejected, body: "6.00", token: "token#2")]),
            Story(
                rule, "the key is a UUID, which no two customers have", .fail([1, 2]),
                [lost, JournalEntry.pay(9_000, "key-a", .tokenRejected, body: "6.00", token: "token#2")].map { pay in
                    pay.with { $0.key = "1b4e28ba-2fa1-41d2-883f-0016d3cca427" }
                }),
            Story(
                rule, "another operation has a key of that name", .notExercised,
                [
                    lost,
                    .pay(9_000, body: "6.00").with {
                        $0.operation = "addMoney"
                        $0.path = "/v1/goals/1"
                    },
                ]),
            Story(rule, "the same is ordered again under a new key", .notExercised, [lost, .pay(60_000, "key-b")]),
            Story(rule, "nothing is sent again", .notExercised, [lost]),
        ]
    }()

    private static let newIntent: [Story] = {
        let rule = "pay.new-intent-new-key"
        return [
            Story(rule, "the next payment has the old key", .fail([1, 2]), [.pay(0), .pay(20_000, body: "6.00")]),
            Story(rule, "it has one of its own", .pass, [.pay(0), .pay(20_000, "key-b", body: "6.00")]),
            Story(rule, "the same again has a key of its own, seconds later", .notExercised, [.pay(0), .pay(2_000, "key-b")]),
            Story(rule, "the same again has a key of its own, minutes later", .notExercised, [.pay(0), .pay(300_000, "key-b")]),
            Story(rule, "the same again has the old key: a repeat, or a new order", .notExercised, [.pay(0), .pay(300_000)]),
            Story(
                rule, "the same again has the old key and is encoded again: a repeat, or a new order", .notExercised,
                [.pay(0, body: written), .pay(300_000, body: rewritten)]),
            Story(
                rule, "the old key comes with other bytes, more than the journal stores", .undecided([1, 2]),
                [.pay(0, body: written).cutShort, .pay(20_000, body: another).cutShort]),
            Story(rule, "there is one payment", .notExercised, [.pay(0)]),
        ]
    }()

    private static let corrected: [Story] = {
        let rule = "pay.corrected-payment-new-key"
        let rejected = JournalEntry.pay(0, "key-a", .insufficientFunds, body: "9000.00")
        return [
            Story(rule, "the corrected one has the rejected one's key", .fail([1, 2]), [rejected, .pay(20_000, body: "90.00")]),
            Story(rule, "it has one of its own", .pass, [rejected, .pay(20_000, "key-b", body: "90.00")]),
            Story(
                rule, "the rejected one's key comes with other bytes, more than the journal stores", .undecided([1, 2]),
                [rejected.cutShort, .pay(20_000, body: another).cutShort]),
            Story(rule, "the user leaves it", .notExercised, [rejected]),
            Story(rule, "nothing is rejected", .notExercised, [.pay(0), .pay(20_000, "key-b", body: "90.00")]),
        ]
    }()

    /// How the outcome of a payment comes to be open, for each rule that then demands the old key.
    private static let kept: [(String, JournalEntry)] = [
        ("pay.server-error-same-key", .pay(0, "key-a", .internalError)), ("pay.server-error-same-key", .pay(0, status: 503)),
        ("pay.transport-resend-harmless", .pay(0).lost), ("pay.transport-resend-harmless", .pay(0, lasts: 2_000).abandoned),
        ("pay.in-flight-conflict-waits-with-same-key", .pay(0, "key-a", .keyInFlight)),
    ]

    private static func keptKey(_ rule: String, after open: JournalEntry) -> [Story] {
        let end = (open.durationMicroseconds ?? 0) / 1000
        let status = JournalEntry.exchange(end + 40, "GET", "/v1/payments/key-a", "payment", [], token: "token#1", status: 404)
        return [
            Story(rule, "each attempt makes a key", .fail([1, 2]), [open, .pay(end + 200, "key-b", on: 2)]),
            Story(
                rule, "each attempt makes a key, which stands in the path", .fail([1, 2]),
                [open, .pay(end + 200, "key-b", on: 2)].map { pay in
                    pay.with { $0.path = "/v1/goals/1/add-money/\($0.key ?? "")" }
                }),
            Story(
                rule, "each attempt makes a key, and is encoded again", .fail([1, 2]),
                [
                    open.with {
                        $0.bodySHA256 = written
                        $0.requestBody = Array(written.utf8)
                    },
                    .pay(end + 200, "key-b", body: rewritten, on: 2),
                ]),
            Story(rule, "it is sent again under its key", .pass, [open, .pay(end + 200)]),
            Story(rule, "it is sent again under its key an hour later", .pass, [open, .pay(3_600_000)]),
            Story(rule, "the client asks first what became of it", .pass, [open, status, .pay(end + 200)]),
            Story(rule, "the client asks, and leaves it", .notExercised, [open, status]),
            Story(rule, "the user orders the same again, minutes later", .notExercised, [open, .pay(180_000, "key-b")]),
            Story(rule, "the user orders the same again, seconds later", .notExercised, [open, .pay(end + 1_500, "key-b")]),
            Story(
                rule, "two equal orders come before it, and both come again", .pass,
                [
                    open, .pay(end + 100, "key-b"), .pay(end + 2_000),
                ]),
            Story(
                rule, "a script pays the same twice whatever happens", .undecided([1, 2]),
                [
                    open, .pay(end + 20, "key-b"), .pay(end + 9_000, "key-c"), .pay(end + 9_020, "key-d"),
                ]),
            Story(
                rule, "two equal orders may have been on their way at once",
                open.receipt.end == .clientGone ? .fail([1, 2]) : .undecided([1, 2]), [open, .pay(end + 20, "key-b", on: 2)]),
            Story(rule, "another goal gets the same", .notExercised, [open, .pay(end + 200, "key-b").with { $0.path = "/v1/goals/2" }]),
            Story(rule, "the user pays something else", .notExercised, [open, .pay(end + 200, "key-b", body: "6.00")]),
            Story(rule, "it is not sent again", .notExercised, [open]),
            Story(rule, "all goes well", .notExercised, [.pay(0)]),
        ]
    }
}
