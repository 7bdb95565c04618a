package import BankModel
import DequeModule

/// A session's webhooks and their deliveries.
package struct WebhookBook: Sendable {
    package private(set) var webhooks: [Webhook] = []
    /// How many webhooks were registered.
    private(set) var registered = 0
    /// The last deliveries, by number.
    private var kept: Deque<Delivery> = []
    /// The number of the first of them.
    private var first = 0
    /// The deliveries that were dropped last: each is there again if the one that it made room for is undone.
    private var dropped: Deque<Delivery> = []
    /// The numbers of those that wait, in the order in which they are sent.
    private var queues: [Queue: SortedNumbers] = [:]
    /// The first of each queue of a webhook, by the instants of their next attempts.
    private var fronts: [Int: SortedNumbers] = [:]
    /// Those that wait for a later delivery.
    private(set) var reordered: Set<Int> = []
    /// What has ended by itself, and whose end no delivery has announced yet.
    private(set) var ended: [Ended] = []
    /// The instant at which the next consent expires, or earlier; far in the future if none does.
    private var expiry = Instant(nanoseconds: .max)
    /// The row by which the bank's API names a payment that has not ended, by the index of its movement.
    private(set) var payments: [Int: RowID] = [:]

    /// The maximum number of deliveries that a session remembers; the oldest is dropped, even if it waits.
    package static let most = 10_000
    /// The maximum number of dropped deliveries that can be there again, more than commands wait for the disk at once.
    private static let mostDropped = 2_000

    /// A payment or a consent that has ended by itself.
    struct Ended: Sendable {
        let subject: Subject
        let at: Instant

        enum Subject: Sendable, Hashable {
            /// The index of the payment's movement.
            case movement(Int)
            case consent(RowID)
        }
    }

    /// The deliveries about one payment or consent to one webhook: one is sent after the other.
    private struct Queue: Sendable, Hashable {
        let webhook: Int
        let movement: Int
        /// The id of the consent; nil if it is about something else.
        let consent: String?
        /// The number of a delivery that is sent out of order: it has a queue of its own, and lets others pass.
        let overtaken: Int?

        init(of delivery: Delivery) {
            webhook = delivery.webhook
            movement = delivery.movement
            consent = delivery.movement == Delivery.ofConsents ? delivery.event.object["id"]?.string : nil
            overtaken = delivery.fault == .reordered ? delivery.number : nil
        }
    }

    init() {}

    /// Records a payment's own row.
    mutating func note(_ row: TableRow, of table: String) {
        guard !webhooks.isEmpty, let origin = row.origin, origin.list == nil else { return }
        payments[Int(origin.movement)] = RowID(table: table, key: row.key)
    }

    /// Forgets a payment's own row.
    mutating func forgetRow(ofPayment movement: Int) { payments[movement] = nil }

    /// Notes what has ended by itself.
    mutating func note(_ subject: Ended.Subject, endedAt instant: Instant) { ended.append(Ended(subject: subject, at: instant)) }

    /// Forgets what has ended by itself, all of it or what has since an instant.
    mutating func forgetEnds(after instant: Instant = Instant(nanoseconds: .min)) { ended.removeAll { $0.at > instant } }

    /// When all consents have to be examined next, as one may have expired; nil if none will, and without a webhook to announce it.
    var nextExpiry: Instant? { webhooks.isEmpty || expiry.nanoseconds == .max ? nil : expiry }

    /// Notes that a consent may expire at that instant.
    mutating func expectExpiry(at instant: Instant) { expiry = min(expiry, instant) }

    /// Forgets when consents expire, before all are examined.
    mutating func forgetExpiries() { expiry = Instant(nanoseconds: .max) }

    /// Forgets that a payment has ended by itself: the payment, or its end, was undone.
    mutating func forgetEnd(ofPayment movement: Int) { ended.removeAll { $0.subject == .movement(movement) } }

    package var deliveries: [Delivery] { Array(kept) }

    /// Whether a delivery for that webhook waits.
    func isAwaited(_ webhook: Int) -> Bool { fronts[webhook] != nil }

    /// Whether a delivery waits.
    package var isWaiting: Bool { !fronts.isEmpty }

    package func webhook(_ number: Int) -> Webhook? { webhooks.first { $0.number == number } }

    package func delivery(_ number: Int) -> Delivery? { number >= first && number < nextNumber ? kept[number - first] : nil }

    /// The number of the next delivery.
    var nextNumber: Int { first + kept.count }

    /// Notes how many webhooks were registered: the number of one that was removed is not given again.
    mutating func note(registered count: Int) { registered = max(registered, count) }

    mutating func set(_ webhooks: [Webhook]) {
        self.webhooks = webhooks
        if webhooks.isEmpty { payments = [:] }
        registered = max(registered, webhooks.last?.number ?? 0)
    }

    /// The book after the session's rows became those of a saved state: the webhooks of rows are those of that state, and what was sent was
    /// sent. A saved webhook gets a new number if another webhook has its number.
    func restored(with saved: WebhookBook) -> WebhookBook {
        var book = self
        var all = webhooks.filter { $0.row == nil }
        var last = max(registered, saved.registered)
        for old in saved.webhooks where old.row != nil {
            if let present = webhooks.first(where: { $0.row == old.row }) {
                all.append(present)
            } else if webhooks.contains(where: { $0.number == old.number }) {
                last += 1
                all.append(old.numbered(last))
            } else {
                all.append(old)
            }
        }
        book.set(all.sorted { $0.number < $1.number })
        // Of the ledger and the rows that were replaced.
        book.forgetEnds()
        (book.payments, book.expiry) = (saved.payments, saved.expiry)
        for var delivery in kept where delivery.next != nil && book.webhook(delivery.webhook) == nil {
            delivery.next = nil
            book.store(delivery)
        }
        return book
    }

    /// Adds a delivery, or replaces the one with its number.
    mutating func store(_ delivery: Delivery) {
        if let before = self.delivery(delivery.number) {
            note(before, isWaiting: false)
            kept[delivery.number - first] = delivery
        } else {
            // After a checkpoint the first one has any number.
            if kept.isEmpty { first = delivery.number }
            guard delivery.number == nextNumber else { return }
            kept.append(delivery)
        }
        note(delivery, isWaiting: true)
        if kept.count > WebhookBook.most, let oldest = kept.first {
            note(oldest, isWaiting: false)
            kept.removeFirst()
            first += 1
            if dropped.count == WebhookBook.mostDropped { dropped.removeFirst() }
            dropped.append(oldest)
        }
    }

    /// Removes the last delivery. The one that was dropped for it is there again.
    mutating func removeLast() {
        guard let last = kept.last else { return }
        note(last, isWaiting: false)
        kept.removeLast()
        guard let oldest = dropped.last, oldest.number == first - 1 else { return }
        dropped.removeLast()
        kept.prepend(oldest)
        first -= 1
        note(oldest, isWaiting: true)
    }

    // MARK: queues

    /// Puts a delivery that waits, and is among those that are kept, into its queue; or takes it out, before it changes or is removed.
    private mutating func note(_ delivery: Delivery, isWaiting: Bool) {
        guard delivery.next != nil else { return }
        let (queue, number) = (Queue(of: delivery), Int32(truncatingIfNeeded: delivery.number))
        // Taken out while they are changed, so that they are not copied.
        var numbers = queues.removeValue(forKey: queue) ?? SortedNumbers()
        var front = fronts.removeValue(forKey: queue.webhook) ?? SortedNumbers()
        if let head = numbers.first { front.remove(head) { $0 == head || isDue($0, after: head) } }
        if isWaiting {
            numbers.insert(number) { $0 > number }
        } else {
            numbers.remove(number) { $0 >= number }
        }
        if let head = numbers.first {
            front.insert(head) { isDue($0, after: head) }
            queues[queue] = numbers
        }
        if !front.isEmpty { fronts[queue.webhook] = front }
        guard queue.overtaken != nil, delivery.attempts.isEmpty else { return }
        if isWaiting { reordered.insert(delivery.number) } else { reordered.remove(delivery.number) }
    }

    /// Whether the next attempt of one delivery is after that of another; of those with the same instant, the later one.
    private func isDue(_ one: Int32, after other: Int32) -> Bool {
        guard let own = delivery(Int(one))?.next, let its = delivery(Int(other))?.next, own != its else { return one > other }
        return own > its
    }

    // MARK: what is due

    /// The deliveries that can be sent now, of each webhook those that have been due the longest, in order.
    ///
    /// One that is to follow a later one waits for it as long as that has been due longer: a large step of the clock makes both due at once.
    ///
    /// - Parameters:
    ///   - room: how many each webhook can get now, by its number.
    ///   - under: the numbers of those that are being sent, by webhook.
    package func due(at now: Instant, room: [Int: Int], under: [Int: Set<Int>]) -> [Delivery] {
        var due: [Delivery] = []
        for (webhook, numbers) in fronts {
            var (left, position, latest) = (room[webhook] ?? 0, 0, 0)
            while left > 0, position < numbers.count, let delivery = delivery(Int(numbers[position])), let next = delivery.next,
                next <= now
            {
                position += 1
                latest = max(latest, delivery.number)
                if under[webhook]?.contains(delivery.number) ?? false { continue }
                if reordered.contains(delivery.number), delivery.number < latest { continue }
                due.append(delivery)
                left -= 1
            }
        }
        return due.sorted { $0.number < $1.number }
    }

    /// The instant of the next attempt that is not due yet; nil if there is none.
    package func nextAttempt(after now: Instant) -> Instant? {
        var next: Instant?
        for numbers in fronts.values {
            let position = numbers.partitioningIndex { number in (delivery(Int(number))?.next).map { $0 > now } ?? true }
            guard position < numbers.count, let instant = delivery(Int(numbers[position]))?.next else { continue }
            next = min(next ?? instant, instant)
        }
        return next
    }
}

/// Why a webhook cannot be registered or changed.
package enum WebhookError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownToBank(String)
    case tooMany
    case tooManyFaults
    case unknown(String, known: [String])
    case unknownEvent(String, webhook: String)
    /// The address is not one that this server sends to.
    case address(String)

    package var description: String {
        switch self {
        case .unknownToBank(let bank): "the bank \(bank) sends no webhooks: its bank.yaml has no `webhooks`"
        case .tooMany: "found \(Webhook.most) webhooks, expected fewer: remove one first"
        case .tooManyFaults: "found more than \(Webhook.mostFaults) faults for the next deliveries, expected at most that many"
        case .unknown(let id, let known):
            "found no webhook \(id), expected \(known.isEmpty ? "one that is registered; there is none" : oneOf(known))"
        case .unknownEvent(let event, let webhook): "found no finished delivery of the event \(event) to \(webhook), expected one"
        case .address(let reason): reason
        }
    }
}
