import ArgumentParser
import DriverProtocol
import Harness
import Testing

@testable import CounterfoilCLI

/// How `counterfoil test` reads its arguments about the client.
@Suite struct TestOptionsTests {
    @Test func `a one-shot client has the abilities that are listed`() throws {
        let words = ["--client", "sh client.sh", "--one-shot", "--operations", "login,accounts", "--features", "persistence"]

        let command = try TestCommand.parse(words).driver.command()

        #expect(command.kind == .oneShot(.init(operations: [.login, .accounts], features: [.persistence])))
        #expect(command.optionsText == "--one-shot --operations login,accounts --features persistence")
        #expect(try TestCommand.parse(["--client", "x"]).driver.command().kind == .loop)
    }

    @Test(
        arguments: [
            (["--one-shot"], "found --one-shot without --operations"), (["--operations", "login"], "without --one-shot"),
            (["--one-shot", "--operations", "lgin"], "did you mean `login`?"),
            (["--one-shot", "--operations", "login", "--features", "cancel"], "cannot be cancelled"),
            (["--jobs", "0"], "found --jobs 0, expected 1 to 256"), (["--repeat", "0"], "found --repeat 0"),
            (["--repeat", "10001"], "found --repeat 10001, expected 1 to 10000"),
            (["--level", "may"], "found --level may, expected must or should"), (["--max-unsupported", "-1"], "max-unsupported"),
            (["--max-inconclusive=-1"], "found --max-inconclusive -1, expected 0 or more"),
            (["--list", "--explain", "pay.x"], "found --list and --explain, expected one of them"),
        ])
    func `an option about the run that cannot be is reported`(options: [String], expected: String) {
        #expect(rejection(of: TestCommand.self, ["--client", "x"] + options).contains(expected))
    }

    @Test(arguments: [["--jobs", "256"], ["--repeat", "10000"], ["--level", "should"], ["--max-unsupported", "0"]])
    func `options at the bounds are accepted`(options: [String]) throws { _ = try TestCommand.parse(["--client", "x"] + options) }

    @Test func `only what is shown and not run needs no client`() throws {
        let message = rejection(of: TestCommand.self, ["--last-failed"])

        #expect(message.contains("found no --client, expected the driver: "))
        #expect(message.hasSuffix("`counterfoil new driver` writes one"))
        #expect(try TestCommand.parse(["--list"]).choice.onlyShows)
        #expect(try TestCommand.parse(["--explain", "pay.x"]).choice.explain == "pay.x")
    }

    @Test func `help fits 80 columns`() {
        let lines = TestCommand.helpMessage(columns: 80).split(separator: "\n")

        #expect(lines.count > 50)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(!lines.contains { $0.hasSuffix(" \\") })
    }
}
