import BankEngine
import BankModel
import Contracts
import StubServer
import TestServer
import Testing

/// The judge's verdict on a session's journal, over the admin API and within the program.
@Suite struct AdminVerdictTests {
    /// Two reads on one connection; the first is rejected.
    private func sendAgain(_ admin: Admin) async throws {
        let token = try admin.stub.token()
        try admin.stub.till.revokeTokens()
        let client = try admin.stub.client()
        for _ in 1...2 {
            await client.send(request("GET /v1/accounts", token: token))
            let response = try #require(await client.response())
            #expect(response.status == 401)
        }
        _ = try await admin.stub.till.ended(2)
    }

    @Test func `a broken rule is reported with its exchanges`() async throws {
        try await withAdmin { admin in
            try await sendAgain(admin)

            let verdict = try await admin.call("GET /sessions/till/verdict")

            let rules = try #require(verdict.json["rules"]?.array)
            let broken = rules.filter { $0["verdict"]?.string == "fail" }
            #expect(verdict.status == 200)
            #expect(verdict.json["exchanges"]?.int == 2)
            #expect(rules.count == ClientRule.ofJournals.count)
            #expect(broken.map { $0["id"]?.string } == ["auth.token-cleared-on-rejection"])
            let violation = try #require(broken.first?["violations"]?.array?.first)
            #expect(violation["exchanges"]?.array?.compactMap(\.int) == [1, 2])
            let report = try JournalReport(json: verdict.json)
            #expect(report.exitCode() == .failed)
        }
    }

    @Test func `only the suites that are wanted are judged`() async throws {
        try await withAdmin { admin in
            try await sendAgain(admin)

            let verdict = try await admin.call("GET /sessions/till/verdict?suites=pay,wire")

            let report = try JournalReport(json: verdict.json)
            #expect(Set(report.rules.map(\.suite)) == ["pay", "wire"])
            #expect(report.exitCode() == .nothingExercised)
        }
    }

    @Test func `the order of requests decides of a client that sends one at a time`() async throws {
        try await withAdmin { admin in
            let token = try admin.stub.token()
            try admin.stub.till.revokeTokens()
            for count in 1...2 {
                #expect(try await admin.stub.ask(request("GET /v1/accounts", token: token)).status == 401)
                _ = try await admin.stub.till.ended(count)
            }

            func verdict(_ query: String) async throws -> Verdict? {
                let found = try await admin.call("GET /sessions/till/verdict?suites=auth\(query)")
                return try JournalReport(json: found.json).rules.first { $0.id == "auth.token-cleared-on-rejection" }?.verdict
            }
            #expect(try await verdict("&sequential=true") == .fail)
            for query in ["", "&sequential=false"] {
                #expect(try await verdict(query) == .inconclusive, "the second request may have been sent before the first response")
            }
            #expect(try await admin.call("GET /sessions/till/verdict?sequential=perhaps").status == 400)
        }
    }

    @Test func `the verdict shows how an outage affected the client`() async throws {
        try await withAdmin { admin in
            let storm = #"{"about": "A storm.", "entries": [{"rules": [{"fault": {"status": {"status": 503}}, "times": 2}]}]}"#
            _ = try admin.stub.till.start(plan(storm), limit: nil, seed: nil)
            let client = try admin.stub.client()
            for expected in [503, 503, 200] {
                await client.send(request("GET /v1/clock"))
                #expect(await client.response()?.status == expected)
            }
            _ = try await admin.stub.till.ended(3)

            let verdict = try await admin.call("GET /sessions/till/verdict")

            let report = try JournalReport(json: verdict.json)
            let outage = try #require(report.outage)
            #expect(outage.affected == 2)
            #expect(outage.longest?.since == 1)
            #expect(outage.longest?.until == 3)
            #expect(outage.recovered == 3)
            #expect(report.text().contains("outage storm: 2 requests affected, no successful response for "))
            #expect(report.text().contains(" (exchanges 1 to 3), recovered with exchange 3\n"))
        }
    }

    @Test(arguments: [
        ("auht", "did you mean `auth`?"), ("auth,body", "found the suite `body`, expected auth, pay, retry, wire, invariant or webhooks"),
    ])
    func `a suite that is none is rejected`(_ suites: String, _ detail: String) async throws {
        try await withAdmin { admin in
            let verdict = try await admin.call("GET /sessions/till/verdict?suites=\(suites)")

            #expect(verdict.status == 400)
            #expect(verdict.json["detail"]?.string?.contains(detail) == true)
        }
    }

    @Test func `a session that is none is not found`() async throws {
        try await withAdmin { admin in
            let verdict = try await admin.call("GET /sessions/nobody/verdict")

            #expect(verdict.status == 404)
        }
    }

    @Test func `a journal that dropped entries has no verdict`() async throws {
        try await withAdmin { configuration in
            configuration.journalCapacity = 2
        } _: { admin in
            for _ in 1...3 { _ = try await admin.stub.ask(request("GET /v1/clock")) }
            _ = try await admin.stub.till.entries { $0.last?.seq == 3 && $0.last?.durationMicroseconds != nil }

            let report = try JournalReport(json: try await admin.call("GET /sessions/till/verdict").json)

            #expect(report.dropped == 1)
            #expect(report.exchanges == 2)
            #expect(report.exitCode() == .noVerdict)
        }
    }

    @Test func `a test within the program asks the session`() async throws {
        try await withAdmin { admin in
            try await sendAgain(admin)

            let report = try admin.stub.till.verdict(suites: ["auth"])

            #expect(report.rules.filter { $0.verdict == .fail }.map(\.id) == ["auth.token-cleared-on-rejection"])
            #expect(report.session == "till")
            #expect(report.bank == "till")
            #expect(Set(report.rules.map(\.suite)) == ["auth"])
        }
    }
}
