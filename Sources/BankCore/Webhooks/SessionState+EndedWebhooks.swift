import BankModel

/// The ends of payments and consents that come by themselves, and their announcement.
extension SessionState {
    /// Notes the payments that end by themselves by then.
    mutating func noteEnding(by now: Instant) {
        for number in ledger.due(at: now) {
            webhooks.note(.movement(number), endedAt: ledger.movements[number].ending?.at ?? now)
        }
    }

    /// Makes the deliveries of payments and consents that have ended by themselves, in the order in which they have.
    ///
    /// Each is made at the instant of the end: whatever the size of the clock's steps, they are the same.
    ///
    /// - Returns: whether there are any.
    @discardableResult
    package mutating func announceEnded() -> Bool {
        guard !webhooks.ended.isEmpty else { return false }
        let before = webhooks.nextNumber
        // Stable: of a payment and a consent that end together the payment is first.
        for ended in webhooks.ended.sorted(by: { $0.at < $1.at }) {
            switch ended.subject {
            case .movement(let number):
                announceEnd(number, at: ended.at)
                forgetRow(ofEnded: number)
            case .consent(let id): if let found = consent(id) { announceConsent(found.row, of: id.table, at: ended.at) }
            }
        }
        webhooks.forgetEnds()
        return webhooks.nextNumber > before
    }

    /// Makes the deliveries of the end of a payment.
    mutating func announceEnd(_ number: Int, at now: Instant) {
        let movement = ledger.movements[number]
        guard !movement.isOfEvent else { return }
        switch movement.state {
        case .pendingAuthorisation, .accepted: break
        case .settled: announce(.settled, number, at: now)
        case .rejected: announce(.rejected, number, at: now)
        case .cancelled: announce(.cancelled, number, at: now)
        }
    }

    // MARK: undone

    /// Notes what has ended by itself and whose announcement was undone: it is announced again.
    mutating func noteEnded(of undone: [Change]) {
        var events: Set<String> = []
        for case .delivery(let delivery, nil) in undone where events.insert(delivery.event.id).inserted {
            guard let subject = subject(of: delivery) else { continue }
            webhooks.note(subject, endedAt: delivery.event.created)
        }
    }

    /// The payment or consent that a delivery is about, if it announces an end that has come by itself.
    private func subject(of delivery: Delivery) -> WebhookBook.Ended.Subject? {
        let event = delivery.event
        // With the clock's advance its end is undone, too.
        guard event.created <= present else { return nil }
        switch event.kind {
        case .settled, .rejected, .cancelled:
            guard ledger.movements.indices.contains(delivery.movement) else {
                return undecided(event.object["id"]?.string ?? "", at: event.created).map(WebhookBook.Ended.Subject.consent)
            }
            let movement = ledger.movements[delivery.movement]
            return !movement.state.isPending && movement.ending?.at == event.created ? .movement(delivery.movement) : nil
        case .consentExpired:
            return event.table.map { .consent(RowID(table: $0, key: event.object["id"]?.string ?? "")) }
        default: return nil
        }
    }
}
