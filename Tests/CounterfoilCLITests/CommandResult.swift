import ArgumentParser
import Testing

@testable import CounterfoilCLI

/// The exit code of a command that ends as the body does.
func exitCode(_ body: () throws -> Void) throws -> Int32 {
    do {
        try body()
        return 0
    } catch let error as ExitCode {
        return error.rawValue
    } catch {
        try #require(Counterfoil.printed(error) != nil, "\(error)")
        return 2
    }
}

/// The message for a command line that cannot be parsed; an issue if it can.
func rejection<Command: ParsableArguments>(
    of command: Command.Type, _ options: [String], sourceLocation: SourceLocation = #_sourceLocation
) -> String {
    let error = #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try command.parse(options) }
    return error.map { command.message(for: $0) } ?? ""
}
