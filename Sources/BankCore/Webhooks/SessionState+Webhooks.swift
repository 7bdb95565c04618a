package import BankModel

/// Webhooks: their registration, and the deliveries of what happens.
extension SessionState {
    // MARK: registration

    /// Registers a receiver, whose address was checked.
    ///
    /// - Parameters:
    ///   - row: the row that an operation has added for it.
    ///   - about: what the receiver gets events about. Of too many that are about one row of a table each one is removed.
    package mutating func register(
        _ receiver: WebhookPolicy.Receiver, of row: RowID? = nil, about: Operation.Registration.Subject = .session
    ) throws(WebhookError) -> Webhook {
        guard bank.webhooks != nil else { throw .unknownToBank(bank.name) }
        switch about {
        case .session: if webhooks.webhooks.count(where: { $0.about == .session }) >= Webhook.most { throw .tooMany }
        case .row: if let superfluous = superfluousWebhook(ofTable: row?.table) { remove(superfluous) }
        }
        var webhook = Webhook(number: webhooks.registered + 1, receiver)
        (webhook.row, webhook.about) = (row, about)
        set(webhooks.webhooks + [webhook])
        return webhook
    }

    /// Removes a webhook, and the row that an operation has added for it and for nothing else; its pending deliveries are not sent.
    package mutating func removeWebhook(_ id: String) throws(WebhookError) {
        let webhook = try webhook(id)
        remove(webhook)
        guard webhook.about == .session, let row = webhook.row, let table = prepared.tables[row.table] else { return }
        replace(row.key, of: table, at: present) { _ in nil }
    }

    /// Removes the webhook for which an operation has added that row, if there is one.
    mutating func removeWebhook(of row: RowID) {
        for webhook in webhooks.webhooks where webhook.row == row { remove(webhook) }
    }

    private mutating func remove(_ webhook: Webhook) {
        set(webhooks.webhooks.filter { $0.number != webhook.number })
        guard webhooks.isAwaited(webhook.number) else { return }
        for delivery in webhooks.deliveries where delivery.webhook == webhook.number && delivery.next != nil {
            alter(delivery) { $0.next = nil }
        }
    }

    private mutating func alter(_ delivery: Delivery, _ change: (inout Delivery) -> Void) {
        var altered = delivery
        change(&altered)
        make(.delivery(altered, before: delivery))
    }

    /// Replaces a webhook's secret. The old one remains valid for a day.
    package mutating func rotateSecret(of id: String, at now: Instant) throws(WebhookError) -> Webhook {
        try change(id) { webhook in
            webhook.rotations += 1
            webhook.rotatedAt = now
        }
    }

    /// Gives the next deliveries of a webhook a fault.
    package mutating func add(_ fault: DeliveryFault, times: Int, to id: String) throws(WebhookError) -> Webhook {
        guard try webhook(id).faults.count + times <= Webhook.mostFaults else { throw .tooManyFaults }
        return try change(id) { $0.faults += Array(repeating: fault, count: times) }
    }

    package func webhook(_ id: String) throws(WebhookError) -> Webhook {
        guard let webhook = webhooks.webhooks.first(where: { $0.id == id }) else { throw .unknown(id, known: webhooks.webhooks.map(\.id)) }
        return webhook
    }

    private mutating func change(_ id: String, _ body: (inout Webhook) -> Void) throws(WebhookError) -> Webhook {
        var changed = try webhook(id)
        body(&changed)
        set(webhooks.webhooks.map { $0.number == changed.number ? changed : $0 })
        return changed
    }

    private mutating func set(_ changed: [Webhook]) { make(.webhooks(changed, before: webhooks.webhooks)) }

    /// The webhooks of a session that begins.
    static func webhooks(of bank: Bank) -> WebhookBook {
        var book = WebhookBook()
        book.set((bank.webhooks?.receivers ?? []).enumerated().map { Webhook(number: $0 + 1, $1) })
        return book
    }

