package import BankModel
import Foundation
import Platform

/// A bank whose customers sign in on a page of its own: the authorization code with PKCE (RFC 6749 §4.1, RFC 7636), in a browser (RFC 8252).
package protocol PageSigningBank: BankAdapter {
    var app: RegisteredApp { get }
    /// The parameters that the page's address has besides OAuth's, such as the id of a new consent. Asked for at each attempt.
    func pageParameters(_ caller: BankCaller, _ bank: BankAddresses) async throws(ClientFailure) -> [PageParameter]
}

extension PageSigningBank {
    /// The default for a bank whose page needs nothing else.
    package func pageParameters(_ caller: BankCaller, _ bank: BankAddresses) async throws(ClientFailure) -> [PageParameter] { [] }
}

/// A parameter of the address of a bank's page.
package struct PageParameter: Sendable, Hashable, Codable {
    package var name: String
    package var value: String
}

/// This app as a bank knows it.
package struct RegisteredApp: Sendable, Hashable, Codable {
    package var id: String
    /// The address by which the system opens the app.
    package var redirect: String
    package var scopes: [String]
    /// nil for a public client: an app on a customer's device can keep none (RFC 8252 §8.5). One with a server is a confidential client.
    package var secret: String?

    /// A form to the token call. A public client names itself among the fields; a confidential one authenticates in the header (RFC 6749
    /// §2.3.1), and its field `client_id` is left out.
    package func form(_ path: String, _ fields: [(String, String?)]) -> BankCall {
        guard let secret else { return .form(path, fields) }
        var call = BankCall.form(path, fields.filter { $0.0 != "client_id" })
        let credentials = Data("\(percentEncoded(id)):\(percentEncoded(secret))".utf8).base64EncodedString()
        call.headers["Authorization"] = "Basic \(credentials)"
        return call
    }
}

