import BankCore
import BankEngine

extension StubBank {
    /// The challenges with which the bank makes the user confirm payments and reads, if ``StubBankOptions/challenges`` asks for them.
    public var challenge: Challenges { Challenges(bank: self) }

    /// The challenges of a bank, decided as by the user in the bank's own app.
    public struct Challenges: Sendable {
        let bank: StubBank

        /// The right code of every challenge that takes one.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public func code() throws(StubBankError) -> String { try bank.live().challengeCode }

        /// The states of all challenges, oldest first.
        ///
        /// - Throws: ``StubBankError`` after the bank's end.
        public func states() throws(StubBankError) -> [State] {
            try bank.live().challenges.map { State(rawValue: $0.stage.rawValue) ?? .pending }
        }

        /// Approves the latest pending challenge; a challenged payment is then executed.
        ///
        /// - Throws: ``StubBankError`` if none is pending, or after the bank's end.
        public func approve() throws(StubBankError) { try decide(approves: true) }

        /// Denies the latest pending challenge; a challenged payment is never executed.
        ///
        /// - Throws: ``StubBankError`` if none is pending, or after the bank's end.
        public func deny() throws(StubBankError) { try decide(approves: false) }

        private func decide(approves: Bool) throws(StubBankError) {
            let session = try bank.live()
            _ = try StubBankError.mapping(.challenge) { () throws(ChallengeError) in try session.decide(approves: approves) }
        }
    }
}

extension StubBank.Challenges {
    /// The state of a challenge.
    public enum State: String, Sendable, CaseIterable {
        case pending, approved, denied
        /// Too many wrong codes.
        case locked
        case expired
    }
}
