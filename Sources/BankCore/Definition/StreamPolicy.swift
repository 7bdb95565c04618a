/// A response that does not end: server-sent events (WHATWG HTML §9.2) of the rows that appear, change and disappear.
package struct StreamPolicy: Sendable, Hashable {
    /// The tables whose rows it shows; a row with a balance is shown when that changes.
    package var tables: [String]
    /// How long a client waits before it connects again; nil leaves it to the client.
    package var retry: Duration?
    /// After how long a silence a comment is sent, in real time.
    package var heartbeat: Duration

    package init(tables: [String], retry: Duration? = nil, heartbeat: Duration = .seconds(15)) {
        self.tables = tables
        self.retry = retry
        self.heartbeat = heartbeat
    }
}

/// A stream that an executed request has asked for. A reference, because few responses have one.
package final class RequestedStream: Sendable {
    package let policy: StreamPolicy
    /// The customer whose rows it shows, restricted to those of the token's consent; nil for rows without an owner.
    package let customer: Customer?
    /// The id of the token; the stream ends with it. Nil if the operation needs none.
    package let token: String?

    init(policy: StreamPolicy, customer: Customer?, token: String?) {
        self.policy = policy
        self.customer = customer
        self.token = token
    }
}

extension RequestedStream: Hashable {
    package static func == (a: RequestedStream, b: RequestedStream) -> Bool { a === b }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
