package import BankModel
import Platform

/// A bank where each payment needs a consent of its own, which the customer authorises on the bank's page before the payment is sent.
package protocol PaymentConsentingBank: PageSigningBank {
    /// This app as it asks the customer to authorise a payment.
    var payingApp: RegisteredApp { get }
    /// The consents of the payments in progress.
    var paymentConsents: PaymentConsents { get }
    /// Asks the bank for a consent. It pays nothing.
    func newConsent(_ caller: BankCaller, for order: PaymentOrder) async throws(ClientFailure) -> PaymentConsent
}

/// The consent to one payment.
package struct PaymentConsent: Sendable, Hashable {
    /// The bank's id.
    package var id: String
    package var order: PaymentOrder
    /// What the bank is to carry out: in the consent and in the payment the same.
    package var initiation: JSON
    /// Names the consent in the address of the bank's page.
    package var parameter: PageParameter
    /// The token that came with the authorisation and is good for this payment; nil until the customer has authorised it.
    package var access: String?
}

extension PaymentConsent: CustomStringConvertible, CustomReflectable {
    /// Never the token: descriptions end up in logs.
    package var description: String { "PaymentConsent(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The signed-in customer's consents by payment intent. They live in memory only: after a restart a payment that was not sent gets another.
package final class PaymentConsents: Sendable {
    private struct State {
        var all: [String: PaymentConsent] = [:]
        /// The intent of the newest consent that awaits the customer.
        var awaiting: String?
        /// The one whose page was opened last.
        var opened: (intent: String, id: String)?
    }

    private let state = Locked(State())

    package init() {}

    package subscript(intent: String) -> PaymentConsent? { state.withLock { $0.all[intent] } }

    /// The token for the payment that names this consent.
    package func access(toConsent id: String) -> String? {
        state.withLock { state in state.all.values.first { $0.id == id }?.access }
    }

    /// Whether a consent awaits the customer.
    var hasAwaiting: Bool { state.withLock { state in state.awaiting.map { state.all[$0] != nil } ?? false } }

    func ask(_ consent: PaymentConsent, for intent: String) {
        state.withLock { state in
            // Of two calls at once the first one's consent stays: its page may be open.
            if state.all[intent]?.order != consent.order { state.all[intent] = consent }
            if state.all[intent]?.access == nil { state.awaiting = intent }
        }
    }

    /// The consent awaits the customer again: another one was asked for meanwhile.
    func awaitAgain(_ intent: String) {
        state.withLock { state in
            if let consent = state.all[intent], consent.access == nil { state.awaiting = intent }
        }
    }

    /// The consent that awaits the customer. The next authorisation is of this one.
    func open() -> PaymentConsent? {
        state.withLock { state in
            state.opened = nil
            guard let intent = state.awaiting, let consent = state.all[intent] else { return nil }
            state.opened = (intent, consent.id)
            return consent
        }
    }

    /// Ends the page of the opened consent.
    ///
    /// - Parameter access: the token; nil if the customer has not authorised it, which forgets the consent.
    func close(_ access: String?) {
        state.withLock { state in
            guard let opened = state.opened else { return }
            state.opened = nil
            // The payment may have another consent by now, which the customer has not authorised.
            guard state.all[opened.intent]?.id == opened.id else { return }
            if state.awaiting == opened.intent { state.awaiting = nil }
            if access == nil { state.all[opened.intent] = nil } else { state.all[opened.intent]?.access = access }
        }
    }

    /// Forgets a consent whose token the bank rejects.
    func forget(_ intent: String) { state.withLock { $0.all[intent] = nil } }
    func forget() { state.withLock { $0 = State() } }
}

/// Pays with consents: the first call of an intent asks for one and fails as `forbidden`, until the customer has authorised it.
///
/// A payment that may have reached the bank never gets another consent: that could pay twice.
struct ConsentedSender: PreparingSender {
    let base: any PaymentSending
    let bank: any PaymentConsentingBank
    let caller: BankCaller
    let outbox: any Outbox

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        try await consented(intent, order)
        do throws(ClientFailure) { return try await base.pay(intent, order) } catch {
            if [.unauthorized, .consentExpired, .rejected].contains(error.error) { bank.paymentConsents.forget(intent) }
            throw error
        }
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt {
        guard let kept = try await entry(intent) else {
            // Not begun, but perhaps authorised: the consent has the order.
            guard let consent = bank.paymentConsents[intent] else { return try await base.resume(intent) }
            return try await pay(intent, consent.order)
        }
        return kept.isUnmade ? try await pay(intent, kept.order) : try await base.resume(intent)
    }

    /// Returns if the payment may be sent, or must not be sent again.
    private func consented(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) {
        let kept = try await entry(intent)
        // A rejected payment has used up its consent.
        if let kept, !kept.isUnmade { return }
        let consents = bank.paymentConsents
        if let consent = consents[intent], consent.order == order, consent.access != nil { return }
        if consents[intent]?.order == order {
            consents.awaitAgain(intent)
        } else {
            consents.ask(try await bank.newConsent(caller, for: order), for: intent)
        }
        throw ClientFailure(.forbidden, "the customer must authorise this payment on the bank's page", mayHaveLeft: false)
    }
}

extension BankClient {
    /// The page for the payment that awaits the signed-in customer; nil if none does.
    func openedPayment() async -> PageSignIn? {
        guard let page = parts.paymentPage, let bank = parts.adapter as? any PaymentConsentingBank, bank.paymentConsents.hasAwaiting,
            await hasToken
        else { return nil }
        return page
    }

    /// Finishes the authorisation of a payment. Who is signed in stays so, whatever the answer is; `pay` or `resume` then sends the payment.
    ///
    /// - Throws: ``ClientFailure`` `cancelled` if the customer has denied it.
    func finishPayment(_ address: String, on page: PageSignIn) async throws(ClientFailure) {
        guard let bank = parts.adapter as? any PaymentConsentingBank else { return }
        do throws(SignInFailure) { bank.paymentConsents.close(try await page.finish(address, parts.caller).token.access) } catch {
            if !error.isForeign { bank.paymentConsents.close(nil) }
            throw error.failure
        }
    }
}

/// A sender that prepares each payment at the bank before another sends it. The other sender follows all rules about keys and outcomes.
protocol PreparingSender: PaymentSending {
    var base: any PaymentSending { get }
    var caller: BankCaller { get }
    var outbox: any Outbox { get }
}

extension PreparingSender {
    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        if try await entry(intent) != nil { return try await base.pay(intent, workedOut: order) }
        let workedOut = try await order()
        return PaidOrder(order: workedOut, receipt: try await pay(intent, workedOut))
    }

    /// The signed-in customer's stored payment of an intent.
    func entry(_ intent: String) async throws(ClientFailure) -> OutboxEntry? { try await caller.storedPayment(intent, in: outbox) }
}

extension BankCaller {
    /// The signed-in customer's stored payment of an intent.
    func storedPayment(_ intent: String, in outbox: any Outbox) async throws(ClientFailure) -> OutboxEntry? {
        let customer = try await token().customer
        do throws(StorageError) { return try await outbox.entry(intent, of: customer) } catch {
            throw ClientFailure(.unavailable, "stored payments cannot be read: \(error)", mayHaveLeft: false)
        }
    }
}

extension OutboxEntry {
    /// Whether the next attempt is prepared again: the payment was not sent, or the bank rejected it.
    var isUnmade: Bool {
        switch state {
        case .done: false
        case .open: !mayHaveLeft
        case .rejected: true
        }
    }
}
