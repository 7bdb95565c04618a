import BankClient
import BankModel
import DriverProtocol

/// The model client with one wrong part.
struct Mutant: Sendable {
    var name: String
    /// The mistake, in one sentence.
    var mistake: String
    /// The ids of the cases that must detect it.
    var killedBy: [String]
    /// The id of a case that it must pass: it is wrong in one thing, not broken.
    var control: String
    /// Puts the wrong part among the right ones.
    var compose: @Sendable (ClientParts, CaseStart) throws -> BankClient

    /// - Parameter change: puts the wrong part in place; the client is then built as ever.
    init(
        _ name: String, _ mistake: String, killedBy: [String], control: String = Mutant.usualControl,
        change: @escaping @Sendable (inout ClientParts, CaseStart) -> Void
    ) {
        self.init(name, mistake, killedBy: killedBy, control: control) { parts, start in
            var parts = parts
            change(&parts, start)
            return BankClient(parts)
        }
    }

    init(
        _ name: String, _ mistake: String, killedBy: [String], control: String = Mutant.usualControl,
        compose: @escaping @Sendable (ClientParts, CaseStart) throws -> BankClient
    ) {
        self.name = name
        self.mistake = mistake
        self.killedBy = killedBy
        self.control = control
        self.compose = compose
    }

    /// A right answer, shown: most mistakes leave that alone.
    static let usualControl = "data.exact-amounts"

    /// Payments, shown to be right: for mistakes in what is read or shown.
    static let paying = "pay.new-intent-new-key"

    /// A sign-in that never reaches the bank: for mistakes that break an invariant wherever there is a token or data.
    static let controlWithoutToken = "errors.not-reached-at-sign-in"

    static var all: [Mutant] {
        let groups = [
            customers, refreshEnds,
            tokens, signIns, rejectedSignIns, pageSignIns, challenges, consents, habits, renewals, payments, paymentPages, keys, outcomes,
            retries,
            roundUps, wires,
            certificates, answers,
            binaryAmounts,
            changingCertificates, wrongHandshakes, pins,
            kept,
            errors, bodies, rows, days, pages, offline, invariantAmounts, invariantOrders, invariantResults, invariantKeys, invariantOwner,
            invariantSecrets, invariantDisk, invariantHosts, invariantEndings, invariantRecovery,
            times, clocks, names,
            codings,
            cookies, redirects, outages,
            typed, localised,
            stores,
            processes,
            alike, pairs, life, webhooks, streams,
        ]
        return groups.flatMap { $0 }
    }

    /// One line of `--list`.
    var line: String {
        JSON.object([
            "name": .string(name), "mistake": .string(mistake), "killed_by": .array(killedBy.map(JSON.string)),
            "control": .string(control),
        ]).text
    }
}
