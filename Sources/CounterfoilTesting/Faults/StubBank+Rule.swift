import BankEngine
import BankModel
import Faults
import StubServer

extension StubBank {
    /// A fault that was set.
    public struct Rule: Sendable {
        let bank: StubBank
        /// What the journal calls it, such as `rule#1`.
        public let id: String

        /// How many exchanges were such as the rule is for.
        ///
        /// - Throws: ``StubBankError`` if the rule is gone, or after the bank's end.
        public var matched: Int { get throws(StubBankError) { try armed().matched } }

        /// How often it has struck.
        ///
        /// - Throws: ``StubBankError`` if the rule is gone, or after the bank's end.
        public var fired: Int { get throws(StubBankError) { try armed().fired } }

        /// Removes it, and ends what it holds.
        ///
        /// - Throws: ``StubBankError`` if the rule is gone already, or after the bank's end.
        public func remove() async throws(StubBankError) {
            let session = try bank.live()
            guard session.removeRule(id) else { throw gone }
            await session.portsSettled()
        }

        private func armed() throws(StubBankError) -> ArmedRule {
            guard let rule = try bank.live().rules.first(where: { $0.id == id }) else { throw gone }
            return rule
        }

        private var gone: StubBankError {
            StubBankError(.unknownRule, "found \(id) removed or outlived, expected a rule that is set at the bank \"\(bank.name)\"")
        }
    }

    /// Which of the exchanges that a rule matches are struck, by their number from 1.
    public struct Strikes: Sendable {
        let members: [(String, JSON)]

        /// All of them.
        public static let all = Strikes(members: [])

        /// Only the nth.
        public static func nth(_ n: Int) -> Strikes { Strikes(members: [("nth", .int(n))]) }

        /// Each so-manieth.
        public static func every(_ n: Int) -> Strikes { Strikes(members: [("every", .int(n))]) }

        /// Only the first so many.
        public static func first(_ n: Int) -> Strikes { Strikes(members: [("first", .int(n))]) }

        /// All but the first so many.
        public static func skipping(_ n: Int) -> Strikes { Strikes(members: [("skip", .int(n))]) }

        /// Each with that probability, from 0 to 1, decided by the bank's seed: the same requests, the same strikes.
        public static func probability(_ p: Double) -> Strikes {
            Strikes(members: [("probability", JSONNumber(String(p)).map(JSON.number) ?? .string(String(p)))])
        }
    }
}
