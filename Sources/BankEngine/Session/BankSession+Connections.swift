import BankCore
package import BankModel
package import Faults
import Synchronization

/// What a rule makes of a connection before any head is read.
package struct StruckConnection: Sendable {
    /// The connection's number in the session.
    package let number: Int
    /// The number of its journal entry.
    let seq: Int
    package let strike: ConnectionStrike
    /// Set if it waits or is silent.
    package let held: HeldExchanges.Held?
}

extension BankSession {
    /// Lets the rules for `connect`, when a connection is accepted, or for `tls`, when its handshake begins, have it.
    ///
    /// - Parameters:
    ///   - number: the connection's in this session, if it has one.
    ///   - isSecure: whether the port speaks TLS.
    /// - Returns: nil if no rule strikes.
    package func strike(_ connection: any SessionConnection, at point: FaultPoint, number: Int?, isSecure: Bool) -> StruckConnection? {
        let struck = inner.withLock { inner -> (connection: StruckConnection, watchers: [@Sendable () -> Void])? in
            guard !inner.rules.isEmpty else { return nil }
            let now = inner.settle(clock)
            let time = RuleTime(mono: clock.monotonic(), session: now)
            guard let struck = inner.rules.strike(connectionAt: point, seed: inner.state.seed, time: time) else { return nil }
            let number = number ?? inner.number(connection)
            var record = ExchangeRecord(
                seq: inner.journal.takeSeq(), at: now, mono: time.mono, connection: number, requestOnConnection: 0,
                wireProtocol: isSecure ? .h1s : .h1, method: nil, target: "")
            record.note(struck.record)
            inner.journal.append(record)
            var held: HeldExchanges.Held?
            if struck.strike.waits {
                let new = HeldExchanges.Held(rules: [struck.record.rule])
                inner.held.add(new, seq: record.seq)
                held = new
            }
            let struckConnection = StruckConnection(number: number, seq: record.seq, strike: struck.strike, held: held)
            return (struckConnection, inner.watchers.values.map(\.self))
        }
        struck?.watchers.forEach { $0() }
        if number == nil, let new = struck?.connection.number {
            // It may end before anything that knows of its end is behind the rule.
            connection.whenClosed { [weak self] in self?.unregister(new) }
        }
        return struck?.connection
    }

    /// Writes down how a struck connection ended; what it held is free again.
    package func complete(_ struck: StruckConnection, _ end: Receipt.End) {
        let watchers = inner.withLock { inner in
            _ = inner.held.take(struck.seq, struck.held)
            inner.finish(struck.seq, Receipt(end: end), status: nil, mono: clock.monotonic())
            return inner.watchers.values.map(\.self)
        }
        watchers.forEach { $0() }
    }
}

extension BankSession.Inner {
    /// Numbers a connection.
    mutating func number(_ connection: any SessionConnection) -> Int {
        defer { nextConnection += 1 }
        connections[nextConnection] = connection
        return nextConnection
    }
}

extension ConnectionStrike {
    /// Whether somebody may want to end it from outside.
    fileprivate var waits: Bool {
        switch self {
        case .wait, .silence: true
        default: false
        }
    }
}
