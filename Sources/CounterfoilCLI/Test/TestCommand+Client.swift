import ArgumentParser
import Harness

/// The client that `counterfoil test` is to judge, and how it is driven.
extension TestCommand {
    /// The driver's command.
    ///
    /// - Throws: a `ValidationError` if no client is given, for options that do not go together, names that there are not, or a text
    ///   that is no command.
    func command() throws -> DriverCommand {
        guard let client else { throw ValidationError("found no --client, expected the driver: a program and its arguments") }
        return try DriverWords.command(client, oneShot: oneShot, operations: operations, features: features)
    }
}
