import ArgumentParser
import Testing

@testable import CounterfoilCLI

/// The options of `counterfoil verify`.
@Suite struct VerifyOptionsTests {
    private static let proxy = ["--provider", "https://bank.example", "--bank", "counterfoil", "--proxy", "0"]

    @Test(arguments: [
        ["--login", "ava"], ["--token-file", "token"], ["--from", "a", "--to", "b", "--allow-writes"], ["--set", "id=1"],
        ["--json", "report.json"], ["--junit", "report.xml"],
    ])
    func `a proxy has no option of a comparison, which it would ignore`(options: [String]) {
        let expected = "found --proxy and \(options[0]), expected one of them"
        #expect(rejection(of: VerifyCommand.self, Self.proxy + options).contains(expected))
    }

    @Test func `a comparison has no name for a proxy`() {
        let options = ["--provider", "https://bank.example", "--bank", "counterfoil", "--host-name", "mock"]
        let error = #expect(throws: (any Error).self) { try VerifyCommand.parse(options) }

        #expect(error.map { VerifyCommand.message(for: $0).contains("found --host-name without --proxy") } == true)
    }

    @Test func `a proxy may forward writes and have faults`() {
        #expect(throws: Never.self) { try VerifyCommand.parse(Self.proxy + ["--allow-writes", "--fault", "close", "--limit", "5s"]) }
    }

    @Test func `a parameter has one value, and an operation's may differ from it`() {
        let options = ["--provider", "https://bank.example", "--bank", "counterfoil", "--set", "id=1"]
        #expect(rejection(of: VerifyCommand.self, options + ["--set", "id=2"]).contains("found --set id twice, expected it once"))
        #expect(throws: Never.self) { try VerifyCommand.parse(options + ["--set", "payment.id=2"]) }
    }
}
