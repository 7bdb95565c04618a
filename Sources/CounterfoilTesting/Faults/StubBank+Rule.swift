import BankEngine
import BankModel
import Faults
import StubServer

extension StubBank {
    /// A rule that is set at the bank.
    public struct Rule: Sendable {
        let bank: StubBank
        /// The rule's id in the journal, such as `rule-1`.
        public let id: String

        /// The number of exchanges that got the rule's fault; after its removal, as many as had got it then.
        public var count: Int { bank.session.counts(ofRule: id)?.applied ?? 0 }

        /// The number of exchanges that the rule has matched, whether it was their turn or not.
        public var matched: Int { bank.session.counts(ofRule: id)?.matched ?? 0 }

        /// Removes the rule and drops the exchanges that it holds.
        ///
        /// - Throws: ``StubBankError`` if the rule is gone already, or after the bank's end.
        public func remove() async throws(StubBankError) {
            let session = try bank.live()
            guard session.removeRule(id) else { throw gone }
            await session.portsSettled()
        }

        private var gone: StubBankError {
            StubBankError(.unknownRule, "found \(id) removed or expired, expected a rule that is set at the bank \"\(bank.name)\"")
        }
    }

    /// The matches of a rule that get its fault, by their number from 1.
    public struct Occurrences: Sendable {
        let members: [(key: String, value: JSON)]

        /// Every match.
        public static let all = Occurrences(members: [])

        /// Only the `n`th match.
        public static func nth(_ n: Int) -> Occurrences { Occurrences(members: [("nth", .int(n))]) }

        /// Every `n`th match.
        public static func every(_ n: Int) -> Occurrences { Occurrences(members: [("every", .int(n))]) }

        /// Only the first `n` matches.
        public static func first(_ n: Int) -> Occurrences { Occurrences(members: [("first", .int(n))]) }

        /// Every match after the first `n`.
        public static func skipping(_ n: Int) -> Occurrences { Occurrences(members: [("skip", .int(n))]) }

        /// Each match with probability `p`, from 0 to 1. The bank's seed decides: the same requests get the same faults.
        public static func probability(_ p: Double) -> Occurrences {
            Occurrences(members: [("probability", JSONNumber(String(p)).map(JSON.number) ?? .string(String(p)))])
        }
    }
}