    // MARK: what happens

    /// Makes changes that no request asks for, such as a customer's decision on a page or in another app, and announces them.
    mutating func announcing<Result>(at now: Instant, _ body: (inout SessionState) -> Result) -> Result {
        let mark = log.begin()
        defer { log.end() }
        let result = body(&self)
        announceChanges(since: mark, at: now)
        return result
    }

    /// Makes the deliveries of the command's changes from that number on, and of payments that have ended by themselves.
    ///
    /// The changes are read one by one and not as a slice: deliveries are appended to the same array meanwhile, and the optimiser of Swift
    /// 6.2 does not keep the slice's buffer, so that the loop would read freed memory.
    mutating func announceChanges(since mark: Int, at now: Instant) {
        guard !webhooks.webhooks.isEmpty else { return }
        let made = mark..<log.changes.count
        announceEnded()
        for position in made {
            switch log.changes[position] {
            case .moved(let movement):
                guard let number = ledger.movements.lastIndex(where: { $0.id == movement.id }) else { continue }
                if let returned = movement.returns.flatMap({ id in ledger.movements.lastIndex { $0.id == id } }) {
                    announce(.returned, returned, at: now)
                } else if !movement.isOfEvent, movement.state == .settled {
                    announce(.settled, number, at: now)
                }
            case .reended(let number, _, let before) where before?.authorised != nil && ledger.movements[number].state == .accepted:
                announce(.authorised, number, at: now)
            case .reended(let number, _, _): announceEnd(number, at: now)
            case .added(let table, let row) where bank.consents[table] != nil:
                if row.since <= now { announceConsent(row, of: table, at: now) }
            case .added(let table, let row):
                guard let origin = row.origin, origin.list != nil, row.since <= now, row.position == nil else { continue }
                let own = RowID(table: table, key: row.key)
                announce(.transaction, Int(origin.movement), shown(row, of: table), of: own, at: now)
            case .challenge(let challenge, nil) where challenge.held != nil:
                announce(.challenged, -challenge.number, payment(challenge), at: now)
            default: break
            }
        }
        for position in made { forgetEndedPayment(of: log.changes[position]) }
    }

    /// A challenged payment, as deliveries show it.
    private func payment(_ challenge: Challenge) -> JSONObject {
        JSONObject([
            ("id", .string(challenge.id)), ("state", .string(challenge.stage.rawValue)), ("operation", .string(challenge.operation)),
            ("challenge", .string(challenge.kind.rawValue)),
        ])
    }

    /// Makes the deliveries of an event.
    ///
    /// - Parameters:
    ///   - movement: what it is about, as ``Delivery/movement``.
    ///   - object: what deliveries show; nil for the movement with that index.
    ///   - row: the row of `object`; nil if it has none.
    ///   - table: the table of the consent that it is about; nil for any other event.
    mutating func announce(
        _ kind: WebhookEvent.Kind, _ movement: Int, _ object: JSONObject? = nil, of row: RowID? = nil,
        consentIn table: String? = nil, at now: Instant
    ) {
        let wanting = webhooks.webhooks.filter { $0.receiver.types?.contains(kind) ?? true }
        guard !wanting.isEmpty else { return }
        let row = object == nil ? ownRow(ofPayment: movement) : row
        let receivers = wanting.filter { $0.isAbout(row) }
        guard !receivers.isEmpty else { return }
        let shown = object ?? payment(movement, row, as: kind)
        let event = WebhookEvent(id: uuid(after: "evt_"), kind: kind, created: now, object: shown, table: table)
        for var webhook in receivers {
            let fault = webhook.faults.first
            if fault != nil {
                webhook.faults.removeFirst()
                set(webhooks.webhooks.map { $0.number == webhook.number ? webhook : $0 })
            }
            let delay: Duration? =
                switch fault {
                case .missing: nil
                case .late: .seconds(3600)
                case .reordered: .seconds(60)
                default: .zero
                }
            var delivery = Delivery(
                number: webhooks.nextNumber, webhook: webhook.number, event: event, movement: movement, fault: fault,
                next: delay.map { now + $0 })
            if fault == .missing {
                delivery.attempts = [Delivery.Attempt(at: now, failure: "not sent", fault: fault)]
                delivery.fault = nil
            }
            make(.delivery(delivery, before: nil))
        }
    }

