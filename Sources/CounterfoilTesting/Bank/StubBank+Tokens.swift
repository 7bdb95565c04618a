import BankCore
import BankEngine
public import Foundation
import StubServer

extension StubBank {
    /// The bank's tokens: issue one for the app, or end those that it has.
    public var tokens: Tokens { Tokens(bank: self) }

    /// A bank's access and refresh tokens.
    public struct Tokens: Sendable {
        let bank: StubBank

        /// Issues a token as if the customer had signed in.
        ///
        /// - Parameters:
        ///   - login: whose; nil for the bank's first customer.
        ///   - scopes: what it is for; nil for everything that the bank knows.
        ///   - lifetime: by the bank's clock; nil for the bank's own.
        /// - Throws: ``StubBankError`` for an unknown customer or scope, a bank without tokens, or after the bank's end.
        public func issue(for login: String? = nil, scopes: [String]? = nil, lifetime: Duration? = nil) throws(StubBankError) -> Token {
            let session = try bank.live()
            return try telling { () throws(TokenError) in
                Token(try session.issueTokens(login: login, scopes: scopes, lifetime: lifetime))
            }
        }

        /// Ends the life of one token now, as if its time were over; of all access tokens if none is named. Refresh tokens
        /// live on.
        ///
        /// - Parameter id: such as `token#1`, as the journal names it.
        /// - Throws: ``StubBankError`` for an unknown id, or after the bank's end.
        public func expire(_ id: String? = nil) throws(StubBankError) {
            let session = try bank.live()
            try telling { () throws(TokenError) in try session.expireTokens(id: id) }
        }

        /// Revokes one token; all, refresh tokens too, if none is named.
        ///
        /// - Parameter id: such as `token#1`, as the journal names it.
        /// - Throws: ``StubBankError`` for an unknown id, or after the bank's end.
        public func revoke(_ id: String? = nil) throws(StubBankError) {
            let session = try bank.live()
            try telling { () throws(TokenError) in try session.revokeTokens(id: id) }
        }

        /// Takes scopes from one token, or from all if none is named: what needs another scope is refused, and the token stays
        /// good for the rest.
        ///
        /// - Parameters:
        ///   - id: such as `token#1`, as the journal names it.
        ///   - scopes: those that stay; none by default.
        /// - Throws: ``StubBankError`` for an unknown id, or after the bank's end.
        public func downscope(_ id: String? = nil, to scopes: [String] = []) throws(StubBankError) {
            let session = try bank.live()
            try telling { () throws(TokenError) in try session.downscopeTokens(id: id, to: scopes) }
        }

        private func telling<Value>(_ body: () throws(TokenError) -> Value) throws(StubBankError) -> Value {
            do throws(TokenError) {
                return try body()
            } catch {
                throw StubBankError(.tokens, error.description)
            }
        }
    }

    /// A token that was issued.
    public struct Token: Sendable, Hashable {
        /// What the journal calls it: `token#1`.
        public let id: String
        /// What stands behind `Bearer`.
        public let text: String
        /// The text of the refresh token that came with it; nil where the bank has none.
        public let refreshText: String?
        /// By the bank's clock.
        public let expiresAt: Date
    }
}

extension StubBank.Token: CustomStringConvertible {
    /// Its id: texts of tokens do not belong into logs.
    public var description: String { id }
}

extension StubBank.Token {
    fileprivate init(_ issued: IssuedTokens) {
        self.init(
            id: issued.access.id, text: issued.access.text, refreshText: issued.refresh?.text,
            expiresAt: issued.access.expiresAt.foundationDate)
    }
}
