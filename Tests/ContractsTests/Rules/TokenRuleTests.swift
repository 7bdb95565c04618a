import BankModel
import Contracts
import Testing

/// Rules on tokens, judged from journals alone.
@Suite struct TokenRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    static let stories = rejection + emptiness + addresses + keeping

    private static let rejection: [Story] = {
        let rule = "auth.token-cleared-on-rejection"
        let rejected = JournalEntry.read(100, "token#1", .tokenRejected)
        return [
            Story(rule, "the rejected token is sent again", .fail([2, 3]), [.read(0), rejected, .read(200)]),
            Story(rule, "another request has it", .fail([1, 2]), [rejected, .read(200, path: "/v1/goals")]),
            Story(rule, "it is sent on a new connection, a second later", .fail([1, 2]), [rejected, .read(1_200, on: 2)]),
            Story(
                rule, "an expired one is sent again over HTTP/2", .fail([1, 2]),
                [
                    .read(0, "token#1", .tokenExpired).with { $0.wireProtocol = .h2 }, .read(200).with { $0.wireProtocol = .h2 },
                ]),
            Story(
                rule, "it comes back after a new sign-in", .fail([1, 4]),
                [
                    rejected, .login(1_000, gives: "token#2"), .read(2_000, "token#2"), .read(9_000, "token#1"),
                ]),
            Story(
                rule, "it was pasted in, and is sent once more at once though a fault rejected it", .fail([1, 2]),
                [
                    rejected.byFault, .read(900, on: 1),
                ]),
            Story(
                rule, "the client signs in again", .pass, [.read(0), rejected, .login(5_000, gives: "token#2"), .read(5_100, "token#2")]),
            Story(rule, "it renews", .pass, [rejected, .refresh(150), .read(200, "token#2")]),
            Story(
                rule, "it renews, for which the bank wants the token that has expired", .pass,
                [rejected, JournalEntry.refresh(150).with { $0.token = "token#1" }, .read(200, "token#2")]),
            Story(
                rule, "it cannot renew it, and keeps the sign-in until it can", .notExercised,
                [
                    rejected, .refresh(150, status: 503), .read(9_000, "token#1", .tokenExpired), .refresh(9_100), .read(9_200, "token#2"),
                ]),
            Story(
                rule, "its renewal gets no response", .notExercised,
                [rejected, .refresh(150).lost, .read(9_000, "token#1", .tokenExpired)]),
            Story(
                rule, "its renewal ends at a captive portal, which has no token", .notExercised,
                [rejected, .refresh(150, gives: nil), .read(9_000, "token#1", .tokenExpired)]),
            Story(
                rule, "its renewal is rejected", .fail([1, 4]),
                [rejected, .refresh(150, status: 503), .refresh(2_000, status: 400), .read(9_000, "token#1", .tokenExpired)]),
            Story(
                rule, "another sign-in cannot be renewed", .fail([2, 4]),
                [
                    .refresh(0, sends: "refresh#0", gives: 1), rejected, .refresh(150, sends: "refresh#7", status: 503),
                    .read(9_000, "token#1", .tokenExpired),
                ]),
            Story(rule, "it signs out with it", .pass, [rejected, .logout(200)]),
            Story(
                rule, "another was under way before the rejection's end", .pass,
                [
                    rejected, .read(105, "token#1", .tokenRejected, on: 2), .read(300, "token#2", on: 3),
                ]),
            Story(
                rule, "a proxy sends it on its one connection to the bank, and the client may have sent it before", .undecided([1, 2]),
                [rejected.forwarded, JournalEntry.read(112, path: "/v1/goals").forwarded]),
            Story(
                rule, "it comes through a proxy, seconds later", .fail([1, 2]), [rejected.forwarded, JournalEntry.read(5_000).forwarded]),
            Story(
                rule, "one more comes so soon on a connection of its own that it may have been under way", .undecided([1, 3]),
                [
                    rejected, .read(105, "token#1", .tokenRejected, on: 2), .read(300, "token#1", .tokenRejected, on: 3),
                ]),
            Story(
                rule, "it is sent three times within milliseconds, each on a new connection", .undecided([1, 2, 3]),
                (0..<3).map { .read($0 * 40, "token#1", .tokenRejected, on: Int($0) + 1) }),
            Story(
                rule, "the same, and then the user signs in", .undecided([1, 2, 3]),
                (0..<3).map { .read($0 * 40, "token#1", .tokenRejected, on: Int($0) + 1) } + [
                    .login(9_000, gives: "token#2"), .read(9_100, "token#2"),
                ]),
            Story(
                rule, "one token is in doubt, and the next is forgotten as it must be", .pass,
                [
                    rejected, .read(300, "token#1", .tokenRejected, on: 3), .login(9_000, gives: "token#2"),
                    .read(60_000, "token#2", .tokenExpired), .login(70_000, gives: "token#3"), .read(70_100, "token#3"),
                ]),
            Story(
                rule, "ten reads were made before the rejection, four connections carry them", .undecided([1, 5, 6, 7, 8, 9, 10]),
                parallel(10)),
            Story(
                rule, "a slow connection brings the old token late", .undecided([1, 3]),
                [
                    rejected,
                    .exchange(150, "", "", nil, [], on: 2).with {
                        $0.method = nil
                        $0.status = nil
                        $0.faults = [FaultRecord(rule: "rule-1", kind: "delay", point: "connect", applied: true)]
                    },
                    .read(3_000, "token#1", .tokenRejected, on: 2),
                ]),
            Story(
                rule, "a library sends a request again that was under way, because its connection ended", .undecided([1, 3]),
                [
                    rejected, JournalEntry.read(102, path: "/v1/goals", on: 2).lost,
                    .read(900, "token#1", .tokenRejected, path: "/v1/goals", on: 3),
                ]),
            Story(
                rule, "it does so though an equal request was under way on another connection, which did not end", .undecided([1, 4]),
                [
                    rejected, JournalEntry.read(102, path: "/v1/goals", on: 2).lost,
                    .read(104, "token#1", .tokenRejected, path: "/v1/goals", on: 4),
                    .read(900, "token#1", .tokenRejected, path: "/v1/goals", on: 3),
                ]),
            Story(
                rule, "the request whose connection ended was sent after the rejection", .fail([1, 2]),
                [
                    rejected, JournalEntry.read(700, path: "/v1/goals", on: 2).lost,
                    .read(900, "token#1", .tokenRejected, path: "/v1/goals", on: 3),
                ]),
            Story(
                rule, "the user enters the only token again", .notExercised,
                [
                    rejected.byFault, .read(60_000), .read(61_000),
                ]),
            Story(
                rule, "the session was put back, and its second token is issued again", .notExercised,
                [
                    .read(0, "token#2", .tokenRejected), .login(9_000, gives: "token#2"), .read(9_100, "token#2"),
                ]),
            Story(
                rule, "a browser sends the cookie that has it until the bank removes it", .notExercised,
                [.read(0).withCookie, rejected.withCookie, .read(200).withCookie]),
            Story(
                rule, "a client with a cookie of a load balancer sends it in its header again", .fail([1, 2]),
                [rejected.authorized("Bearer token#1").withCookie, .read(200).authorized("Bearer token#1").withCookie]),
            Story(rule, "the rejection never reached the client", .notExercised, [rejected.lost, .read(200)]),
            Story(rule, "no token is rejected", .notExercised, [.read(0), .read(100)]),
        ]
    }()

    /// `count` reads with a rejected token, on four connections, each sent as soon as one is free.
    private static func parallel(_ count: Int) -> [JournalEntry] {
        (0..<count).map { n in
            .read(Int64(n / 4 * 12 + n % 4), "token#1", .tokenExpired, path: "/v1/accounts/\(n)", on: n % 4 + 1)
        }
    }

    private static let emptiness: [Story] = [
        Story(
            "auth.no-empty-bearer", "the token is cleared by an empty text", .fail([2]), [.read(0), .read(100, "empty", .noCredentials)]),
        Story(
            "auth.no-empty-bearer", "the token is cleared by a word for nothing", .fail([2]),
            [.read(0), .read(100, "unknown", .tokenRejected).authorized("Bearer null")]),
        Story(
            "auth.no-empty-bearer", "a token that the bank does not know is none", .pass,
            [.read(0), .read(100, "unknown", .tokenRejected).authorized("Bearer unknown")]),
        Story("auth.no-empty-bearer", "tokens are whole", .pass, [.read(0)]),
        Story("auth.no-empty-bearer", "there is none", .notExercised, [.read(0, nil, path: "/v1/atms")]),
    ]

    private static let addresses: [Story] = [
        Story(
            "auth.token-never-in-url", "it stands in the query", .fail([2]),
            [
                .read(0), .read(100).authorized("Bearer token#1").with { $0.query = "access_token=token#1" },
            ]),
        Story("auth.token-never-in-url", "it stands in the path alone", .fail([1]), [.read(0, nil, path: "/v1/token#1/accounts")]),
        Story(
            "auth.token-never-in-url", "a refresh token stands in the query", .fail([1]),
            [
                .refresh(0).with {
                    $0.query = "refresh_token=refresh#1"
                    $0.requestBody = []
                }
            ]),
        Story(
            "auth.token-never-in-url", "the bank wants its key in the query", .pass,
            [.read(0).with { $0.query = "api_key=token#1" }, .read(100).with { $0.query = "api_key=token#1" }]),
        Story("auth.token-never-in-url", "somebody looks for such a text", .pass, [.read(0).with { $0.query = "q=token%231" }]),
        Story(
            "auth.token-never-in-url", "the id of a consent is the credential, and stands in the path", .pass,
            [.read(0, path: "/v1/consents/token#1/status")]),
        Story(
            "auth.token-never-in-url", "the bank's ID token is the access token, and stands in the address of the sign-out", .pass,
            [.read(0), JournalEntry.logout(5_000, nil).with { $0.query = "id_token_hint=token#1&state=abc" }]),
        Story(
            "auth.token-never-in-url", "it stands in the address of any other request", .fail([1]),
            [.read(0, nil).with { $0.query = "id_token_hint=token#1" }]),
        Story("auth.token-never-in-url", "no request has one", .notExercised, [.read(0, nil, path: "/v1/atms")]),
    ]

    private static let keeping = kept("auth.scope-refusal-keeps-token", .scopeRefused) + kept("auth.step-up-keeps-token", .stepUp)

    private static func kept(_ rule: String, _ response: DialectResponseName) -> [Story] {
        let rejected = JournalEntry.read(100, "token#1", response, path: "/v1/goals")
        let bare = JournalEntry.read(200, nil, .noCredentials)
        return [
            Story(rule, "the next request has none", .fail([1, 2]), [rejected, bare]),
            Story(rule, "none has one until the user signs in", .fail([1, 2]), [rejected, bare, .login(9_000), .read(9_100, "token#2")]),
            Story(
                rule, "one without comes so soon on another connection that it may have been under way", .undecided([1, 2]),
                [rejected, bare.with { $0.connection = 2 }]),
            Story(
                rule, "another device, where nobody has signed in yet, asks without one", .undecided([1, 2]),
                [rejected, .read(900, nil, .noCredentials, on: 2), .login(9_000, gives: "token#2", on: 2)]),
            Story(rule, "the token goes on", .pass, [rejected, .read(200)]),
            Story(rule, "the client sends it only where it is asked to", .pass, [rejected, bare, .read(250)]),
            Story(rule, "the user signs out", .notExercised, [rejected, .logout(150, "token#1").with { $0.token = nil }, bare]),
            Story(
                rule, "the user may have signed out without a request to the bank", .notExercised,
                [
                    rejected, .read(30_000, nil, .noCredentials),
                ]),
            Story(rule, "an open call needs none", .notExercised, [rejected, .read(200, nil, path: "/v1/atms")]),
            Story(
                rule, "the app's own token lacks the scope, and the user's is still there", .notExercised,
                [.login(0), .login(50, gives: "token#2"), rejected, bare]),
            Story(
                rule, "the user's token is in use before and after that of the app came", .notExercised,
                [.read(0, "token#2"), .login(50), rejected, bare, .read(900, "token#2")]),
            Story(rule, "the token before was given up for this one", .fail([3, 4]), [.read(0, "token#2"), .login(50), rejected, bare]),
            Story(
                rule, "an ID token came with it", .fail([2, 3]),
                [
                    .login(0).with { $0.responseBody = Array(#"{"access_token":"token#1","id_token":"token#2"}"#.utf8) }, rejected, bare,
                ]),
            Story(rule, "a 401 may end the sign-in", .notExercised, [rejected.with { $0.status = 401 }, bare]),
            Story(rule, "nothing follows", .notExercised, [rejected]),
            Story(rule, "nothing is rejected", .notExercised, [.read(0), bare]),
        ]
    }
}

extension JournalEntry {
    fileprivate func authorized(_ value: String) -> JournalEntry { with { $0.requestHeaders = [Header("Authorization", value)] } }
}
