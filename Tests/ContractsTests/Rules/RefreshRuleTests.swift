import BankModel
import Contracts
import Testing

/// How tokens are refreshed; checked with journals alone.
@Suite struct RefreshRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    static let stories = stampede + rotation + rejection + otherErrors + loop

    /// Each error after which docs/judging-from-the-journal.md keeps the refresh token valid.
    private static let otherErrors: [Story] = [
        "invalid_client", "invalid_request", "invalid_scope", "invalid_target", "unauthorized_client", "unsupported_grant_type",
        "interaction_required", "login_required", "consent_required", "account_selection_required", "insufficient_user_authentication",
        "temporarily_unavailable", "server_error", "slow_down",
    ].map { (error: String) -> Story in
        let rejected = JournalEntry.refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"\#(error)"}"#.utf8) }
        return Story("auth.refresh-refused-signs-out", "the error is \(error)", .notExercised, [rejected, .refresh(60_000, on: 2)])
    }

    /// Two reads side by side, rejected for their token's age.
    private static let expired: [JournalEntry] = [.read(0, "token#1", .tokenExpired), .read(5, "token#1", .tokenExpired, on: 2)]

    private static let stampede: [Story] = {
        let rule = "auth.one-refresh-for-parallel-rejections"
        return [
            Story(
                rule, "each rejected read renews for itself", .fail([1, 2, 3, 4]),
                expired + [.refresh(20), .refresh(25, status: 400, on: 2)]),
            Story(
                rule, "each renews for itself, and the bank is so fast that they look like one after the other", .fail([1, 2, 3, 4]),
                expired + [.refresh(20), .refresh(35, status: 400, on: 2)]),
            Story(
                rule, "the bank was slow, and the client may have given up waiting", .pass,
                expired + [.refresh(20, lasts: 4_000), .refresh(4_050, status: 400, on: 2)]),
            Story(
                rule, "the refresh token stays the same, and the new token is rejected at once", .pass,
                expired + [
                    .refresh(20).with { $0.responseBody = Array(#"{"access_token":"token#2","refresh_token":"refresh#1"}"#.utf8) },
                    .read(35, "token#2", .tokenExpired), .refresh(50, on: 2),
                ]),
            Story(
                rule, "the client gave up waiting for a slow bank, which did not see it behind a proxy", .pass,
                expired + [.refresh(20, lasts: 4_000), .refresh(3_020, status: 400, on: 2)]),
            Story(rule, "one serves both", .pass, expired + [.refresh(20), .read(40, "token#2"), .read(41, "token#2", on: 2)]),
            Story(
                rule, "the first is given up, and its end not seen yet", .pass,
                expired + [
                    .refresh(20, lasts: 500).abandoned, .refresh(515, on: 3),
                ]),
            Story(
                rule, "one refresh token serves two resources, each with tokens of its own", .pass,
                expired
                    + ["accounts", "cards"].enumerated().map { index, resource in
                        JournalEntry.refresh(20 + Int64(index) * 5, on: index + 1).with {
                            $0.requestBody += Array("&resource=https://\(resource).bank.example".utf8)
                        }
                    }),
            Story(rule, "two people renew at once", .pass, expired + [.refresh(20), .refresh(25, sends: "refresh#7", gives: 8, on: 3)]),
            Story(rule, "one was rejected", .notExercised, [expired[0], .refresh(20), .read(40, "token#2")]),
            Story(rule, "the token is renewed ahead of its time", .notExercised, [.read(0), .refresh(20), .read(40, "token#2")]),
        ]
    }()

    private static let rotation: [Story] = {
        let rule = "auth.refresh-rotation-persisted"
        return [
            Story(
                rule, "the old one is used again", .fail([1, 3]),
                [
                    .refresh(0), .read(20, "token#2"), .refresh(900_000, status: 400),
                ]),
            Story(
                rule, "the new one is used", .pass, [.refresh(0), .read(20, "token#2"), .refresh(900_000, sends: "refresh#2", gives: 3)]),
            Story(
                rule, "the session was put back, and the token is issued again", .pass,
                [
                    .refresh(0),
                    .login(9_000).with { $0.responseBody = Array(#"{"access_token":"token#1","refresh_token":"refresh#1"}"#.utf8) },
                    .refresh(20_000),
                ]),
            Story(rule, "the response was lost", .notExercised, [.refresh(0).lost, .refresh(2_000, on: 2).with { $0.responseBody = [] }]),
            Story(rule, "two were under way at once", .pass, [.refresh(0), .refresh(2, status: 400, on: 2)]),
            Story(
                rule, "two may have been under way at once", .undecided([1, 2]), [.refresh(0), .refresh(50, status: 400, on: 2)]),
            Story(
                rule, "the refresh token stays the same", .notExercised,
                [
                    .refresh(0).with { $0.responseBody = Array(#"{"access_token":"token#2","refresh_token":"refresh#1"}"#.utf8) },
                    .refresh(900_000, gives: nil),
                ]),
            Story(rule, "nothing is renewed", .notExercised, [.read(0)]),
        ]
    }()

    private static let rejection: [Story] = {
        let rule = "auth.refresh-refused-signs-out"
        return [
            Story(rule, "it is tried again", .fail([1, 2]), [.refresh(0, status: 400), .refresh(100, status: 400)]),
            Story(
                rule, "it is tried again a day later", .fail([1, 2]), [.refresh(0, status: 401), .refresh(86_400_000, status: 401, on: 2)]),
            Story(
                rule, "two may have been under way at once", .undecided([1, 2]),
                [.refresh(0, status: 400), .refresh(100, status: 400, on: 2)]),
            Story(
                rule, "the user signs in", .pass,
                [
                    .refresh(0, status: 400), .login(9_000, gives: "token#3"), .refresh(900_000, sends: "refresh#3", gives: 4),
                ]),
            Story(rule, "the bank was ill", .notExercised, [.refresh(0, status: 503), .refresh(2_000)]),
            Story(rule, "a firewall blocked it", .notExercised, [.refresh(0, status: 403).byFault, .refresh(2_000)]),
            Story(rule, "the bank itself rejected it with 403", .fail([1, 2]), [.refresh(0, status: 403), .refresh(2_000)]),
            Story(
                rule, "a fault rejected the grant with 403", .fail([1, 2]),
                [
                    .refresh(0, status: 403).byFault.with { $0.responseBody = Array(#"{"error":"invalid_grant"}"#.utf8) }, .refresh(2_000),
                ]),
            Story(
                rule, "the proof lacked the bank's nonce, and has it then", .notExercised,
                [
                    .refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"use_dpop_nonce"}"#.utf8) }, .refresh(100),
                ]),
            Story(
                rule, "the client had to authenticate in another way", .notExercised,
                [.refresh(0, status: 401).with { $0.responseBody = Array(#"{"error":"invalid_client"}"#.utf8) }, .refresh(100)]),
            Story(
                rule, "it asked for too many scopes, and then for fewer", .notExercised,
                [.refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"invalid_scope"}"#.utf8) }, .refresh(100)]),
            Story(
                rule, "a real firewall blocked it with a page", .notExercised,
                [
                    .refresh(0, status: 403).with { $0.responseBody = Array("\n<!DOCTYPE html><title>Blocked</title>".utf8) },
                    .refresh(60_000, on: 2),
                ]),
            Story(
                rule, "it asked for a resource that the bank does not know, and then for another", .notExercised,
                [.refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"invalid_target"}"#.utf8) }, .refresh(100)]),
            Story(
                rule, "the customer has to confirm something first", .notExercised,
                [
                    .refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"interaction_required"}"#.utf8) },
                    .refresh(60_000, on: 2),
                ]),
            Story(
                rule, "the bank asks to wait", .notExercised,
                [JournalEntry.refresh(0, status: 403).saying("Retry-After", "30"), .refresh(60_000, on: 2)]),
            Story(
                rule, "the bank had not registered the client for refreshes yet", .notExercised,
                [
                    .refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"unauthorized_client"}"#.utf8) },
                    .refresh(86_400_000, on: 2),
                ]),
            Story(
                rule, "the grant was rejected, and is sent again", .fail([1, 2]),
                [.refresh(0, status: 400).with { $0.responseBody = Array(#"{"error":"invalid_grant"}"#.utf8) }, .refresh(100)]),
            Story(rule, "nothing is rejected", .notExercised, [.refresh(0)]),
        ]
    }()

    private static let loop: [Story] = {
        let rule = "auth.no-refresh-loop"
        func round(_ n: Int, at ms: Int64, _ first: JournalEntry) -> [JournalEntry] {
            [.refresh(ms, sends: "refresh#\(n - 1)", gives: n), first]
        }
        /// Rounds of renewing and reading, so far apart.
        func rounds(
            _ count: Int, every step: Int64, waits: Int64 = 20, _ response: DialectResponseName? = .tokenRejected, status: Int? = nil
        )
            -> [JournalEntry]
        {
            (0..<count).flatMap { n in
                let start = Int64(n) * step
                return round(n + 2, at: start, .read(start + waits, "token#\(n + 2)", response, status: status))
            }
        }
        return [
            Story(rule, "each new token is rejected and renewed", .fail([1, 2, 3, 4, 5, 6]), rounds(4, every: 50)),
            Story(rule, "two refreshes, and then the user is asked", .pass, rounds(2, every: 50)),
            Story(
                rule, "the bank rejects all tokens for a while, and the user reloads again and again", .pass, rounds(4, every: 5_000)),
            Story(
                rule, "the user reloads, and then it does not end", .fail([3, 4, 5, 6, 7, 8]),
                rounds(1, every: 50)
                    + [3, 4, 5].flatMap { (n: Int) -> [JournalEntry] in
                        let start = 60_000 + Int64(n) * 50
                        return round(n, at: start, .read(start + 20, "token#\(n)", .tokenRejected))
                    }),
            Story(
                rule, "three devices refresh, and then the bank rejects all tokens", .pass,
                [
                    .refresh(0, sends: "refresh#1", gives: 4), .refresh(100, sends: "refresh#2", gives: 5, on: 2),
                    .refresh(200, sends: "refresh#3", gives: 6, on: 3), .read(1_000, "token#6", .tokenRejected, on: 3),
                ]),
            Story(
                rule, "an idle app renews ahead of time, and then the bank rejects all tokens", .pass,
                (0..<3).map { (n: Int) -> JournalEntry in
                    .refresh(Int64(n) * 600_000, sends: "refresh#\(n + 1)", gives: n + 2)
                } + [.read(1_201_000, "token#4", .tokenRejected)]),
            Story(
                rule, "the user signs in between", .pass,
                rounds(2, every: 50) + [
                    .login(9_000, gives: "token#9"), .refresh(10_000, sends: "refresh#9", gives: 10),
                    .read(10_020, "token#10", .tokenRejected),
                ]),
            Story(
                rule, "the old token's rejections come late", .notExercised,
                [
                    .read(0, "token#1", .tokenExpired), .refresh(20), .read(35, "token#1", .tokenExpired, on: 2), .read(40, "token#2"),
                ]),
            Story(
                rule, "each token dies of its age, and the list had not changed", .notExercised,
                (0..<5).flatMap { n -> [JournalEntry] in
                    let start = Int64(n) * 900_000
                    return round(n + 2, at: start, .read(start + 20, "token#\(n + 2)", status: 304)) + [
                        .read(start + 899_000, "token#\(n + 2)", .tokenExpired)
                    ]
                }),
            Story(
                rule, "each token dies of its age before it is used", .notExercised,
                rounds(5, every: 1_000_000, waits: 900_000, .tokenExpired)),
            Story(rule, "tokens are renewed ahead of their time", .notExercised, rounds(5, every: 60_000, nil)),
            Story(rule, "the bank is ill all day", .notExercised, rounds(5, every: 900_000, nil, status: 503)),
        ]
    }()
}