    /// A payment, as deliveries show it.
    private func payment(_ number: Int, _ row: RowID?, as kind: WebhookEvent.Kind) -> JSONObject {
        let movement = ledger.movements[number]
        let state = kind == .returned ? "returned" : movement.state.rawValue
        return JSONObject([
            ("id", .string(row?.key ?? movement.id)), ("state", .string(state)),
            ("amount", .string(movement.amount.major)), ("currency", .string(movement.amount.currency.code)),
            ("from", .string(movement.from.id)), ("to", .string(movement.to.id)),
        ])
    }

    /// The row of a list, as deliveries show it.
    private func shown(_ row: TableRow, of table: String) -> JSONObject {
        guard let origin = row.origin else { return JSONObject([]) }
        let movement = ledger.movements[Int(origin.movement)]
        let side = origin.isDebit ? movement.from : movement.to
        return JSONObject([
            ("id", .string(String(row.key))), ("account", .string(side.id)),
            ("direction", .string(origin.isDebit ? "debit" : "credit")), ("state", .string(movement.state.rawValue)),
            ("amount", .string(movement.amount.major)), ("currency", .string(movement.amount.currency.code)),
        ])
    }

    // MARK: attempts

    /// Records an attempt, and plans the next one.
    ///
    /// The next one counts from the instant at which this one was due: a clock that was advanced may make it due at once.
    package mutating func attempted(_ number: Int, _ attempt: Delivery.Attempt) {
        guard let before = webhooks.delivery(number), let due = before.next else { return }
        var delivery = before
        let fault = delivery.fault
        var attempt = attempt
        attempt.fault = fault
        delivery.attempts.append(attempt)
        if let fault, fault.isPreceding {
            // The real one follows at once.
            delivery.fault = nil
        } else if attempt.isAccepted {
            let accepted = delivery.attempts.count { $0.isAccepted && $0.fault == fault }
            let isDone = accepted > (fault?.repeats ?? 0)
            delivery.next = isDone ? nil : attempt.at
        } else {
            let failed = delivery.attempts.count { !$0.isAccepted && !($0.fault?.isPreceding ?? false) }
            let retries = bank.webhooks?.retries ?? []
            delivery.next = failed <= retries.count ? due + retries[failed - 1] : nil
        }
        make(.delivery(delivery, before: before))
        if delivery.next == nil { hurryReordered(after: delivery) }
    }

    /// Sends deliveries that wait for a later one, once that has ended.
    private mutating func hurryReordered(after ended: Delivery) {
        let overtaken = webhooks.reordered.sorted().compactMap { webhooks.delivery($0) }
        for delivery in overtaken where delivery.webhook == ended.webhook && delivery.number < ended.number {
            alter(delivery) { $0.next = $0.next.map { _ in ended.attempts.last?.at ?? ended.event.created } }
        }
    }

    /// Sends a delivery again now, with the same event; nil sends all that failed.
    ///
    /// - Returns: how many.
    package mutating func resend(_ id: String, event: String?, at now: Instant) throws(WebhookError) -> Int {
        let webhook = try webhook(id)
        let wanted = webhooks.deliveries.filter {
            $0.webhook == webhook.number && $0.next == nil && (event.map { [id = $0.event.id] in $0 == id } ?? ($0.state == .failed))
        }
        if let event, wanted.isEmpty { throw .unknownEvent(event, webhook: id) }
        for delivery in wanted { alter(delivery) { $0.next = now } }
        return wanted.count
    }
}
