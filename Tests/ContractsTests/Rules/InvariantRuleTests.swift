import BankModel
import Testing

@testable import Contracts

/// The invariants that no other rule checks; checked with journals alone.
@Suite struct InvariantRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    @Test func `every rule is in the registry once`() {
        let ids = ClientRule.all.map(\.id)

        #expect(Set(ids).count == ids.count)
        // A rule of a journal has the requests alone.
        #expect(ClientRule.ofJournals.filter { !$0.needs.isEmpty }.map(\.id) == [])
        #expect(ClientRule.all.allSatisfy { $0.recorded != nil || ["case", "invariant"].contains($0.suite) })
    }

    @Test func `every invariant is shown by a journal or needs more`() {
        let shown = Set(ClientRule.ofJournals.map { $0.recorded?.shows ?? $0.name })

        for invariant in ClientRule.invariants {
            #expect(shown.contains(invariant.name) != ClientRule.beyondJournals.contains { $0.id == invariant.id }, "\(invariant.id)")
        }
        #expect(ClientRule.ofJournals.compactMap { $0.recorded?.shows }.allSatisfy { ClientRule.names.contains($0) })
    }

    @Test func `the suite of invariants has the rules that judge them`() {
        let leak = JournalEntry.read(100).with {
            $0.query = "access_token=token#1"
            $0.requestHeaders = [JournalEntry.Header("Authorization", "Bearer token#1")]
        }
        let journal = Story.numbered([.login(0), leak])

        let report = JournalReport(session: "s", bank: "toy", journal: journal, suites: ["invariant"])

        #expect(
            report.rules.map(\.id) == [
                "auth.token-cleared-on-rejection", "auth.token-never-in-url", "pay.retry-same-bytes", "pay.new-intent-new-key",
                "pay.corrected-payment-new-key", "retry.bounded", "retry.payment-bounded", "wire.redirect-loop-bounded",
                "auth.token-not-forwarded-to-other-host", "pay.redirected-payment-stays-with-its-bank", "invariant.no-foreign-host",
                "invariant.tls-stays-tls", "invariant.no-secret-in-address", "invariant.own-token-only",
            ])
        #expect(report.rules.filter { $0.verdict == .fail }.map(\.id) == ["auth.token-never-in-url"])
        #expect(report.missing(["invariant"]) == [])
    }

    static let stories = addresses + signedOut + clear

    private static let addresses: [Story] = {
        let rule = "invariant.no-secret-in-address"
        return [
            Story(
                rule, "the password stands in the query", .fail([1]),
                [.login(0).with { $0.query = "username=ava&password=correct-horse" }]),
            Story(rule, "a one-time code does", .fail([2]), [.read(0), .read(100).with { $0.query = "One-Time-Code=123456" }]),
            Story(rule, "a secret of another bank does", .fail([1]), [.read(0).with { $0.query = "client_secret=x" }]),
            Story(rule, "the user signs in", .pass, [.login(0), .read(100)]),
            Story(rule, "the parameter is empty", .pass, [.login(0), .read(100).with { $0.query = "password=&q=password" }]),
            Story(rule, "nobody signs in", .notExercised, [.read(0)]),
        ]
    }()

    private static let signedOut: [Story] = {
        let rule = "invariant.own-token-only"
        let login = JournalEntry.login(0).with {
            $0.responseBody = Array(#"{"access_token":"token#1","refresh_token":"refresh#1"}"#.utf8)
        }
        let next = JournalEntry.login(9_000, gives: "token#2")
        /// A sign-out whose body names a token.
        func revoke(_ token: String) -> JournalEntry {
            .logout(5_000, "token#1").with { $0.requestBody = Array("token=\(token)".utf8) }
        }
        return [
            Story(rule, "the token is sent after the sign-out", .fail([2, 3]), [login, .logout(5_000), .read(5_100)]),
            Story(
                rule, "the next user's first request has it", .fail([2, 4]),
                [login, .logout(5_000), next, .read(9_100), .read(9_200, "token#2")]),
            Story(rule, "it is renewed after the sign-out", .fail([2, 3]), [login, .logout(5_000), .refresh(6_000)]),
            Story(
                rule, "the refresh token was signed out, and its access token is sent", .fail([2, 3]),
                [login, revoke("refresh#1"), .read(6_000)]),
            Story(
                rule, "it comes so soon on another connection that it may have been under way", .undecided([2, 3]),
                [login, .logout(5_000), .read(5_100, on: 2)]),
            Story(rule, "the next user has another token", .pass, [login, .logout(5_000), next, .read(9_100, "token#2")]),
            Story(rule, "the app signs out twice", .pass, [login, .logout(5_000), .logout(5_100)]),
            Story(
                rule, "the session was put back, and the token is issued again", .pass,
                [login, .logout(5_000), .login(9_000), .read(9_100)]),
            Story(
                rule, "the session was put back, and the refresh token is issued again", .pass,
                [login, .logout(5_000), .login(9_000).with { $0.responseBody = login.responseBody }, .refresh(9_500)]),
            Story(
                rule, "another device of the same user stays signed in", .pass,
                [login, .login(100, gives: "token#2", on: 2), .logout(5_000), .read(6_000, "token#2", on: 2)]),
            Story(
                rule, "the client revokes a refresh token that was replaced, and goes on", .pass,
                [
                    login, .refresh(1_000), revoke("refresh#1").with { $0.token = "token#2" }, .read(6_000, "token#2"),
                ]),
            Story(
                rule, "a browser sends the cookie that has it until the bank removes it", .notExercised,
                [login, .logout(5_000).withCookie, .read(5_100).withCookie]),
            Story(rule, "the sign-out failed", .notExercised, [login, .logout(5_000).with { $0.status = 503 }, .read(5_100)]),
            Story(rule, "nobody signs out", .notExercised, [login, .read(100)]),
        ]
    }()

    private static let clear: [Story] = {
        let rule = "invariant.tls-stays-tls"
        let login = JournalEntry.login(0).secure
        let redirect = JournalEntry.read(100, status: 302).secure.saying("Location", "http://127.0.0.1:8080/v1/accounts?page=2")
        return [
            Story(rule, "the token goes in clear text", .fail([1, 3]), [login, .read(100).secure, .read(200, on: 2)]),
            Story(
                rule, "the refresh token does", .fail([1, 2]),
                [JournalEntry.refresh(0).secure, .refresh(900_000, sends: "refresh#2", gives: 3, on: 2)]),
            Story(
                rule, "a redirect to clear text is followed without a token", .fail([2, 3]),
                [login, redirect, .read(150, nil, on: 2).with { $0.query = "page=2" }]),
            Story(
                rule, "a load balancer ends TLS", .pass,
                [login, .read(200, on: 2).with { $0.requestHeaders = [JournalEntry.Header("X-Forwarded-For", "192.0.2.1")] }]),
            Story(
                rule, "another client asks for the same in clear text", .pass,
                [login, redirect, .read(150, "token#2", on: 2).with { $0.query = "page=2" }]),
            Story(rule, "all goes over TLS", .pass, [login, .read(100).secure, .read(200).secure]),
            Story(rule, "the redirect is not followed", .pass, [login, redirect]),
            Story(
                rule, "another client has a token of its own in clear text", .pass,
                [login, .login(50, gives: "token#2", on: 2), .read(100).secure, .read(110, "token#2", on: 2)]),
            Story(
                rule, "the session was put back, and the token is given in clear text too", .notExercised,
                [login, .login(50, on: 2), .read(100, on: 2)]),
            Story(rule, "the bank speaks clear text", .notExercised, [.login(0), .read(100)]),
        ]
    }()
}

extension JournalEntry {
    /// Over TLS.
    fileprivate var secure: JournalEntry { with { $0.tls = "TLSv1.3" } }
}
