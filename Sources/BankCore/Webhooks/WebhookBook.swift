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
    /// The numbers of those that wait, in order.
    private var waiting = SortedNumbers()
    /// Those of them that wait for a later delivery.
    private(set) var reordered: Set<Int> = []
    /// What has ended by itself, and whose end no delivery has announced yet.
    var ended: [Ended] = []
    /// The row by which the bank's API names a payment that has not ended, by the index of its movement.
    private(set) var payments: [Int: Webhook.Row] = [:]

    /// The maximum number of deliveries that a session remembers; the oldest is dropped, even if it waits.
    package static let most = 10_000

    /// A payment or a consent that has ended by itself.
    enum Ended: Sendable {
        /// The index of the payment's movement.
        case movement(Int)
        case consent(ConsentID)
    }

    init() {}

    /// Records a payment's own row.
    mutating func note(_ row: TableRow, of table: String) {
        guard !webhooks.isEmpty, let origin = row.origin, origin.list == nil else { return }
        payments[Int(origin.movement)] = Webhook.Row(table: table, key: row.key)
    }

    /// Forgets a payment's own row.
    mutating func forgetRow(ofPayment movement: Int) { payments[movement] = nil }

    package var deliveries: [Delivery] { Array(kept) }

    /// The numbers of the webhooks for which a delivery waits.
    var awaited: Set<Int> { Set((0..<waiting.count).compactMap { delivery(Int(waiting[$0]))?.webhook }) }

    /// Whether a delivery waits.
    package var isWaiting: Bool { !waiting.isEmpty }

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
        book.ended.removeAll()
        book.payments = saved.payments
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
            if kept.count > WebhookBook.most {
                note(kept.removeFirst(), isWaiting: false)
                first += 1
            }
        }
        note(delivery, isWaiting: delivery.next != nil)
    }

    /// Removes the last delivery.
    mutating func removeLast() {
        if let last = kept.popLast() { note(last, isWaiting: false) }
    }

    private mutating func note(_ delivery: Delivery, isWaiting: Bool) {
        let number = Int32(truncatingIfNeeded: delivery.number)
        if isWaiting, delivery.fault == .reordered, delivery.attempts.isEmpty {
            reordered.insert(delivery.number)
        } else {
            reordered.remove(delivery.number)
        }
        if isWaiting {
            waiting.insert(number) { $0 > number }
        } else {
            waiting.remove(number) { $0 >= number }
        }
    }

    /// The deliveries that can be sent now: the first that waits of each movement and webhook.
    ///
    /// - Parameters:
    ///   - room: how many each webhook can get now, by its number.
    ///   - under: the numbers of those that are being sent, by webhook.
    package func due(at now: Instant, room: [Int: Int], under: [Int: Set<Int>]) -> [Delivery] {
        var room = room
        var due: [Delivery] = []
        var before: Set<[Int]> = []
        var position = 0
        while position < waiting.count, room.values.contains(where: { $0 > 0 }) {
            defer { position += 1 }
            guard let delivery = delivery(Int(waiting[position])), let next = delivery.next, room[delivery.webhook] ?? 0 > 0 else {
                continue
            }
            // One that is sent out of order lets later ones pass.
            if delivery.fault != .reordered {
                guard before.insert([delivery.webhook, delivery.movement]).inserted else { continue }
            }
            if next <= now, !(under[delivery.webhook]?.contains(delivery.number) ?? false) {
                due.append(delivery)
                room[delivery.webhook]? -= 1
            }
        }
        return due
    }

    /// The instant of the next attempt; nil if nothing waits.
    package var nextDue: Instant? {
        var next: Instant?
        for position in 0..<waiting.count {
            guard let instant = delivery(Int(waiting[position]))?.next else { continue }
            next = min(next ?? instant, instant)
        }
        return next
    }
}
