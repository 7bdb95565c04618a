import BankModel

/// What webhooks announce of consents.
extension SessionState {
    /// Announces the state that a consent has from a row on, unless it had it before.
    ///
    /// A payment that is made when its customer authorises it is a consent until then: its end is announced as that of a payment.
    mutating func announceConsent(_ row: TableRow, of table: String, at now: Instant) {
        guard let policy = bank.consents[table] else { return }
        let found = FoundConsent(id: RowID(table: table, key: row.key), policy: policy, row: row)
        let before = (rows.added[table]?.numbers(ofKey: row.key) ?? []).compactMap { rows.added[table]?.rows[Int($0)] }
            .last { $0.until == row.since }
        if let before, FoundConsent(id: found.id, policy: policy, row: before).state == found.state { return }
        if let move = prepared.router.mover(into: table)?.move {
            guard let (kind, state) = found.state.endOfPayment else { return }
            let ended = payment(move, of: found, as: state, at: now)
            announce(kind, Delivery.ofConsents, ended, of: found.id, at: now)
        } else if let kind = found.state.event {
            announce(kind, Delivery.ofConsents, shown(found), of: found.id, consentIn: table, at: now)
        }
    }

    /// A consent, as deliveries show it.
    private func shown(_ found: FoundConsent) -> JSONObject {
        JSONObject([
            ("id", .string(found.id.key)), ("state", .string(found.state.rawValue)),
            ("accounts", .array(found.accounts.map(JSON.string))), ("permissions", .array(found.permissions.map(JSON.string))),
        ])
    }

    // MARK: ends

    /// The webhook in whose place another one about a row of the table comes: of those whose payment or consent has ended, and for which nothing
    /// waits, the oldest, or else the oldest of all; nil if there is room.
    func superfluousWebhook(ofTable table: String?) -> Webhook? {
        let own = webhooks.webhooks.filter { $0.about == .row && $0.row?.table == table }
        guard own.count >= Webhook.mostOfRows else { return nil }
        return own.first { !webhooks.isAwaited($0.number) && hasEnded($0) } ?? own.first
    }

    /// Whether the payment or the consent has ended that a webhook is about: all that may still happen is that the payment is returned.
    private func hasEnded(_ webhook: Webhook) -> Bool {
        guard let id = webhook.row, let row = row(id.table, key: id.key) else { return true }
        if let origin = row.origin { return !ledger.movements[Int(origin.movement)].state.isPending }
        switch consent(id)?.state {
        case .awaiting, .authorised, nil: return false
        case .rejected, .revoked, .terminated, .expired, .used: return true
        }
    }

    // MARK: expiry

    /// Notes the consents that have expired after an instant and by now, or that nobody has decided about in time.
    mutating func noteExpired(after before: Instant) {
        webhooks.forgetExpiries()
        for (table, policy) in bank.consents.sorted(by: { $0.key < $1.key }) {
            for row in rows.added[table]?.rows ?? [] where row.since > before && row.since < row.until {
                let state = policy.state(of: row.fields)
                guard state == .expired || state == .rejected && undecided(row.key, at: row.since) != nil else { continue }
                if row.since > present {
                    webhooks.expectExpiry(at: row.since)
                } else {
                    webhooks.note(.consent(RowID(table: table, key: row.key)), endedAt: row.since)
                }
            }
        }
    }
}

extension ConsentState {
    /// The event that reports it; nil for a state that no event reports.
    fileprivate var event: WebhookEvent.Kind? {
        switch self {
        case .awaiting, .used: nil
        case .authorised: .consentAuthorised
        case .rejected: .consentRejected
        case .revoked, .terminated: .consentRevoked
        case .expired: .consentExpired
        }
    }

    /// The event and the state with which a payment ends that its customer has not authorised; nil if this state ends none.
    fileprivate var endOfPayment: (event: WebhookEvent.Kind, state: Movement.State)? {
        switch self {
        case .rejected: (event: .rejected, state: .rejected)
        case .revoked, .terminated: (event: .cancelled, state: .cancelled)
        case .awaiting, .authorised, .expired, .used: nil
        }
    }
}
