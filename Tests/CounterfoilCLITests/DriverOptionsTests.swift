import ArgumentParser
import Foundation
import Harness
import Testing

@testable import CounterfoilCLI

/// How the options of a driver are read.
@Suite struct DriverOptionsTests {
    @Test func `a file beside the program is found by its relative path`() throws {
        let name = "driver-\(UUID().uuidString).py"
        let here = FileManager.default.currentDirectoryPath
        try Data().write(to: URL(filePath: here).appending(path: name))
        defer { try? FileManager.default.removeItem(atPath: here + "/" + name) }

        let command = try DriverOptions.command(ofLoop: "python3 \(name) Sources")

        #expect(command.words == ["python3", "\(here)/\(name)", "Sources"])
        #expect(command.text == "python3 \(name) Sources")
    }

    @Test(
        arguments: [
            (["--client", "a 'b"], "--client: found an unclosed '"),
            (["--client", "x", "--one-shot"], "found --one-shot without --operations"),
            (["--client", "x", "--one-shot", "--operations", "login", "--features", "caa"], "did you mean `ca`?"),
        ])
    func `check rejects options that cannot be`(options: [String], expected: String) {
        #expect(rejection(of: DriverCheckCommand.self, options).contains(expected))
    }
}
