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

extension TestCommand {
    /// Checks what a shard needs and what it cannot judge.
    func checkShard() throws {
        guard choice.shard != nil else { return }
        if let option = demands.ofWholeRuns {
            throw ValidationError(
                "found \(option) with --shard, expected it with `counterfoil report --merge`, which judges all shards at once")
        }
        if seed == nil, !trying.showsViews {
            throw ValidationError("found --shard without --seed, expected --seed with one number for all shards")
        }
    }
}
