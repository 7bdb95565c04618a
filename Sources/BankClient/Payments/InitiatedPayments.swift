import BankModel
import Platform

/// A bank that makes a payment when its customer authorises it on the bank's page (NextGenPSD2 1.3, redirect SCA approach).
package protocol PaymentInitiatingBank: ConsentSigningBank {
    /// The payments that the app has begun.
    var initiations: PaymentInitiations { get }
    /// Hands an order to the bank. No money moves before the customer has authorised it.
    func initiate(_ caller: BankCaller, _ order: PaymentOrder) async throws(ClientFailure) -> InitiatedPayment
}

/// A payment that the bank makes once its customer has authorised it.
package struct InitiatedPayment: Sendable, Hashable {
    /// The bank's id.
    package var id: String
    package var order: PaymentOrder
    /// The address of the page on which the customer decides.
    package var page: String
}

/// The signed-in customer's payments in progress, by intent. The outbox has each before its page can be opened.
package final class PaymentInitiations: Sendable {
    private struct State {
        var all: [String: InitiatedPayment] = [:]
        /// The newest payment that awaits the customer.
        var awaiting: (intent: String, page: String)?
        /// Whether its page has been opened since the bank has last said that it awaits the customer.
        var wasOpened = false
        /// The intent whose page was opened last.
        var opened: String?
    }

    private let state = Locked(State())

    package init() {}

    package subscript(intent: String) -> InitiatedPayment? { state.withLock { $0.all[intent] } }

    /// The intent whose page is open; nil if none is.
    var opened: String? { state.withLock { $0.opened } }

    /// Of two calls at once the first one's payment counts; the page of the other is never opened.
    func add(_ payment: InitiatedPayment, for intent: String) {
        state.withLock { state in
            if state.all[intent]?.order != payment.order { state.all[intent] = payment }
        }
    }

    /// The payment awaits the customer on that page.
    func wait(_ intent: String, on page: String) {
        state.withLock { state in
            state.awaiting = (intent, page)
            state.wasOpened = false
        }
    }

    /// The intent of the payment that awaits the customer and whose page has been opened before; nil if there is none.
    var reopened: String? { state.withLock { $0.wasOpened ? $0.awaiting?.intent : nil } }

    /// The page of the payment that awaits the customer; nil if none does.
    func open() -> String? {
        state.withLock { state in
            state.opened = state.awaiting?.intent
            state.wasOpened = state.opened != nil
            return state.awaiting?.page
        }
    }

    /// No payment's page is open; what awaits the customer still does.
    func close() { state.withLock { $0.opened = nil } }

    /// The bank has made the payment, or rejected it.
    func end(_ intent: String) {
        state.withLock { state in
            state.all[intent] = nil
            if state.awaiting?.intent == intent { state.awaiting = nil }
            if state.opened == intent { state.opened = nil }
        }
    }

    func forget() { state.withLock { $0 = State() } }
}

/// Pays by initiations: the first call of an intent hands the order to the bank and fails as `forbidden`, until the customer has authorised it.
///
/// What the inner sender sends, as often as it must, is the question about the payment's state, which pays nothing. A payment that the customer
/// may have authorised is never initiated again: that could pay twice.
struct InitiatedSender: PreparingSender {
    let base: any PaymentSending
    let bank: any PaymentInitiatingBank
    let caller: BankCaller
    let outbox: any Outbox

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        let kept = try await entry(intent)
        if kept?.isUnmade ?? true, bank.initiations[intent]?.order != order {
            bank.initiations.add(try await bank.initiate(caller, order), for: intent)
        }
        do throws(ClientFailure) { return ended(intent, try await base.pay(intent, order)) } catch { throw noted(error, intent) }
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt {
        if let kept = try await entry(intent), kept.isUnmade { return try await pay(intent, kept.order) }
        do throws(ClientFailure) { return ended(intent, try await base.resume(intent)) } catch { throw noted(error, intent) }
    }

    private func ended(_ intent: String, _ receipt: PaymentReceipt) -> PaymentReceipt {
        bank.initiations.end(intent)
        return receipt
    }

    private func noted(_ failure: ClientFailure, _ intent: String) -> ClientFailure {
        if let page = failure.challenge?.page { bank.initiations.wait(intent, on: page) }
        if failure.error == .rejected { bank.initiations.end(intent) }
        return failure
    }
}

extension BankClient {
    /// The page of the payment that awaits the signed-in customer; nil if none does.
    func openedInitiation() async -> String? {
        guard let bank = parts.adapter as? any PaymentInitiatingBank, await hasToken else { return nil }
        // The customer may have decided without coming back: the bank shows an error on the page then.
        if let intent = bank.initiations.reopened { _ = try? await resume(intent) }
        return bank.initiations.open()
    }

    /// Finishes the authorisation of a payment. The customer stays signed in, whatever they decide.
    ///
    /// - Returns: false if no payment's page is open.
    /// - Throws: ``ClientFailure`` `rejected` if the customer has denied it, or the bank rejects it; `forbidden` if it still awaits the
    ///   customer.
    func finishInitiation(_ address: String) async throws(ClientFailure) -> Bool {
        guard let bank = parts.adapter as? any PaymentInitiatingBank, let intent = bank.initiations.opened else { return false }
        guard bank.isOwn(address) else { throw ClientFailure(.rejected, "the address is not the app's own", mayHaveLeft: false) }
        _ = try await resume(intent)
        return true
    }
}
