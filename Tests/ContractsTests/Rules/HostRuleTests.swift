import BankModel
import Contracts
import Testing

/// Rules on redirects to another host, judged from journals alone.
@Suite struct HostRuleTests {
    @Test(arguments: stories) func `a rule finds what the story shows`(_ story: Story) throws { try story.check() }

    @Test func `a failure names the key and the body`() throws {
        let journal = Story.numbered([redirect, HostRuleTests.elsewhere(.pay(50, on: 2))])

        let report = JournalReport(session: "s", bank: "toy", journal: journal)

        let rule = try #require(report.rules.first { $0.id == "pay.redirected-payment-stays-with-its-bank" })
        #expect(
            rule.violations.first?.text
                == "Exchange 2 (POST /v1/payments) sent the key key-a and a body of 4 bytes to localhost, where exchange 1 "
                + "(POST /v1/payments) was redirected. A redirect to another host must not receive it (RFC 9110 §15.4).")
    }

    static let stories = forwarding + payments + bodies

    private let redirect = HostRuleTests.redirected(.pay(0, status: 307), to: "/v1/payments")

    private static func redirected(_ entry: JournalEntry, to path: String) -> JournalEntry {
        entry.saying("Location", "http://localhost:9000/s/a\(path)")
    }

    private static func elsewhere(_ entry: JournalEntry) -> JournalEntry {
        entry.with {
            $0.host = "localhost:9000"
            $0.token = nil
        }
    }

    private static let payments: [Story] = {
        let rule = "pay.redirected-payment-stays-with-its-bank"
        let redirect = redirected(.pay(0, status: 307), to: "/v1/payments")
        return [
            Story(rule, "the payment goes along with its key", .fail([1, 2]), [redirect, elsewhere(.pay(50, on: 2))]),
            Story(
                rule, "its key alone goes along", .fail([1, 2]),
                [
                    redirect,
                    elsewhere(.pay(50, on: 2)).with {
                        $0.bodyBytes = 0
                        $0.requestBody = []
                    },
                ]),
            Story(
                rule, "the address is only read there", .pass,
                [redirect, elsewhere(.exchange(50, "GET", "/v1/payments", nil, [], on: 2))]),
            Story(rule, "the redirect is not followed", .notExercised, [redirect, .pay(50)]),
            Story(
                rule, "another payment goes there meanwhile", .notExercised,
                [redirect, elsewhere(.pay(50, "key-b", body: "6.00", on: 2))]),
            Story(
                rule, "it leads to the same host", .notExercised,
                [.pay(0, status: 307).saying("Location", "http://127.0.0.1:9000/v1/payments")]),
        ]
    }()

    private static let bodies: [Story] = {
        let rule = "invariant.no-foreign-host"
        func login(_ ms: Int64) -> JournalEntry {
            .login(ms).with {
                $0.responseBody = []
                $0.requestBody = Array("username=ava".utf8)
                $0.bodyBytes = 12
            }
        }
        let redirect = redirected(login(0).with { $0.status = 307 }, to: "/oauth/token")
        return [
            Story(rule, "the sign-in goes along", .fail([1, 2]), [redirect, elsewhere(login(50))]),
            Story(
                rule, "the address is only read there", .pass,
                [redirect, elsewhere(.exchange(50, "GET", "/oauth/token", nil, [], on: 2))]),
            Story(rule, "the redirect is not followed", .notExercised, [redirect]),
            Story(
                rule, "another user signs in there meanwhile", .notExercised,
                [
                    redirect,
                    elsewhere(login(50)).with {
                        $0.requestBody = Array("username=ben".utf8)
                        $0.bodySHA256 = "another"
                    },
                ]),
        ]
    }()

    private static let forwarding: [Story] = {
        let rule = "auth.token-not-forwarded-to-other-host"
        let redirect = JournalEntry.read(0, status: 302).saying("Location", "http://localhost:9000/s/a/v1/accounts?page=2")
        let there = JournalEntry.read(50, on: 2).with {
            $0.host = "localhost:9000"
            $0.query = "page=2"
        }
        return [
            Story(rule, "the token goes along", .fail([1, 2]), [redirect, there]),
            Story(
                rule, "the token goes along to an address without a scheme", .fail([1, 2]),
                [.read(0, status: 302).saying("Location", "//localhost:9000/s/a/v1/accounts?page=2"), there]),
            Story(
                rule, "the token goes along to an address without a path, which has the own one in its query", .fail([1, 2]),
                [
                    .read(0, status: 302).saying("Location", "http://localhost:9000?next=https://127.0.0.1:9000/v1/accounts"),
                    there.with { ($0.path, $0.query) = ("/", "next=https://127.0.0.1:9000/v1/accounts") },
                ]),
            Story(
                rule, "the other host is in the query of a redirect to the own one", .notExercised,
                [.read(0, status: 302).saying("Location", "/v1/login?next=http://localhost:9000/v1/accounts"), there]),
            Story(rule, "it stays behind", .pass, [redirect, there.with { $0.token = nil }]),
            Story(rule, "the redirect is not followed", .notExercised, [redirect]),
            Story(
                rule, "another device uses that host, with its own token", .notExercised, [redirect, there.with { $0.token = "token#2" }]),
            Story(
                rule, "the app uses both hosts anyway", .notExercised, [redirect, .read(8_000, on: 2).with { $0.host = "localhost:9000" }]),
            Story(
                rule, "it leads to the same host", .notExercised,
                [
                    .read(0, status: 302).saying("Location", "http://127.0.0.1:9000/v1/accounts"), .read(50),
                ]),
        ]
    }()
}
