import BankCore
import BankEngine
import BankModel
public import Foundation

extension StubBank {
    /// Signs a customer in on the bank's page, as a browser with a user would. The journal records no exchange for the page.
    ///
    /// ```swift
    /// let answer = try bank.authorize(app.signInAddress, as: .ava)    // counterfoil-app:/callback?code=…&state=…
    /// try await app.finishSignIn(answer)
    /// ```
    ///
    /// - Parameters:
    ///   - address: the address of the page, with the parameters that the app sends.
    ///   - customer: the customer who signs in; nil for the one that the app names, or the bank's first.
    ///   - decision: what the customer does there.
    /// - Returns: the address of the app with a code, or with an error; nil if the customer closes the page.
    /// - Throws: ``StubBankError`` if the address is not this bank's page, if the page shows an error and redirects nowhere, for an
    ///   unknown customer, or after the bank's end.
    @discardableResult
    public func authorize(
        _ address: URL, as customer: Customer? = nil, decision: SignInDecision = .approve
    ) throws(StubBankError) -> URL? {
        let session = try live()
        let parts = address.absoluteString.split(separator: "?", maxSplits: 1).map(String.init)
        let page = session.signInPage.map { url.absoluteString + $0 }
        guard let page, parts.first == page else {
            throw StubBankError(.signIn, "found the address \(parts.first ?? ""), expected \(page ?? "a bank with `sign_in`")")
        }
        let decided = BankModel.SignInDecision(rawValue: decision.rawValue) ?? .abandon
        let found = try StubBankError.mapping(.signIn) { () throws(AuthorizationError) in
            try session.authorize(parts.count > 1 ? parts[1] : "", decided, login: customer?.rawValue)
        }
        return found.flatMap(URL.init(string:))
    }

    /// What a customer does on the sign-in page.
    public enum SignInDecision: String, Sendable, CaseIterable {
        case approve, deny
        /// Decides nothing, and returns to the app with an error: a consent still awaits the customer.
        case cancel
        /// Closes the page: the app gets no response.
        case abandon
    }
}

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
