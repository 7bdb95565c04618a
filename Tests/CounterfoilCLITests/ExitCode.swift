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
