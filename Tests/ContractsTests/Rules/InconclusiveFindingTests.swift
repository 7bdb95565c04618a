import BankModel
import Contracts
import Testing

/// A rule that the journal cannot decide is reported as inconclusive, never as a pass.
@Suite struct InconclusiveFindingTests {
    private func report(_ journal: [JournalEntry], dropped: Int = 0, suites: [String] = []) -> JournalReport {
        JournalReport(session: "s", bank: "toy", journal: Story.numbered(journal), dropped: dropped, suites: suites)
    }

    /// Three reads, each on a new connection, each with a Retry-After of five seconds.
    private static let hasty: [JournalEntry] = (0..<3).map {
        .read($0 * 40, status: 429, on: Int($0) + 1).saying("Retry-After", "5")
    }

    @Test func `it reports why the journal cannot decide and what to do`() {
        let text = report(Self.hasty, suites: ["retry"]).text()

        #expect(
            text.hasPrefix(
                """
                INCONCLUSIVE  retry.after-429-seconds@toy
                  Exchange 2 (GET /v1/accounts) came 40 ms after exchange 1 (GET /v1/accounts), which was answered 429 with Retry-After: 5 s. \
                The client must wait as long as Retry-After specifies (RFC 9110 §10.2.3).
                  because   it arrived 30 ms after the response, on another connection; \
                the client may have sent it before reading the response
                  do        send one request at a time over a persistent connection, or wait half a second after the response; \
                for an app that sends one at a time, use `judge --sequential`, or `sequential` of a kit's `expect`
                  why       A client waits at least as long as Retry-After specifies (RFC 6585 §4, RFC 9110 §10.2.3).
                  timeline
                        0.0 ms  #1 GET
                """))
        #expect(text.contains("\n       80.0 ms  #3 GET"))
        #expect(text.contains("1 inconclusive"))
    }

    @Test func `a rejection on a connection that the client reset may not have been read`() {
        func verdict(isReset: Bool) -> Verdict? {
            let rejected = JournalEntry.read(0, "token#1", .tokenRejected).with { $0.receipt.isReset = isReset }
            return report([rejected, .read(9000, "token#1", .tokenRejected, on: 2)]).rules
                .first { $0.id == "auth.token-cleared-on-rejection" }?.verdict
        }

        #expect(verdict(isReset: false) == .fail)
        #expect(verdict(isReset: true) == .inconclusive)
    }

    /// A client with a deadline closes the connection, and the bank's late response still counts as sent.
    @Test func `a late rejection on a connection that the client has closed may not have been read`() {
        func verdict(_ end: Receipt.End, lasts: Int64 = 2500, announced: Bool = false) -> Verdict? {
            let rejected = JournalEntry.read(0, "token#1", .tokenRejected, lasts: lasts).with {
                $0.receipt.end = end
                if announced { $0.requestHeaders.append(JournalEntry.Header("Connection", "close")) }
            }
            return report([rejected, .read(9000, "token#1", .tokenRejected, on: 2)]).rules
                .first { $0.id == "auth.token-cleared-on-rejection" }?.verdict
        }

        #expect(verdict(.fin) == .inconclusive)
        #expect(verdict(.fin, announced: true) == .fail)
        #expect(verdict(.fin, lasts: 10) == .fail, "no client gives up so soon")
        #expect(verdict(.kept) == .fail)
    }

    @Test func `the advice about bodies that cannot be compared says which can`() {
        let journal = [JournalEntry.pay(0).lost, .pay(300, body: "5,00")].map { pay in
            pay.with { $0.requestHeaders = [JournalEntry.Header("Content-Encoding", "gzip")] }
        }

        let rule = report(journal).rules.first { $0.id == "pay.retry-same-bytes" }

        #expect(rule?.openFindings.first?.reason.contains("compressed or in several parts") == true)
        #expect(rule?.openFindings.first?.advice.contains("neither compressed nor in parts") == true)
    }

    @Test func `bodies from which the journal has taken a secret are not called too long`() {
        func body(_ number: Int) -> String { #"{"pin":"\#(SecretFields.mark)","n":\#(number)}"# }
        let journal = [JournalEntry.pay(0, body: body(1)).lost, .pay(300, body: body(2))]

        let rule = report(journal).rules.first { $0.id == "pay.retry-same-bytes" }

        #expect(rule?.verdict == .inconclusive)
        #expect(rule?.openFindings.first?.reason.hasPrefix("the journal does not store secrets and tokens") == true)
    }

    @Test func `a test is warned of what it did not decide`() {
        let kept = [JournalEntry.read(0, status: 429).saying("Retry-After", "5"), .read(6000)]

        let warnings = report(Self.hasty, suites: ["retry"]).warnings

        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasPrefix(
                "warning: retry.after-429-seconds is inconclusive: exchange 2 (GET /v1/accounts) came 40 ms after exchange 1") == true)
        #expect(warnings.first?.contains("on another connection") == true)
        #expect(warnings.first?.contains(". To decide it: send one request at a time") == true)
        #expect(report(kept, suites: ["retry"]).warnings == [])
    }

    @Test func `a run fails only if nothing else had a verdict or it is required`() {
        let all = report(Self.hasty)
        let waits = report(Self.hasty, suites: ["retry"])

        #expect(waits.rules.filter { $0.verdict == .inconclusive }.map(\.id) == ["retry.after-429-seconds"])
        #expect(all.exitCode() == .ok)
        #expect(all.exitCode(require: ["retry"]) == .ok)
        #expect(waits.exitCode() == .ok)

        let token = report([.read(0, "token#1", .tokenRejected), .read(40, "token#1", .tokenRejected, on: 2)])
        var only = token
        only.rules.removeAll { $0.id != "auth.token-cleared-on-rejection" }
        #expect(token.exitCode() == .ok)
        #expect(only.exitCode() == .noVerdict)
        #expect(only.exitCode(require: ["auth"]) == .failed)
        #expect(only.text(require: ["auth"]).contains("the required suite `auth` has no verdict: its rules are inconclusive\n"))
    }

    @Test func `doubt is news once`() {
        let one = report(Array(Self.hasty.prefix(1)), suites: ["retry"])
        let two = report(Array(Self.hasty.prefix(2)), suites: ["retry"])
        let three = report(Self.hasty, suites: ["retry"])

        #expect(one.news(since: nil).contains { $0.hasPrefix("pass so far  retry.after-429-seconds") })
        #expect(two.news(since: one).map { $0.prefix(45) } == ["inconclusive so far  retry.after-429-seconds:"])
        #expect(three.news(since: two) == [])
        #expect(three.tally.hasSuffix("failed, 1 inconclusive"))
    }

    @Test func `a pass of other times names those without a verdict`() {
        let later = JournalEntry.read(60_000, status: 429, on: 9).saying("Retry-After", "5")
        let both = report(Self.hasty + [later, .read(66_000, on: 9)], suites: ["retry"])

        #expect(both.rules.first { $0.id == "retry.after-429-seconds" }?.verdict == .pass)
        #expect(both.text().contains("passed, but inconclusive in 1 of 2 occurrences: retry.after-429-seconds\n"))
    }

    @Test func `a report for files marks an inconclusive finding`() throws {
        let document = JournalReports([report(Self.hasty)]).document(command: { _ in "counterfoil judge" }, duration: 1)

        let result = try #require(document.results.first { $0.verdict == .inconclusive })
        #expect(
            result.reasons.first?.seen.contains("inconclusive, because it arrived 30 ms after the response, on another connection") == true)
        #expect(result.isExcused)
        #expect(result.headline?.hasPrefix("Exchange 2 (GET /v1/accounts) came 40 ms after") == true)
        #expect(result.advice?.hasPrefix("send one request at a time") == true)
        let junit = ReportDocument.junit(of: [document])
        #expect(junit.contains("inconclusive, because "))
        #expect(junit.contains(#"errors="0""#))
        #expect(try ReportDocument(json: document.json, file: "report.json").results == document.results)
    }

    @Test func `a run without any verdict is an error in JUnit`() {
        var only = report(Self.hasty)
        only.rules.removeAll { $0.verdict != .inconclusive }

        #expect(
            ReportDocument.junit(of: [JournalReports([only]).document(command: { _ in "counterfoil judge" }, duration: 1)]).contains(
                #"errors="1""#))
    }

    @Test func `a new key is only seen to be new in a whole journal`() {
        let journal: [JournalEntry] = [.read(0), .pay(100_000, "key-a", .internalError), .pay(100_200, "key-b", on: 1)]
        let whole = report(journal)
        let cut = report(journal, dropped: 1)

        #expect(whole.rules.first { $0.id == "pay.server-error-same-key" }?.verdict == .fail)
        let rule = cut.rules.first { $0.id == "pay.server-error-same-key" }
        #expect(rule?.verdict == .inconclusive)
        #expect(rule?.violations == [])
        #expect(rule?.openFindings.count == 1)
    }

    @Test func `requests that a dropped crowd may have held back are not held against the client`() {
        func again(at ms: Int64) -> [JournalEntry] {
            [.read(0, nil, path: "/v1/atms"), .read(ms, "token#1", .tokenRejected), .read(ms + 100)]
        }

        #expect(report(again(at: 100)).count(.fail) == 1)
        #expect(report(again(at: 100), dropped: 1).count(.fail) == 0)
        #expect(report(again(at: 90_000), dropped: 1).count(.fail) == 1)
    }

    @Test func `a long timeline is cut in the middle`() throws {
        let loop: [JournalEntry] = (0..<200).map {
            .read($0 * 2, status: 302, lasts: 1).saying("Location", "http://127.0.0.1:8080/v1/accounts")
        }

        let report = report(loop)

        let rule = try #require(report.rules.first { $0.verdict == .fail })
        #expect(rule.timeline.count == 25)
        #expect(rule.timelineLeftOut == 136)
        #expect(rule.shownTimeline.count == 26)
        let text = report.text()
        #expect(text.contains(" #20 GET"))
        #expect(!text.contains(" #21 GET"))
        #expect(!text.contains(" #156 GET"))
        #expect(text.contains("\n                 … 136 more …\n"))
        #expect(text.contains(" #157 GET"))
        #expect(text.contains(" #161 GET"))
    }
}
