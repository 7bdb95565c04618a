import BankModel
import Testing

@testable import Contracts

/// Journals with many entries, such as a day of a browser: no rule compares each with each.
@Suite(.timeLimit(.minutes(5))) struct LargeJournalTests {
    private static let count = 8_000

    /// A request each 10 ms, each by another token, so that most requests have many others within a second.
    private func journal(_ make: (Int) -> JournalEntry) -> [JournalEntry] {
        (0..<Self.count).map { number in
            var entry = make(number)
            entry.seq = number + 1
            entry.monoNanoseconds = Int64(number) * 10_000_000
            entry.durationMicroseconds = 5_000
            entry.receipt = Receipt(headBytes: 20, end: .kept)
            return entry
        }
    }

    private func payment(_ number: Int, status: Int, _ response: String? = nil, headers: [JournalEntry.Header] = []) -> JournalEntry {
        let body = Array(#"{"to": "b-2", "amount": \#(number)}"#.utf8)
        return JournalEntry(
            seq: 0, method: "POST", path: "/pay", operation: "pay", roles: ["pay"], token: "token#\(number)", key: "key-\(number)",
            bodySHA256: "digest \(number)", bodyBytes: body.count, status: status, response: response, requestBody: body,
            responseHeaders: headers)
    }

    /// The rules that are broken by the journal and one more request, which repeats the last one with a change; each with the number of
    /// violations.
    private func broken(_ journal: [JournalEntry], then change: (inout JournalEntry) -> Void) -> [String: Int] {
        let next = journal.suffix(1).map { last in
            last.with { entry in
                entry.seq += 1
                entry.monoNanoseconds += 10_000_000
                change(&entry)
            }
        }
        return broken(journal + next)
    }

    private func broken(_ whole: [JournalEntry]) -> [String: Int] {
        let report = JournalReport(session: "s", bank: "toy", journal: whole, isOfOneClient: true)
        return Dictionary(report.rules.filter { $0.verdict == .fail }.map { ($0.id, $0.violations.count) }) { $0 + $1 }
    }

    @Test(
        arguments: [
            (400, nil, "pay.final-refusal-not-retried"), (422, nil, "pay.final-refusal-not-retried"),
            (500, "key-new", "pay.server-error-same-key"), (503, "key-new", "pay.server-error-same-key"),
        ] as [(Int, String?, String)])
    func `thousands of payments that fail, and one is sent again`(_ status: Int, _ newKey: String?, _ rule: String) {
        let found = broken(journal { payment($0, status: status) }, then: { $0.key = newKey ?? $0.key })

        #expect(found == [rule: 1])
    }

    @Test func `thousands of payments whose keys belong to others, and one is sent again`() {
        let mismatched = journal { payment($0, status: 422, DialectResponseName.keyMismatch.rawValue) }

        #expect(broken(mismatched, then: { _ in }) == ["pay.mismatch-not-retried": 1])
    }

    @Test func `thousands of payments that must wait, and one does not`() {
        let limited = journal { payment($0, status: 429, headers: [.init("Retry-After", "3600")]) }

        #expect(broken(limited, then: { _ in }) == ["retry.payment-after-429-seconds": 1])
    }

    @Test func `thousands of rejected tokens, and one is sent again`() {
        let rejected = journal {
            JournalEntry(
                seq: 0, operation: "accounts", token: "token#\($0)", status: 401, response: DialectResponseName.tokenRejected.rawValue)
        }

        #expect(broken(rejected, then: { _ in }) == ["auth.token-cleared-on-rejection": 1])
    }

    @Test func `thousands of customers who sign out, and the token of one is sent again`() {
        let signedOut = journal {
            JournalEntry(
                seq: 0, method: "POST", path: "/logout", operation: "logout", roles: ["logout"], token: "token#\($0)", status: 200,
                responseBody: Array("{}".utf8))
        }
        let found = broken(
            signedOut,
            then: {
                $0.operation = "accounts"
                $0.roles = ["accounts"]
            })

        #expect(found == ["invariant.own-token-only": 1])
    }

    @Test func `thousands of tokens without the scope, and then a request without one`() {
        let refused = journal {
            JournalEntry(
                seq: 0, operation: "accounts", token: "token#\($0)", status: 403, response: DialectResponseName.scopeRefused.rawValue)
        }
        let found = broken(
            refused,
            then: {
                $0.token = nil
                $0.status = 401
                $0.response = DialectResponseName.noCredentials.rawValue
            })

        #expect(broken(refused) == [:])
        #expect(Array(found.keys) == ["auth.scope-refusal-keeps-token"])
    }

    /// Two requests with each token are rejected, and a refresh follows: each was compared with all refreshes.
    @Test func `thousands of refreshes, each for several rejections`() {
        let refreshed = journal { number in
            let round = number / 3
            if number % 3 < 2 {
                return JournalEntry(
                    seq: 0, operation: "accounts", token: "token#\(round)", status: 401,
                    response: DialectResponseName.tokenRejected.rawValue)
            }
            return JournalEntry(
                seq: 0, method: "POST", path: "/token", operation: "refresh", roles: ["refresh"], status: 200,
                requestBody: Array("refresh_token=refresh#\(round)".utf8),
                responseBody: Array(#"{"access_token":"token#\#(round + 1)","refresh_token":"refresh#\#(round + 1)"}"#.utf8))
        }
        let report = JournalReport(session: "s", bank: "toy", journal: refreshed, isOfOneClient: true)
        let rule = report.rules.first { $0.id == "auth.one-refresh-for-parallel-rejections" }

        #expect(rule?.verdict == .pass)
        #expect(rule?.met == Self.count / 3)
    }

    /// With four requests in flight the journal decides of none whether the client knew that it must wait.
    @Test func `thousands of requests side by side that must wait`() {
        let crowd = journal { _ in
            JournalEntry(
                seq: 0, method: "GET", path: "/accounts", operation: "accounts", status: 429,
                responseHeaders: [.init("Retry-After", "3600")])
        }.map { $0.with { $0.durationMicroseconds = 50_000 } }
        let report = JournalReport(session: "s", bank: "toy", journal: crowd, isOfOneClient: true)
        let rule = report.rules.first { $0.id == "retry.after-429-seconds" }

        // Those that were sent before the first response had come; all others belong to their burst.
        #expect(rule?.verdict == .inconclusive)
        #expect(rule?.openFindings.count == 6)
        #expect(rule?.openFindings.first?.finding.requests.count == 201)
    }

    @Test func `thousands of redirects to other hosts at once, and one is followed with its token`() {
        let redirected = journal { number in
            JournalEntry(
                seq: 0, host: "bank.example", method: "GET", path: "/x", token: "token#\(number)", status: 302,
                responseHeaders: [.init("Location", "https://other\(number).example/y")])
        }.enumerated().map { number, entry in
            entry.with {
                $0.monoNanoseconds = Int64(number) * 100_000
                $0.durationMicroseconds = 1
            }
        }
        let found = broken(
            redirected,
            then: {
                $0.host = "other\(Self.count - 1).example"
                $0.path = "/y"
                $0.status = 200
            })

        #expect(found == ["auth.token-not-forwarded-to-other-host": 1])
    }

    // MARK: the index

    private func entry(_ seconds: Int64, token: String? = nil, digest: String = "", body: String = "", gives: String = "") -> JournalEntry {
        JournalEntry(
            seq: Int(seconds), monoNanoseconds: seconds * 1_000_000_000, durationMicroseconds: 1000, method: "POST", path: "/pay",
            roles: ["pay"], token: token, key: "key-\(seconds)", bodySHA256: digest, bodyBytes: body.utf8.count,
            requestBody: Array(body.utf8), responseBody: Array(gives.utf8))
    }

    @Test func `payments are alike by their digests and by the values of their bodies`() {
        let journal = [
            entry(1, digest: "a", body: #"{"x": 1, "y": 2}"#), entry(2, digest: "b", body: #"{"y":2,"x":1}"#),
            entry(3, digest: "c", body: #"{"x": 3}"#), entry(4, digest: "c", body: ""), entry(5, digest: "d", body: #"{"x": 3}"#),
            entry(6, digest: "e", body: #"{"x": 4}"#),
        ]
        let index = RequestIndex(journal)

        #expect(journal.map(index.alike) == [[0, 1], [0, 1], [2, 3, 4], [2, 3, 4], [2, 3, 4], [5]])
        for (first, other) in journal.indices.flatMap({ first in journal.indices.map { (first, $0) } })
        where journal[first].hasBody(of: journal[other]) == true {
            #expect(index.alike(journal[first]).contains(other))
        }
    }

    @Test func `a token was given at the times of the responses that brought it`() {
        let given = #"{"access_token": "token#2"}"#
        let scene = Scene(journal: [entry(1, token: "token#1", gives: given), entry(2), entry(3, gives: given), entry(4, token: "token#3")])
        func second(_ number: Int64) -> Int64 { number * 1_000_000_000 }

        #expect(scene.wasGiven("token#2"))
        #expect(scene.wasGiven("token#2", from: second(2), to: second(4)))
        #expect(!scene.wasGiven("token#2", from: second(2), to: second(3)))
        #expect(!scene.wasGiven("token#2", from: second(4)))
        #expect(!scene.wasGiven("token#1"))
    }
}
