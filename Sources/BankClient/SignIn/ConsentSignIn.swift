import BankModel

/// A sign-in on a bank's page, from the address for the browser to the token.
package protocol SignInFlow: Sendable {
    /// Begins an attempt; one that was in progress ends.
    ///
    /// - Returns: the address to open in a browser.
    func begin(_ caller: BankCaller) async throws(ClientFailure) -> String
    /// Ends the attempt that is in progress, without an answer.
    func abandon()
    /// Ends the attempt that is in progress with the address that the app was opened with.
    func finish(_ address: String, _ caller: BankCaller) async throws(SignInFailure) -> SignedIn
}

extension PageSignIn: SignInFlow {}

/// A bank whose page returns to the app without a code: the app reads with the id of the consent that the customer has authorised there
/// (NextGenPSD2 1.3, redirect SCA approach).
package protocol ConsentSigningBank: BankAdapter {
    /// The address by which the system opens the app.
    var redirect: String { get }
    /// Asks the bank for a consent.
    func askForConsent(_ caller: BankCaller) async throws(ClientFailure) -> OpenedConsent
    /// Asks the bank for the state of a consent.
    func consentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> GivenConsent.State
}

extension ConsentSigningBank {
    /// Whether it is the address by which the system opens the app, with any query.
    func isOwn(_ address: String) -> Bool { address.prefix { $0 != "?" && $0 != "#" } == redirect }
}

/// A consent that awaits the customer.
package struct OpenedConsent: Sendable, Hashable {
    /// The bank's id.
    package var id: String
    /// The address of the page on which the customer decides.
    package var page: String
}

extension OpenedConsent: CustomStringConvertible, CustomReflectable {
    /// Never the id, which becomes the credential: descriptions end up in logs.
    package var description: String { "OpenedConsent(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Signs in by a consent whose id is the credential.
///
/// Anybody can open the app with its own address, and the address has nothing to compare: only the bank's answer about the app's own consent
/// counts. The consent lives in memory only: after a restart the customer begins again.
package struct ConsentSignIn: SignInFlow {
    private let bank: any ConsentSigningBank
    private let pending = PendingAttempt<OpenedConsent>()

    package init(_ bank: any ConsentSigningBank) { self.bank = bank }

    package func begin(_ caller: BankCaller) async throws(ClientFailure) -> String {
        let consent = try await bank.askForConsent(caller)
        pending.begin(consent)
        return consent.page
    }

    package func abandon() { pending.abandon() }

    /// An address that is not the app's own, a consent that still awaits the customer and a question without an answer change nothing.
    ///
    /// - Throws: ``SignInFailure`` `cancelled` if the customer has denied access.
    package func finish(_ address: String, _ caller: BankCaller) async throws(SignInFailure) -> SignedIn {
        guard let consent = pending.current else { throw SignInFailure(.unauthorized, "no sign-in is in progress", isForeign: true) }
        guard bank.isOwn(address) else { throw SignInFailure(.rejected, "the address is not the app's own", isForeign: true) }
        let state: GivenConsent.State
        do throws(ClientFailure) { state = try await bank.consentState(caller, id: consent.id) } catch {
            throw SignInFailure(error, isForeign: true)
        }
        guard state != .awaiting else { throw SignInFailure(.rejected, "the consent still awaits the customer", isForeign: true) }
        guard pending.end(consent) else { throw SignInFailure(.unauthorized, "this sign-in has ended", isForeign: true) }
        switch state {
        case .authorised: return SignedIn(token: Token(access: consent.id), customer: nil)
        case .rejected: throw SignInFailure(.cancelled, "the customer has denied access")
        case .awaiting, .revoked, .expired: throw SignInFailure(.consentExpired, "the consent has ended")
        }
    }
}
