import BankModel
import DriverProtocol

/// How a payment stands that the bank has accepted.
package struct PaymentProgress: Sendable, Hashable {
    /// The bank's id for it.
    package var id: String
    package var state: State

    /// Where it has got to at the bank.
    package enum State: String, Sendable, CaseIterable {
        case accepted, settled, rejected, cancelled
        /// The bank has accepted it, and a second person must authorise it before it goes on.
        case pendingAuthorisation = "pending-authorisation"
        /// The money came back after it had settled.
        case returned

        /// Whether there is nothing to wait for. A settled payment may still be returned, days later.
        package var hasEnded: Bool { self != .accepted && self != .pendingAuthorisation }

        /// Throws ``ClientFailure`` `outcomeUnknown` for a word that this client does not know: it is neither paid nor failed.
        init(reading json: JSON?) throws(ClientFailure) { self = try State.known(json?.string.flatMap { State(rawValue: $0) }, json) }

        /// nil for a code of ISO 20022 that this client does not know.
        init?(iso20022 code: String?) {
            switch code {
            case "PDNG", "RCVD", "ACTC", "ACCP", "ACFC", "ACSP", "ACWC": self = .accepted
            // Some of those who must authorise it have done so, and not yet all.
            case "PATC": self = .pendingAuthorisation
            case "ACSC", "ACCC": self = .settled
            case "RJCT": self = .rejected
            case "CANC": self = .cancelled
            default: return nil
            }
        }

        /// Throws ``ClientFailure`` `outcomeUnknown` for a code of ISO 20022 that this client does not know.
        init(readingISO20022 json: JSON?) throws(ClientFailure) { self = try State.known(State(iso20022: json?.string), json) }

        private static func known(_ state: State?, _ json: JSON?) throws(ClientFailure) -> State {
            if let state { return state }
            let found = json?.text.prefix(40) ?? "none"
            throw ClientFailure(.outcomeUnknown, "found no known state of the payment: \(found)", mayHaveLeft: true)
        }
    }
}

extension PaymentReceipt.State {
    /// Reads a code of ISO 20022 in the response to a payment.
    ///
    /// - Throws: ``ClientFailure`` `rejected` if the payment ended without money moved, `decode` for a code that this client does not know.
    init(iso20022 code: String?) throws(ClientFailure) {
        switch PaymentProgress.State(iso20022: code) {
        case .rejected, .cancelled: throw ClientFailure(.rejected, "the bank rejected the payment", mayHaveLeft: true)
        case .settled: self = .settled
        case .accepted: self = .accepted
        case .pendingAuthorisation: self = .pendingAuthorisation
        case .returned, nil: throw ClientFailure(.decode, "found no known state of a payment in the response", mayHaveLeft: true)
        }
    }
}

extension RetryPolicy {
    /// For a payment that is pending: each wait is twice the one before.
    package static let polling = RetryPolicy(attempts: 4, base: .milliseconds(250), cap: .seconds(4), leastShare: 1)
}

extension BankClient {
    /// Asks the bank how a payment stands. This never sends a payment, whatever the answer is.
    ///
    /// - Parameters:
    ///   - intent: that of a payment that the bank has accepted.
    ///   - untilEnded: asks again, with growing waits and a few times at most, while the payment is pending. A question that failed
    ///     is not evidence about the payment.
    /// - Throws: ``ClientFailure``: `nothingToDo` for an intent that the customer has not begun, `rejected` for a payment that the bank
    ///   rejected at once, `outcomeUnknown` for one whose outcome is not known: resume it. Otherwise the failure of the question.
    package func paymentState(_ intent: String, untilEnded: Bool = false) async throws(ClientFailure) -> PaymentProgress {
        guard let bank = parts.tracking else { throw notOffered(.paymentStatus) }
        let id = try await acceptedID(intent)
        let (clock, began) = (parts.caller.clock, parts.caller.clock.uptime())
        var polls = 0
        while true {
            polls += 1
            var failure: ClientFailure?
            var found: PaymentProgress?
            do throws(ClientFailure) {
                found = PaymentProgress(id: id, state: try await bank.paymentState(parts.caller, id: id))
            } catch {
                guard error.retryable else { throw error }
                failure = error
            }
            if let found, found.state.hasEnded || !untilEnded { return found }
            let wait = parts.polling.wait(
                after: polls, elapsed: clock.uptime() - began, retryAfter: failure?.retryAfter, chance: parts.caller.random.fraction())
            guard untilEnded, let wait else {
                if let found { return found }
                throw failure ?? ClientFailure(.outcomeUnknown, "the bank does not report the payment's state", mayHaveLeft: true)
            }
            guard (try? await clock.sleep(for: wait)) != nil else {
                throw ClientFailure(.cancelled, "cancelled while waiting for the payment", mayHaveLeft: true)
            }
        }
    }

    /// The bank's id for the payment of an intent.
    private func acceptedID(_ intent: String) async throws(ClientFailure) -> String {
        switch try await parts.caller.storedPayment(intent, in: parts.outbox)?.state {
        case .done(let receipt)?: return try needed(receipt.id, "id of the payment")
        case .rejected(let detail)?: throw ClientFailure(.rejected, detail, mayHaveLeft: true)
        case .open?: throw ClientFailure(.outcomeUnknown, "the payment has no final response yet: resume it first", mayHaveLeft: true)
        case nil: throw ClientFailure(.nothingToDo, "no payment with the intent \(intent) was started", mayHaveLeft: false)
        }
    }
}
