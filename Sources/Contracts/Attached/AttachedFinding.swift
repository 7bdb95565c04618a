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
    mutating func meet(_ violation: AttachedViolation, unless doubt: AttachedDoubt.Cause) {
        met += 1
        doubts.append(AttachedDoubt(of: violation, doubt))
    }

    /// Counts a trigger by what followed it.
    ///
    /// - Parameter violation: what the request that followed is, if it was sent in knowledge of the trigger's reply.
    mutating func meet(_ trigger: JournalEntry, _ sequel: AttachedScene.Sequel, _ violation: (JournalEntry) -> AttachedViolation) {
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

    /// Why a journal cannot tell.
    enum Cause: Hashable {
        /// The request came so soon after the reply, in nanoseconds, and not on a connection that shows their order.
        case soon(Int64)
        /// The client may have made the request while several others were under way, and held it back.
        case crowd
        /// A fault delayed the request's connection.
        case delayed
        /// The client reset the connection of the response.
        case reset
        /// The journal dropped entries that would show it.
        case dropped
        /// The client sends equal payments one right after the other anyway.
        case twins
        /// The bodies are longer than the journal stores, or not stored at all.
        case unread
        /// It came so long after the response, or was so different, that the user may have asked for it.
        case user
    }

    init(of violation: AttachedViolation, _ cause: Cause) {
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

extension AttachedDoubt.Cause {
    fileprivate var reason: String {
        switch self {
        case .soon(let nanoseconds):
            "it arrived \(nanoseconds / 1_000_000) ms after the response, on another connection; the client may have sent it before reading the response"
        case .crowd: "the client had several requests in flight and may have sent this one before reading the response"
        case .delayed: "a fault delayed its connection; the client may have sent it before reading the response"
        case .reset: "the client reset the connection after the response and may never have read it"
        case .dropped: "the journal dropped older entries (journal limit reached), which may explain it"
        case .twins: "the client also sends equal payments within 1 s of a success, so this may be a second payment"
        case .unread: "the journal does not store bodies of this size, and different bytes may be equal JSON"
        case .user: "the user may have asked for it: it is not the same request within 1 s of the response"
        }
    }

    var advice: String {
        switch self {
        case .soon, .crowd:
            "send one request at a time over a persistent connection, or wait half a second after the response; "
                + "for an app that sends one at a time, say so: `judge --sequential`, or `sequential` of a kit's `expect`"
        case .delayed: "remove the rule that delays connections"
        case .reset: "let the app read each response before it closes the connection"
        case .dropped: "reset the session before the test, or raise the journal limit"
        case .twins: "send one payment at a time"
        case .unread: "send a body of at most 8 KiB, to a session that forwards to no other bank"
        case .user: "do not reload or tap again in the app before that time"
        }
    }
}
