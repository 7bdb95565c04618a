import ArgumentParser
import DriverProtocol
import Harness
import Testing

@testable import CounterfoilCLI

/// How `counterfoil test` reads what it is told of the client.
@Suite struct TestOptionsTests {
    @Test func oneShotClientHasTheAbilitiesThatAreListed() throws {
        let words = ["--client", "sh client.sh", "--one-shot", "--operations", "login,accounts", "--features", "persistence"]

        let command = try TestCommand.parse(words).command()

        #expect(command.kind == .oneShot(.init(operations: [.login, .accounts], features: [.persistence])))
        #expect(command.optionsText == "--one-shot --operations login,accounts --features persistence")
        #expect(try TestCommand.parse(["--client", "x"]).command().kind == .loop)
    }

    @Test(
        arguments: [
            (["--one-shot"], "found --one-shot without --operations"), (["--operations", "login"], "without --one-shot"),
            (["--one-shot", "--operations", "lgin"], "did you mean `login`?"),
            (["--one-shot", "--operations", "login", "--features", "cancel"], "cannot be told"),
            (["--jobs", "0"], "found --jobs 0, expected 1 to 256"), (["--repeat", "0"], "found --repeat 0"),
            (["--level", "may"], "found --level may, expected must or should"), (["--max-unsupported", "-1"], "max-unsupported"),
        ])
    func optionsThatCannotBeAreTold(options: [String], expected: String) {
        let error = #expect(throws: (any Error).self) { try TestCommand.parse(["--client", "x"] + options) }

        #expect(error.map { TestCommand.message(for: $0).contains(expected) } == true)
    }
}
