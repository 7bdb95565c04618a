import BankCore
import BankEngine
import BankModel

extension StubBank {
    /// Triggers an event at the bank, without a request of the app.
    ///
    /// ```swift
    /// try bank.happen(.paymentIn("1200.00", to: "ava-gbp", from: "Acme Payroll"))
    /// try bank.happen(.paymentReturns())          // the newest settled payment
    /// ```
    ///
    /// - Parameter event: the event.
    /// - Returns: the movement that the event has made or ended.
    /// - Throws: ``StubBankError`` if the event cannot happen; then nothing has changed.
    @discardableResult
    public func happen(_ event: Event) throws(StubBankError) -> Movement {
        let session = try live()
        let result = try StubBankError.mapping(.event) { () throws(EventError) in try session.happen(event.event) }
        guard case .movement(let movement) = result else { throw StubBankError(.event, "the event has made no movement") }
        return Movement(movement)
    }

    /// Schedules an event: it happens when the bank's clock reaches that time.
    ///
    /// ```swift
    /// try bank.schedule(.paymentIn("1200.00", to: "ava-gbp"), in: .seconds(3 * 86_400), every: .month)
    /// try bank.clock.advance(by: .seconds(31 * 86_400))
    /// ```
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - delay: the time until it happens.
    ///   - repetition: the interval at which it repeats; nil if it happens once.
    /// - Throws: ``StubBankError`` if the event is invalid. A valid event that cannot happen at its time is skipped.
    public func schedule(_ event: Event, in delay: Duration, every repetition: Repetition? = nil) throws(StubBankError) {
        let session = try live()
        let every = repetition?.every
        if case .after(let duration)? = every, duration < ScheduledEvent.Repetition.shortest {
            throw StubBankError(.event, "found a repetition after \(duration), expected a day or more")
        }
        _ = try StubBankError.mapping(.event) { () throws(EventError) in
            try session.schedule(LifeEvent(event.event, after: delay, every: every))
        }
    }

    /// Closes an account: from then on payments from and to it are rejected.
    ///
    /// - Parameter account: the account's id.
    public func closeAccount(_ account: String) throws(StubBankError) {
        var event = BankEvent(.accountClosed)
        event.account = account
        try make(event)
    }

    /// Revokes a consent, as its customer does it elsewhere, such as on the bank's website: from then on its tokens are rejected.
    ///
    /// - Parameter consent: the consent's id; nil for the newest that is authorised.
    /// - Throws: ``StubBankError`` if there is no such consent, or it has ended.
    public func revokeConsent(_ consent: String? = nil) throws(StubBankError) {
        var event = BankEvent(.consentRevoked)
        event.consent = consent
        try make(event)
    }

    private func make(_ event: BankEvent) throws(StubBankError) {
        let session = try live()
        _ = try StubBankError.mapping(.event) { () throws(EventError) in try session.happen(event) }
    }

    /// The interval at which a scheduled event repeats.
    public struct Repetition: Sendable, Hashable {
        let every: ScheduledEvent.Repetition

        /// After a time of at least one day.
        public static func after(_ duration: Duration) -> Repetition { Repetition(every: .after(duration)) }

        /// On the same day of each month, or on the last of a shorter one.
        public static let month = Repetition(every: .month)
    }

    /// An event at the bank without a request of the app.
    public struct Event: Sendable, Hashable {
        let event: BankEvent

        private init(_ kind: BankEvent.Kind, _ set: (inout BankEvent) -> Void) {
            var event = BankEvent(kind)
            set(&event)
            self.event = event
        }

        /// New money arrives on an account.
        ///
        /// - Parameters:
        ///   - amount: in major units of the account's currency, such as `1200.00`.
        ///   - account: the account's id.
        ///   - name: the payer's name.
        ///   - reference: the payment reference; nil for the name.
        public static func paymentIn(_ amount: String, to account: String, from name: String? = nil, reference: String? = nil) -> Event {
            Event(.paymentIn) { ($0.amount, $0.account, $0.name, $0.reference) = (amount, account, name, reference) }
        }

