package import BankModel

/// An event that happens later by the session's clock, once or again and again.
package struct ScheduledEvent: Sendable, Hashable {
    package var event: BankEvent
    package var date: ScheduledDate

    /// The instant of its next time.
    package var at: Instant { date.at }
    package var every: Repetition? { date.every }

    package enum Repetition: Sendable, Hashable {
        /// After a time of a day at least.
        case after(Duration)
        /// On the same day of each month, or on the last of a shorter one.
        case month

        /// The shortest.
        package static let shortest = Duration.seconds(86_400)

        package var text: String {
            switch self {
            case .after(let duration): duration.shortText
            case .month: "month"
            }
        }
    }

    /// The event at its next time; nil if it happens once, has happened as often as it may, or not before the end of the calendar.
    var next: ScheduledEvent? { date.next.map { ScheduledEvent(event: event, date: $0) } }
}

extension ScheduledEvent {
    /// An event of a schedule that begins at that instant.
    init(_ event: LifeEvent, from start: Instant) {
        self.init(event: event.event, date: ScheduledDate(at: start + event.after, every: event.every))
    }
}

/// An instant that may come again and again.
package struct ScheduledDate: Sendable, Hashable {
    /// The next one.
    package var at: Instant
    package var every: ScheduledEvent.Repetition?
    /// The first one, from which months count.
    package var first: Instant
    /// How often it has come.
    package var times = 0

    init(at: Instant, every: ScheduledEvent.Repetition? = nil) {
        self.at = at
        self.every = every
        first = at
    }

    /// The most times: a clock that advances by years must end.
    private static let mostTimes = 1000

    /// The instant after this one; nil if there is none, it came as often as it may, or it is not before the end of the calendar.
    var next: ScheduledDate? {
        guard let every, times + 1 < ScheduledDate.mostTimes else { return nil }
        var next = self
        next.times += 1
        switch every {
        case .after(let duration): next.at = at + duration
        case .month:
            let date = first.date
            let months = 12 * date.year + date.month - 1 + next.times
            let days = (28...31).reversed().lazy.compactMap { CivilDate(year: months / 12, month: months % 12 + 1, day: min($0, date.day)) }
            guard let day = days.first else { return nil }
            next.at = Instant(day, nanosecondsOfDay: first.nanosecondsOfDay)
        }
        return next.at > at ? next : nil
    }
}

/// The events of a bank that happen by themselves: the session's start plus a time.
package struct LifeEvent: Sendable, Hashable {
    package var event: BankEvent
    package var after: Duration
    package var every: ScheduledEvent.Repetition?

    package init(_ event: BankEvent, after: Duration, every: ScheduledEvent.Repetition?) {
        self.event = event
        self.after = after
        self.every = every
    }
}

/// What happens later, and what could not happen.
package struct Schedule: Sendable, Hashable {
    /// By time; of one time in the order in which they were added.
    package private(set) var events: [ScheduledEvent] = []
    /// The customers' orders to pay later, in the same order.
    package internal(set) var orders: [StandingOrder] = []
    /// The latest events that could not happen, oldest first.
    package private(set) var missed: [Missed] = []

    /// An event that could not happen, or the payment of an order.
    package struct Missed: Sendable, Hashable {
        /// Nil for the payment of an order.
        package var event: BankEvent?
        /// The key of the order's row; nil for an event.
        package var order: String?
        package var at: Instant
        /// The reason, in a sentence.
        package var reason: String
    }

    /// The most events that wait, and that are remembered as missed.
    package static let most = 100

    package var isEmpty: Bool { events.isEmpty && orders.isEmpty && missed.isEmpty }

    /// The instant of what is first; nil if nothing waits.
    package var next: Instant? { [events.first?.at, orders.first?.at].compactMap { $0 }.min() }

    /// Whether an order is due before all events.
    var isOrderFirst: Bool { orders.first.map { order in events.first.map { order.at < $0.at } ?? true } ?? false }

    /// The same without events, and without what was missed.
    var withoutEvents: Schedule {
        var rest = Schedule()
        rest.orders = orders
        return rest
    }

    /// Whether no further event can wait.
    package var isFull: Bool { events.count >= Schedule.most }

    package mutating func add(_ event: ScheduledEvent) {
        events.insert(event, at: events.firstIndex { $0.at > event.at } ?? events.count)
    }

    mutating func add(_ order: StandingOrder) {
        orders.insert(order, at: orders.firstIndex { $0.at > order.at } ?? orders.count)
    }

    /// Takes the first event out; one that repeats waits for its next time.
    mutating func takeFirst() -> ScheduledEvent? {
        guard !events.isEmpty else { return nil }
        let first = events.removeFirst()
        if let next = first.next { add(next) }
        return first
    }

    mutating func miss(_ event: Missed) {
        missed.append(event)
        if missed.count > Schedule.most { missed.removeFirst() }
    }
}

extension BankEvent {
    fileprivate static let delay = Field(required: "in", .duration, "the time until it happens, by the session clock")
    fileprivate static let every = Field(
        "every", .node(.anyOf([.words(["month"]), Format<Duration>.duration.schema])),
        "the time between repetitions: at least a day, such as `7d`, or `month` for the same day of each month, or the last day of a "
            + "shorter one"
    )

    package static let scheduledSchema = ObjectSchema(
        "a scheduled event", named: "scheduled-event", "A scheduled event, which happens once or repeatedly.",
        fields: [delay, every] + fields,
        example: "{\"in\": \"3d\", \"every\": \"month\", \"event\": \"payment-in\", \"account\": \"ava-gbp\", \"amount\": \"1200.00\"}")
}

extension LifeEvent {
    package init?(_ fields: Fields, _ complaints: Complaints) {
        let delay = fields[BankEvent.delay]
        let every = fields[BankEvent.every].flatMap { ScheduledEvent.Repetition($0, complaints) }
        guard let event = BankEvent(fields), let delay else { return nil }
        self.init(event, after: delay, every: every)
    }
}

extension ScheduledEvent.Repetition {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        if node.scalar == "month" {
            self = .month
            return
        }
        guard let duration = node.scalar.flatMap({ Duration(text: $0) }), duration >= ScheduledEvent.Repetition.shortest else {
            complaints.add(found: node.kindName, expected: "1d or more, or `month`", at: node.position)
            return nil
        }
        self = .after(duration)
    }
}