extension RegisteredApp: CustomStringConvertible, CustomReflectable {
    /// Never the secret: descriptions end up in logs.
    package var description: String { "RegisteredApp(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// One attempt to sign in. Each has secrets of its own.
///
/// This client has it in memory only: after a restart the customer begins again. An app that the system may end while the browser is open can
/// store it, and continue it by ``PageSignIn/resume(_:)``.
package struct SignInAttempt: Sendable, Hashable, Codable {
    /// Proves at the exchange that the code was asked for here (RFC 7636 §4.1).
    package var verifier: String
    /// Comes back with the answer (RFC 6749 §10.12).
    package var state: String
    /// Comes back in the ID token (OpenID Connect Core 1.0 §3.1.2.1).
    package var nonce: String
    package var app: RegisteredApp
    package var bank: BankAddresses
    /// What the page's address has besides OAuth's parameters.
    package var parameters: [PageParameter] = []
}

extension SignInAttempt: CustomStringConvertible, CustomReflectable {
    /// Never a secret: descriptions end up in logs.
    package var description: String { "SignInAttempt(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Signs in on the bank's page: makes the address for the browser, and exchanges the code that comes back.
package struct PageSignIn: Sendable {
    package var app: RegisteredApp
    /// A new code verifier at each call.
    package var makeVerifier: @Sendable () -> String
    /// A new unguessable text at each call, for `state` and `nonce`.
    package var makeSecret: @Sendable () -> String
    /// What the page's address has besides OAuth's parameters.
    package var makeParameters: @Sendable (BankCaller, BankAddresses) async throws(ClientFailure) -> [PageParameter] = { _, _ in [] }
    /// The address of the bank's page for an attempt.
    package var makeAddress: @Sendable (SignInAttempt) -> String = { $0.pageAddress }
    /// Reads the answer that the app is opened with.
    package var answers: any AnswerReading
    /// Checks the bank's claims about the customer.
    package var idTokens: IDTokenChecker
    private let pending = PendingAttempt<SignInAttempt>()

    package init(_ app: RegisteredApp, random: RandomSource) {
        self.app = app
        makeVerifier = { random.secret() }
        makeSecret = { random.secret() }
        answers = AnswerReader()
        idTokens = IDTokenChecker()
    }

    /// Begins an attempt; one that was in progress ends.
    ///
    /// - Returns: the address to open in a browser.
    package func begin(_ caller: BankCaller) async throws(ClientFailure) -> String {
        let bank = try await BankAddresses.discovered(by: caller)
        let parameters = try await makeParameters(caller, bank)
        let attempt = SignInAttempt(
            verifier: makeVerifier(), state: makeSecret(), nonce: makeSecret(), app: app, bank: bank, parameters: parameters)
        pending.begin(attempt)
        return makeAddress(attempt)
    }

    /// Continues an attempt that was begun before a restart; one that was in progress ends.
    package func resume(_ attempt: SignInAttempt) { pending.begin(attempt) }

    /// Whether an attempt is in progress.
    package var isInProgress: Bool { pending.current != nil }

    /// Ends the attempt that is in progress, without an answer.
    package func abandon() { pending.abandon() }

    /// Ends the attempt that is in progress with the answer that the app was opened with.
    ///
    /// An address that is not the answer to this attempt changes nothing. Once the answer has come, the attempt is over: a code is sent once,
    /// whatever becomes of the request.
    ///
    /// - Throws: ``SignInFailure``; it has the tokens if the bank gave some that are not used.
    package func finish(_ address: String, _ caller: BankCaller) async throws(SignInFailure) -> SignedIn {
        guard let attempt = pending.current else { throw SignInFailure(.unauthorized, "no sign-in is in progress", isForeign: true) }
        let code: String
        do throws(SignInFailure) { code = try answers.code(in: address, of: attempt) } catch {
            if !error.isForeign { pending.end(attempt) }
            throw error
        }
        guard pending.end(attempt) else { throw SignInFailure(.unauthorized, "this sign-in has ended", isForeign: true) }
        let (token, idToken): (Token, String?)
        do throws(ClientFailure) { (token, idToken) = try await exchange(code, of: attempt, caller) } catch {
            throw SignInFailure(error.hiding(code).hiding(attempt.verifier))
        }
        guard attempt.app.scopes.contains("openid") else { return SignedIn(token: token, customer: nil) }
        do throws(ClientFailure) {
            return SignedIn(token: token, customer: try await customer(idToken, of: attempt, token, caller))
        } catch {
            throw SignInFailure(error, unused: token)
        }
    }

    /// The customer whom a valid ID token names.
    private func customer(
        _ text: String?, of attempt: SignInAttempt, _ token: Token, _ caller: BankCaller
    ) async throws(ClientFailure) -> String {
        let idToken = try JSONWebToken(idToken: try needed(text, "ID token"))
        let keys = try await caller.json(.get(try needed(attempt.bank.keysPath, "jwks_uri"), authorised: false))
        try idTokens.check(idToken, keys, of: attempt, access: token.access, now: caller.clock.now())
        return try needed(idToken.claims["sub"]?.string, "`sub` in the ID token")
    }

    /// Exchanges the code for tokens (RFC 6749 §4.1.3). Never repeated: a second use of a code revokes what the first gave (§4.1.2).
    private func exchange(
        _ code: String, of attempt: SignInAttempt, _ caller: BankCaller
    ) async throws(ClientFailure) -> (Token, idToken: String?) {
        let fields: [(String, String?)] = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", attempt.app.redirect), ("client_id", attempt.app.id),
            ("code_verifier", attempt.verifier),
        ]
        var call = attempt.app.form(attempt.bank.tokenPath, fields)
        call.needsNewConnection = true
        let json = try await caller.once.json(call)
        return (try Token(bearer: json), json["id_token"]?.string)
    }
}

/// The tokens of a customer who has signed in on the bank's page.
package struct SignedIn: Sendable {
    package var token: Token
    /// The bank's name of the customer, which stays the same from one sign-in to the next; nil if it sent none.
    package var customer: String?
}

/// Why a sign-in on the bank's page did not come to its end.
package struct SignInFailure: Error, Sendable, Hashable {
    package var failure: ClientFailure
    /// Whether what came does not end this attempt, which therefore goes on: it is not an answer to it, or that is not known yet.
    package var isForeign: Bool
    /// Tokens that the bank gave, and that are not to be used.
    package var unused: Token?

    package init(_ failure: ClientFailure, isForeign: Bool = false, unused: Token? = nil) {
        self.failure = failure
        self.isForeign = isForeign
        self.unused = unused
    }

    package init(_ error: ClientError, _ detail: String, isForeign: Bool = false) {
        self.init(ClientFailure(error, detail, mayHaveLeft: false), isForeign: isForeign)
    }
}

/// The attempt in progress.
final class PendingAttempt<Attempt: Sendable & Hashable>: Sendable {
    private let attempt = Locked<Attempt?>(nil)

    var current: Attempt? { attempt.withLock { $0 } }

    func begin(_ new: Attempt) { attempt.withLock { $0 = new } }

    /// Ends whatever is in progress.
    func abandon() { attempt.withLock { $0 = nil } }

    /// - Returns: false if it has ended already.
    @discardableResult
    func end(_ ended: Attempt) -> Bool {
        attempt.withLock { current in
            guard current == ended else { return false }
            current = nil
            return true
        }
    }
}