        /// A direct debit takes money from an account.
        ///
        /// - Parameters:
        ///   - amount: in major units of the account's currency.
        ///   - account: the account's id.
        ///   - name: the name of the party that collects it.
        ///   - reference: the payment reference; nil for the name.
        public static func directDebit(_ amount: String, from account: String, by name: String? = nil, reference: String? = nil) -> Event {
            Event(.directDebit) { ($0.amount, $0.account, $0.name, $0.reference) = (amount, account, name, reference) }
        }

        /// A card payment reserves money, for 7 days unless it is captured.
        ///
        /// - Parameters:
        ///   - amount: in major units of the account's currency.
        ///   - account: the account's id.
        ///   - name: the merchant.
        public static func cardAuthorised(_ amount: String, from account: String, at name: String? = nil) -> Event {
            Event(.cardAuthorised) { ($0.amount, $0.account, $0.name) = (amount, account, name) }
        }

        /// A reserved card payment grows: a larger one replaces it.
        ///
        /// - Parameters:
        ///   - amount: the amount to add.
        ///   - payment: the movement's id; nil for the newest that is reserved.
        public static func cardIncremented(by amount: String, _ payment: String? = nil) -> Event {
            Event(.cardIncremented) { ($0.amount, $0.payment) = (amount, payment) }
        }

        /// A reserved card payment is booked.
        ///
        /// - Parameters:
        ///   - payment: the movement's id; nil for the newest that is reserved.
        ///   - amount: a part of it; nil for all.
        public static func cardCaptured(_ payment: String? = nil, amount: String? = nil) -> Event {
            Event(.cardCaptured) { ($0.payment, $0.amount) = (payment, amount) }
        }

        /// The reservation of a card payment is released.
        ///
        /// - Parameter payment: the movement's id; nil for the newest that is reserved.
        public static func cardReversed(_ payment: String? = nil) -> Event { Event(.cardReversed) { $0.payment = payment } }

        /// A booked card payment is refunded.
        ///
        /// - Parameters:
        ///   - payment: the movement's id; nil for the newest that is booked.
        ///   - amount: a part of it; nil for all that is left.
        public static func cardRefunded(_ payment: String? = nil, amount: String? = nil) -> Event {
            Event(.cardRefunded) { ($0.payment, $0.amount) = (payment, amount) }
        }

        /// A second person authorises a payment that waits for it.
        ///
        /// - Parameter payment: as for ``paymentSettles(_:)``; nil for the newest that waits.
        public static func paymentAuthorised(_ payment: String? = nil) -> Event { Event(.paymentAuthorised) { $0.payment = payment } }

        /// A pending payment settles now.
        ///
        /// - Parameter payment: the movement's id, the id in the bank's response, or the idempotency key; nil for the newest that is
        ///   pending.
        public static func paymentSettles(_ payment: String? = nil) -> Event { Event(.paymentSettles) { $0.payment = payment } }

        /// A pending payment is rejected now.
        ///
        /// - Parameters:
        ///   - payment: as for ``paymentSettles(_:)``.
        ///   - reason: why, such as the code `AC04` of ISO 20022; the bank shows it with the payment.
        public static func paymentRejected(_ payment: String? = nil, reason: String? = nil) -> Event {
            Event(.paymentRejected) { ($0.payment, $0.reason) = (payment, reason) }
        }

        /// The customer cancels a pending payment elsewhere, and its money is returned.
        ///
        /// - Parameter payment: the payment; nil for the newest that is pending.
        public static func paymentCancelled(_ payment: String? = nil) -> Event { Event(.paymentCancelled) { $0.payment = payment } }

        /// The money of a settled payment is returned.
        ///
        /// - Parameters:
        ///   - payment: as for ``paymentSettles(_:)``; nil for the newest that has settled.
        ///   - reason: why, such as the code `AC04` of ISO 20022; the bank shows it with the payment.
        public static func paymentReturns(_ payment: String? = nil, reason: String? = nil) -> Event {
            Event(.paymentReturns) { ($0.payment, $0.reason) = (payment, reason) }
        }
    }
}
