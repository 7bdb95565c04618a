import ArgumentParser
import BankModel
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI

/// `golden save` and `golden check` with a HAR in place of a session.
@Suite struct GoldenCommandTests {
    private func archive(_ path: String) -> String {
        #"""
        {"log": {"version": "1.2", "creator": {"name": "t", "version": "1"}, "entries": [{
        "startedDateTime": "2026-01-12T09:00:00.000Z", "time": 5,
        "request": {"method": "GET", "url": "https://bank.example\#(path)", "headers": [
        {"name": "Authorization", "value": "Bearer abcdefgh12345678"}]},
        "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "{}"}}}]}}
        """#
    }

    @Test func `the requests of a HAR are saved, and those of another differ`() async throws {
        let home = try TestFolder()
        defer { home.remove() }
        let folder = home.path
        let golden = folder + "/app.golden"
        for name in ["accounts", "payees"] { try home.write(archive("/v1/\(name)"), to: "\(name).har") }

        try await GoldenSave.parse([golden, "--har", folder + "/accounts.har"]).run()

        let text = try String(contentsOf: URL(filePath: golden), encoding: .utf8)
        #expect(text.hasPrefix("# counterfoil golden 1\n"))
        #expect(text.contains("GET /v1/accounts\n"))
        #expect(text.contains("token token#1\n"))
        #expect(!text.contains("abcdefgh12345678"))
        try await GoldenCheck.parse([golden, "--har", folder + "/accounts.har"]).run()
        let different = await #expect(throws: ExitCode.self) {
            try await GoldenCheck.parse([golden, "--har", folder + "/payees.har"]).run()
        }
        #expect(different == ExitCode(1))
    }

    @Test(arguments: [(400, 400, true), (399, 400, true), (401, 400, false), (Int.max, 400, false), (200, 200, true)])
    func `a journal longer than a sequence may be is rejected`(count: Int, longest: Int, fits: Bool) async throws {
        let page: @Sendable (String) -> JSON = { query in
            let since = Int(query.dropFirst("since=".count).prefix { $0 != "&" }) ?? 0
            let next = min(since + 200, count)
            return ["entries": .array(Array(repeating: .null, count: next - since)), "next_since": .int(next)]
        }

        if fits {
            _ = try await SequenceOptions.journal(of: "mine", atMost: longest) { page($0) }
        } else {
            let error = await #expect(throws: AdminFailure.self) {
                try await SequenceOptions.journal(of: "mine", atMost: longest) { page($0) }
            }
            #expect(error?.description == "found more than 400 requests in the session mine, expected fewer")
        }
    }

    @Test(arguments: [
        (["--api", "api.yaml"], "found --api without --har"), (["--har", "a.har", "--session", "s"], "found --session with --har"),
    ])
    func `options that contradict each other are reported`(options: [String], expected: String) {
        #expect(rejection(of: GoldenSave.self, ["app.golden"] + options).contains(expected))
    }
}
