import BankModel
import Contracts
import Testing

/// The report on a journal: verdicts, texts, exit codes.
@Suite struct JournalReportTests {
    @Test func `a finding names its requirement, source and requests`() throws {
        let journal = Story.numbered([.read(0, "token#1", .tokenRejected), .read(2000)])
        let report = JournalReport(session: "s", bank: "toy", journal: journal, suites: ["auth"])
        let read = try JournalReport(json: report.json)
        for report in [report, read] {
            let finding = try #require(report.rules.first { $0.verdict == .fail }?.violations.first)

            #expect(finding.requirement.text == "a rejected token must not be sent again")
            #expect(finding.source == "RFC 6750 §3.1")
            #expect(
                finding.requests == [1, 2].map { RequestRef(number: $0, method: "GET", path: "/v1/accounts", operation: "accounts") })
        }
        let document = JournalReports([read]).document(command: { _ in "c" }, duration: 0)
        let reason = try #require(document.results.first { $0.verdict == .fail }?.reasons.first)
        #expect(reason.expected == "a rejected token must not be sent again (RFC 6750 §3.1)")
        #expect(reason.requests.map(\.number) == [1, 2])
    }

    private static let rejected = JournalEntry.read(0, "token#1", .tokenRejected)

    private func report(_ journal: [JournalEntry], dropped: Int = 0, suites: [String] = []) -> JournalReport {
        JournalReport(session: "s", bank: "toy", journal: Story.numbered(journal), dropped: dropped, suites: suites)
    }

    @Test func `every rule has a story of each kind`() {
        let stories =
            TokenRuleTests.stories + RefreshRuleTests.stories + PaymentRuleTests.stories + RejectionRuleTests.stories
            + WaitRuleTests.stories + BoundRuleTests.stories + HostRuleTests.stories + InvariantRuleTests.stories
        var open: Set<String> = []

        for rule in ClientRule.ofJournals {
            let kinds = stories.filter { $0.rule == rule.id }.map { story -> Verdict in
                switch story.finding {
                case .fail: Verdict.fail
                case .pass: .pass
                case .notExercised: .notExercised
                case .undecided: .inconclusive
                }
            }
            if kinds.contains(.inconclusive) { open.insert(rule.id) }
            #expect(Set(kinds).subtracting([.inconclusive]) == [.fail, .pass, .notExercised], "\(rule.id)")
        }
        let ids = ClientRule.ofJournals.map(\.id)
        #expect(Set(ids).count == ids.count)
        // The others are broken by what requests are, or by what a response brought, whenever they were sent.
        let certain = [
            "auth.no-empty-bearer", "auth.token-never-in-url", "auth.token-not-forwarded-to-other-host",
            "auth.one-refresh-for-parallel-rejections", "auth.no-refresh-loop", "retry.bounded", "retry.payment-bounded",
            "wire.redirect-loop-bounded", "pay.redirected-payment-stays-with-its-bank", "invariant.no-foreign-host",
            "invariant.no-secret-in-address", "invariant.tls-stays-tls",
        ]
        #expect(Set(ClientRule.ofJournals.map(\.id)).subtracting(open) == Set(certain))
    }

    @Test func `the report has what was expected and seen`() {
        let text = report([Self.rejected, .read(100)]).text()

        #expect(
            text.hasPrefix(
                """
                FAIL  auth.token-cleared-on-rejection@toy
                  Exchange 2 (GET /v1/accounts) sent token#1 again after the bank rejected it in exchange 1 (GET /v1/accounts). \
                A rejected token must not be sent again (RFC 6750 §3.1).
                  why       A rejected token must be discarded and never sent again (RFC 6750 §3.1).
                  timeline
                        0.0 ms  #1 GET /v1/accounts token#1 → 401, token-rejected, keep-alive, 100 B head + 100 B body
                      100.0 ms  #2 GET /v1/accounts token#1 → 200, keep-alive, 100 B head + 100 B body
                """))
        #expect(text.hasSuffix("2 passed, 1 failed, 30 not exercised of 33 rules (session s, 2 exchanges)\n"))
    }

    @Test func `exit codes have their precedence`() {
        let bad = [Self.rejected, .read(100)]

        #expect(report([.read(0)]).exitCode() == .ok)
        #expect(report([]).exitCode() == .nothingExercised)
        #expect(report([.read(0)], suites: ["pay"]).exitCode() == .nothingExercised)
        #expect(report(bad).exitCode() == .failed)
        #expect(report([.read(0)]).exitCode(require: ["pay"]) == .failed)
        #expect(report([.read(0)]).exitCode(require: ["auth"]) == .ok)
        #expect(report(bad, dropped: 1).exitCode() == .noVerdict)
    }

    @Test func `nothing is a pass once entries were dropped`() throws {
        let report = report([.read(0)], dropped: 7)

        #expect(report.count(.pass) == 0)
        #expect(report.count(.inconclusive) == ClientRule.ofJournals.count)
        #expect(report.text().contains("7 entries were dropped (journal limit reached)"))
        #expect(report.missing(["auth"]) == ["auth"])
    }

    @Test(arguments: [(0, Verdict.pass), (7, .inconclusive)])
    func `a failure that the recording does not prove is no pass once entries were dropped`(dropped: Int, expected: Verdict) throws {
        let journal: [JournalEntry] = [
            .read(0), .read(100_000, "token#1", .tokenRejected), .read(102_000), .read(104_000, "token#2", .tokenRejected),
            .read(106_000, "token#3"),
        ]
        let report = report(journal, dropped: dropped)
        let doubted = report.doubting { _, _ in (reason: "the recording lacks it", advice: "record it") }
        func rule(_ report: JournalReport) throws -> JournalReport.Outcome {
            try #require(report.rules.first { $0.id == "auth.token-cleared-on-rejection" })
        }

        #expect(try rule(report).verdict == .fail)
        #expect(try rule(doubted).verdict == expected)
        #expect(try rule(doubted).openFindings.map(\.reason) == ["the recording lacks it"])
    }

    @Test func `a missing suite is reported`() {
        #expect(report([.read(0)]).text(require: ["pay", "auth"]).contains("the required suite `pay` was not exercised\n"))
    }

    @Test func `on a terminal the lists of rules are wrapped, and other lines stay whole`() {
        let report = report([Self.rejected, .read(100)])
        let wrapped = report.text(columns: 40).split(separator: "\n")
        let plain = report.text().split(separator: "\n")

        #expect(wrapped.first { $0.hasPrefix("not exercised:") }?.count ?? 99 <= 40)
        #expect(plain.first { $0.hasPrefix("not exercised: ") }?.count ?? 0 > 40)
        #expect(wrapped.last == plain.last)
        #expect(wrapped.last?.count ?? 0 > 40)
        #expect(report.text(columns: 40).filter { !$0.isWhitespace } == report.text().filter { !$0.isWhitespace })
    }

    @Test func `invariants that need a driver are named in one line`() {
        let lines = report([.read(0)]).text().split(separator: "\n").filter { $0.hasPrefix("not checked") }

        #expect(lines.count == 1)
        #expect(lines.first?.contains("invariant.own-data-only (steps, expected results)") == true)
        // Journals show these, by a rule of the same name or another.
        #expect(lines.first?.contains("invariant.tls-stays-tls") == false)
        #expect(lines.first?.contains("invariant.bounded") == false)
        #expect(!report([.read(0)], suites: ["auth"]).text().contains("not checked"))
    }

    @Test func `requests that came through a proxy are counted, and no verdict changes`() throws {
        let own: [JournalEntry] = [.read(0), .read(100), .read(200)]
        var through = own
        for index in 0..<2 {
            through[index].requestHeaders.append(JournalEntry.Header("Via", "1.1 proxy"))
            through[index].requestHeaders.append(JournalEntry.Header("X-Forwarded-For", "10.0.0.7"))
        }
        through[2].requestHeaders.append(JournalEntry.Header("x-forwarded-for", "10.0.0.7"))

        let proxied = report(through)

        #expect(proxied.through == ["via": 2, "x-forwarded-for": 3])
        #expect(proxied.text().contains("note: 3 requests of 3 came through a proxy (header x-forwarded-for)"))
        #expect(proxied.rules.map(\.verdict) == report(own).rules.map(\.verdict))
        #expect(!report(own).text().contains("proxy"))
        #expect(try JournalReport(json: proxied.json).through == proxied.through)
    }

    @Test func `news are reported once`() {
        let one = report([.read(0)])
        let two = report([.read(0), .read(100, "token#1", .tokenExpired)])
        let three = report([.read(0), .read(100, "token#1", .tokenExpired), .read(200)])

        #expect(one.news(since: nil).count == 2)
        #expect(one.news(since: nil).first?.hasPrefix("pass so far  auth.no-empty-bearer") == true)
        #expect(two.news(since: one) == ["pass so far  auth.token-cleared-on-rejection: the bank rejected a token"])
        #expect(three.news(since: two).count == 1)
        #expect(three.news(since: two).first?.hasPrefix("FAIL  auth.token-cleared") == true)
        #expect(three.news(since: three) == [])
        #expect(three.isLater(than: two))
        #expect(!three.isLater(than: three))
        #expect(one.isLater(than: nil))
    }

    @Test func `a full journal is not quiet`() {
        #expect(report([.read(0)], dropped: 8).isLater(than: report([.read(0)], dropped: 7)))
        let underWay = report([.read(0, lasts: nil)])
        #expect(underWay.isLater(than: underWay))
        #expect(underWay.tally.hasPrefix("1 exchange, 1 in flight; "))
    }

    @Test func `it is read as it was written`() throws {
        let hasty = JournalEntry.read(200, status: 429, on: 3).saying("Retry-After", "5")
        let written = report([Self.rejected, .read(100), hasty, .read(240, on: 4), .pay(300, "k", .internalError)], dropped: 3)

        let read = try JournalReport(json: written.json)

        #expect(read.json == written.json)
        #expect(read.dropped == 3)
        #expect(read.rules.contains { !$0.openFindings.isEmpty })
        #expect(throws: ComplaintsError.self) { try JournalReport(json: ["session": "s"]) }
    }

    @Test func `the report of an earlier server, whose findings have numbers only, is read`() throws {
        func earlier(_ json: JSON) -> JSON {
            switch json {
            case .array(let elements): return .array(elements.map(earlier))
            case .object(let members):
                let kept = members.members.filter { !["requirement", "source", "requests"].contains($0.key) }
                return .object(JSONObject(kept.map { ($0.key, earlier($0.value)) }))
            default: return json
            }
        }
        let written = report([Self.rejected, .read(100)])

        let read = try JournalReport(json: earlier(written.json))

        #expect(read.text() == written.text())
        let (old, new) = try (#require(read.rules.first?.violations.first), #require(written.rules.first?.violations.first))
        #expect(old.text == new.text)
        #expect(old.requests == new.requests.map { RequestRef(number: $0.number) })
    }

    @Test func `it becomes a report like any other`() throws {
        let document = JournalReports([report([Self.rejected, .read(100)])])
            .document(command: { "counterfoil judge --session \($0)" }, duration: 1_000)

        let failed = try #require(document.results.first { $0.verdict == .fail })
        #expect(document.client == "session s")
        #expect(document.results.count == ClientRule.ofJournals.count)
        #expect(failed.name == "auth.token-cleared-on-rejection@toy")
        #expect(failed.timeline.count == 2)
        #expect(
            document.results.filter { $0.verdict == .notExercised }.allSatisfy {
                $0.reasons.first?.seen.hasPrefix("the journal has no exchange in which ") == true
            })
        #expect(ReportDocument.junit(of: [document]).contains(#"failures="1""#))
        #expect(HTMLReport([document]).text.contains("auth.token-cleared-on-rejection"))
    }

    @Test func `what is no request is not judged`() {
        let connect = JournalEntry.read(0).with {
            $0.method = nil
            $0.status = nil
        }

        #expect(report([connect]).exchanges == 0)
    }

    @Test func `suites are read and checked`() throws {
        #expect(ClientRule.suites == ["auth", "pay", "retry", "wire", "invariant", "webhooks"])
        #expect(try ClientRule.suites(named: "") == [])
        #expect(try ClientRule.suites(named: " pay, auth,pay,") == ["pay", "auth"])

        let near = #expect(throws: UnknownSuiteError.self) { try ClientRule.suites(named: "auth,rety") }
        let far = #expect(throws: UnknownSuiteError.self) { try ClientRule.suites(named: "body") }

        let what = "expected auth, pay, retry, wire, invariant or webhooks; a journal alone is enough for these only"
        #expect(near?.description == "found the suite `rety`, \(what); did you mean `retry`?")
        #expect(far?.description == "found the suite `body`, \(what)")
    }
}
