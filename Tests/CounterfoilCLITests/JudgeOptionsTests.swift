import ArgumentParser
import Testing

@testable import CounterfoilCLI

/// How `counterfoil judge` reads its arguments.
@Suite struct JudgeOptionsTests {
    @Test func `times and suites are read`() throws {
        let command = try JudgeCommand.parse([
            "--suites", "auth, pay", "--require", "pay", "--quiet", "250ms", "--for", "5m", "--until-quiet",
        ])

        #expect(command.quiet == .milliseconds(250))
        #expect(command.limit == .seconds(300))
        #expect(command.untilQuiet)
        #expect(try JudgeCommand.parse(["--har", "a.har", "b.har", "--api", "a.yaml"]).archives == ["a.har", "b.har"])
        #expect(try JudgeCommand.parse([]).sessions == [])
        #expect(try JudgeCommand.parse(["--session", "a", "--session", "b"]).sessions == ["a", "b"])
    }

    @Test(
        arguments: [
            (["--suites", "auht"], "found the suite `auht`, expected auth, pay, retry, wire, invariant or webhooks"),
            (["--suites", "auht"], "did you mean `auth`?"),
            (["--require", "body"], "a journal alone is enough for these only"),
            (["--suites", "pay", "--require", "auth"], "found --require auth, expected a suite selected by --suites: pay"),
            (["--api", "a.yaml"], "found --api without --har"),
            (["--host-name", "mock"], "found --host-name without --through"),
            (["--through", "https://bank.example", "--host-name", "*.com"], "found --host-name *.com, expected a host without a port"),
            (["--har", "a.har", "--session", "a"], "found --session with --har"),
            (["--for", "soon"], "found the time `soon`, expected a duration such as 250ms"), (["--quiet=-1s"], "found the time `-1s`"),
        ])
    func `suites, times and archives that cannot be are reported`(options: [String], expected: String) {
        #expect(rejection(of: JudgeCommand.self, options).contains(expected))
    }
}
