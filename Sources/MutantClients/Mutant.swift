import BankClient
import BankModel
import DriverProtocol

/// The model client with one wrong part.
struct Mutant: Sendable {
    var name: String
    /// What it does wrong, in one sentence.
    var mistake: String
    /// The ids of the cases that must tell.
    var killedBy: [String]
    /// Puts the wrong part among the right ones.
    var compose: @Sendable (ClientParts, CaseStart) throws -> BankClient

    /// - Parameter change: puts the wrong part in place; the client is then built as ever.
    init(_ name: String, _ mistake: String, killedBy: [String], change: @escaping @Sendable (inout ClientParts, CaseStart) -> Void) {
        self.init(name, mistake, killedBy: killedBy) { parts, start in
            var parts = parts
            change(&parts, start)
            return BankClient(parts)
        }
    }

    init(
        _ name: String, _ mistake: String, killedBy: [String],
        compose: @escaping @Sendable (ClientParts, CaseStart) throws -> BankClient
    ) {
        (self.name, self.mistake, self.killedBy, self.compose) = (name, mistake, killedBy, compose)
    }

    static var all: [Mutant] { tokens + payments + answers }

    /// One line of `--list`.
    var line: String {
        JSON.object([
            "name": .string(name), "mistake": .string(mistake), "killed_by": .array(killedBy.map(JSON.string)),
        ]).text
    }
}
