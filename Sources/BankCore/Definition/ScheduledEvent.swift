package import BankModel

/// An event that happens later by the session's clock, once or again and again.
package struct ScheduledEvent: Sendable, Hashable {
    package var event: BankEvent
    /// The instant of its next time.
    package var at: Instant
    package var every: Repetition?
    /// The instant of its first time, from which months count.
    package var first: Instant
    /// How often it has happened.
    package var times = 0

    package init(_ event: BankEvent, at: Instant, every: Repetition? = nil) {
        self.event = event
        self.at = at
        self.every = every
        first = at
    }

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

    /// The most times that an event happens: a clock that advances by years must end.
    static let mostTimes = 1000

    /// The event at its next time; nil if it happens once, has happened as often as it may, or not before the end of the calendar.
    var next: ScheduledEvent? {
        guard let every, times + 1 < ScheduledEvent.mostTimes else { return nil }
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
    /// The last that could not happen, oldest first.
    package private(set) var missed: [Missed] = []

    /// An event that could not happen.
    package struct Missed: Sendable, Hashable {
        package var event: BankEvent
        package var at: Instant
        /// The reason, in a sentence.
        package var reason: String

        package init(_ event: BankEvent, at: Instant, reason: String) {
            self.event = event
            self.at = at
            self.reason = reason
        }
    }

    /// The most events that wait, and that are remembered as missed.
    package static let most = 100

    package init() {}

    package var isEmpty: Bool { events.isEmpty && missed.isEmpty }

    /// Whether no further event can wait.
    package var isFull: Bool { events.count >= Schedule.most }

    package mutating func add(_ event: ScheduledEvent) {
        events.insert(event, at: events.firstIndex { $0.at > event.at } ?? events.count)
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
