package import BankModel

/// How one exchange goes wrong, at a named point.
///
/// A kind is one file in `Kinds/`: its settings and what it does, as data the wire carries out. It stands in the list of
/// `FaultKinds.swift`; nothing else knows it.
package protocol Fault: Sendable {
    /// Its name in files, such as `lose-reply`.
    static var kind: String { get }

    /// Where it strikes.
    static var point: FaultPoint { get }

    /// Reads the settings; nil and complaints if they are wrong.
    init?(_ fields: Fields, _ complaints: Complaints)

    /// What happens to the exchange.
    var strike: Strike { get }

    /// The settings as they would be written.
    var settings: JSON { get }
}

/// The points at which a fault can strike, in the order in which an exchange passes them.
package enum FaultPoint: String, Sendable, CaseIterable {
    /// The connection is accepted; no head is read.
    case connect
    case tls
    /// The request is read and its key claimed; nothing is executed.
    case request
    /// Executed and durable; nothing is sent.
    case commit
    case head
    case body
}

/// What a fault makes of an exchange: another reply, or another way of sending it, or both.
package struct Strike: Sendable, Hashable {
    package var reply: Reply
    /// What the wire does, in order.
    package var steps: [WireStep]

    package init(reply: Reply = .asExecuted, steps: [WireStep] = [.head, .body]) {
        (self.reply, self.steps) = (reply, steps)
    }

    /// Which reply is sent.
    package enum Reply: Sendable, Hashable {
        /// The one the bank made; at `request` there is none.
        case asExecuted
        /// The dialect's own reply of that name.
        case dialect(DialectReplyName, retryAfter: RetryAfter?)
        /// The reply with which the operation says no inside a success.
        case businessFailure
        case custom(CustomReply)
    }
}

/// One thing the wire does with an exchange.
package enum WireStep: Sendable, Hashable {
    /// Writes the status line and headers.
    case head
    /// Writes the body.
    case body
    /// Shuts down writing (FIN), drains and closes.
    case close
    /// Resets the connection (RST), once all that was written has left.
    case reset
}

/// A reply given in a fault's settings.
package struct CustomReply: Sendable, Hashable {
    package var status: Int
    package var headers: [JournalEntry.Header]
    package var body: [UInt8]
    package var retryAfter: RetryAfter?
}

/// When a client may come again: seconds, sent as such or as a date (RFC 9110 §10.2.3).
package struct RetryAfter: Sendable, Hashable {
    package var seconds: Int
    package var asDate: Bool

    /// Reads `2` or `{http-date: 2}`.
    package init?(_ node: Node, _ complaints: Complaints) {
        if case .mapping = node.content {
            let fields = Fields(node, of: "retry_after", complaints)
            let seconds = fields.required("http-date")?.int(in: 0...Int.max, complaints)
            fields.finish()
            guard let seconds else { return nil }
            (self.seconds, asDate) = (seconds, true)
        } else {
            guard let seconds = node.int(in: 0...Int.max, complaints) else { return nil }
            (self.seconds, asDate) = (seconds, false)
        }
    }

    /// The header's value at an instant of the machine's clock: a client waits in real time.
    package func value(at now: Instant) -> String {
        asDate ? (now + .seconds(min(seconds, 1 << 31))).httpDate : String(seconds)
    }

    package var json: JSON { asDate ? ["http-date": .int(seconds)] : .int(seconds) }
}
