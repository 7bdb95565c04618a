import BankCore
import BankEngine
public import Foundation
import StubServer

extension StubBank {
    /// The bank's tokens: issue one for the app, or expire, revoke or restrict those that the app has.
    public var tokens: Tokens { Tokens(bank: self) }

    /// A bank's access and refresh tokens.
    public struct Tokens: Sendable {
        let bank: StubBank

        /// Issues a token as if the customer had signed in.
        ///
        /// - Parameters:
        ///   - customer: the customer; nil for the bank's first.
        ///   - scopes: the token's scopes; nil for every scope that the bank has.
        ///   - lifetime: the token's lifetime by the bank's clock; nil for the bank's default.
        /// - Throws: ``StubBankError`` for an unknown customer or scope, a bank without tokens, or after the bank's end.
        public func issue(
            for customer: Customer? = nil, scopes: [String]? = nil, lifetime: Duration? = nil
        ) throws(StubBankError) -> Token {
            let session = try bank.live()
            return try StubBankError.mapping(.tokens) { () throws(TokenError) in
                Token(try session.issueTokens(login: customer?.rawValue, scopes: scopes, lifetime: lifetime))
            }
        }

        /// Expires one token now, or all access tokens if no id is given. Refresh tokens stay valid.
        ///
        /// - Parameter id: the token's id in the journal, such as `token#1`.
        /// - Throws: ``StubBankError`` for an unknown id, or after the bank's end.
        public func expire(_ id: String? = nil) throws(StubBankError) {
            let session = try bank.live()
            try StubBankError.mapping(.tokens) { () throws(TokenError) in try session.expireTokens(id: id) }
        }

        /// Revokes one token, or all access and refresh tokens if no id is given.
        ///
        /// - Parameter id: the token's id in the journal, such as `token#1`.
        /// - Throws: ``StubBankError`` for an unknown id, or after the bank's end.
        public func revoke(_ id: String? = nil) throws(StubBankError) {
            let session = try bank.live()
            try StubBankError.mapping(.tokens) { () throws(TokenError) in try session.revokeTokens(id: id) }
        }

        /// Replaces the scopes of one token, or of all tokens if no id is given. The bank rejects requests that need another
        /// scope; the token stays valid for the others.
        ///
        /// - Parameters:
        ///   - id: the token's id in the journal, such as `token#1`.
        ///   - scopes: the token's new scopes; none by default.
        /// - Throws: ``StubBankError`` for an unknown id, or after the bank's end.
        public func downscope(_ id: String? = nil, to scopes: [String] = []) throws(StubBankError) {
            let session = try bank.live()
            try StubBankError.mapping(.tokens) { () throws(TokenError) in try session.downscopeTokens(id: id, to: scopes) }
        }
    }

    /// An issued token.
    public struct Token: Sendable, Hashable {
        /// The token's id in the journal, such as `token#1`.
        public let id: String
        /// The access token: the text that follows `Bearer` in the header `Authorization`.
        public let text: String
        /// The refresh token that was issued with it; nil if the bank has none.
        public let refreshText: String?
        /// The end of the access token's lifetime, by the bank's clock.
        public let expiresAt: Date
    }
}

extension StubBank.Token: CustomStringConvertible {
    /// The token's id, so that logs do not contain its text.
    public var description: String { id }
}

extension StubBank.Token {
    fileprivate init(_ issued: IssuedTokens) {
        self.init(
            id: issued.access.id, text: issued.access.text, refreshText: issued.refresh?.text,
            expiresAt: issued.access.expiresAt.foundationDate)
    }
}
