import Contracts
@testable import ProviderCheck
import TestBanks
import Testing

/// The printed report on a provider, compared with a file: a changed sentence shows in a diff.
@Suite struct ProviderGoldenTests {
    private let golden = Golden()

    @Test func `the report on a provider is as it was written down`() {
        let checks: [ProviderReport.Check] = [
            .init(suite: .shapes, name: "accounts", request: "GET /accounts", why: "The shape is the stub's.", verdict: .pass),
            .init(
                suite: .shapes, name: "pay", request: "POST /payments", why: "The shape is the stub's.", verdict: .fail,
                drifts: [Drift(.otherType, at: "/rows/*/id", stub: "a text", provider: "a whole number")], notes: ["sampled once"]),
            .init(
                suite: .shapes, name: "atms", request: "GET /atms", why: "The shape is the stub's.", verdict: .notExercised,
                notes: ["no sample"]),
        ]
        var report = ProviderReport(bank: "till", provider: "https://bank.example", checks: checks, requests: 9)

        #expect(golden.difference("verify.txt", report.text) == nil)
        report.trouble = "offline"
        #expect(golden.difference("verify-trouble.txt", report.text) == nil)
    }
}
