import BankModel

/// The finding of a rule in a journal: each time its trigger was met it was kept, it was broken, or the journal cannot tell.
package struct AttachedFinding: Sendable, Hashable {
    /// How often the trigger was met.
    package private(set) var met = 0
    package private(set) var violations: [AttachedViolation] = []
    package private(set) var doubts: [AttachedDoubt] = []
    /// The exchanges that belong to a trigger in doubt. A burst is one trigger: that its last exchange is followed by nothing
    /// does not show that the rule was kept.
    private var bursts: Set<Int> = []

    /// Counts a trigger and keeps the violation it led to, if any.
    mutating func meet(_ violation: AttachedViolation? = nil) {
        met += 1
        if let violation { violations.append(violation) }
    }

    /// Counts a trigger of which the journal cannot tell whether it led to that violation.
    mutating func meet(_ violation: AttachedViolation, unless doubt: Doubt) {
        met += 1
        doubts.append(AttachedDoubt(of: violation, doubt))
    }

    /// Counts a trigger by what followed it.
    ///
    /// - Parameter violation: what the request that followed is, if it was sent in knowledge of the trigger's reply.
    mutating func meet(_ trigger: JournalEntry, _ sequel: Scene.Sequel, _ violation: (JournalEntry) -> AttachedViolation) {
        if let certain = sequel.certain { return meet(violation(certain)) }
        let isInBurst = bursts.contains(trigger.seq)
        if let (request, cause) = sequel.doubtful.first {
            var suspect = violation(request)
            suspect.exchanges = [trigger.seq] + sequel.doubtful.map(\.request.seq)
            bursts.formUnion(suspect.exchanges)
            if !isInBurst { meet(suspect, unless: cause) }
        } else if !isInBurst {
            meet()
        }
    }
}

/// One broken obligation.
package struct AttachedViolation: Sendable, Hashable {
    package var expected: String
    package var seen: String
    /// The numbers of the exchanges that show it, the trigger's first.
    package var exchanges: [Int]

    init(_ message: Message, exchanges: [Int]) {
        self.init(expected: message.expected.text, seen: message.seen.text, exchanges: exchanges)
    }

    init(expected: String, seen: String, exchanges: [Int]) {
        self.expected = expected
        self.seen = seen
        self.exchanges = exchanges
    }

    /// Both in one line, as every report words them.
    package var headline: String { Message.text(seen: seen, expected: expected) }
}

/// A doubt: an obligation that may have been broken, and the journal cannot tell.
package struct AttachedDoubt: Sendable, Hashable {
    package var expected: String
    package var seen: String
    /// Why the journal cannot tell.
    package var reason: String
    /// The change to the test that makes the journal tell.
    package var advice: String
    /// The numbers of the exchanges it is about, the trigger's first.
    package var exchanges: [Int]

    /// Both in one line, as every report words them.
    package var headline: String { Message.text(seen: seen, expected: expected) }

    init(of violation: AttachedViolation, _ cause: Doubt) {
        expected = violation.expected
        seen = violation.seen
        exchanges = violation.exchanges
        reason = cause.reason
        advice = cause.advice
    }

    init(expected: String, seen: String, reason: String, advice: String, exchanges: [Int]) {
        self.expected = expected
        self.seen = seen
        self.reason = reason
        self.advice = advice
        self.exchanges = exchanges
    }
}
