import BankCore
import BankModel
import Faults
import NIOCore
import Synchronization

/// What a rule makes of a connection before any head is read.
struct StruckConnection: Sendable {
    /// The number of its journal entry.
    let seq: Int
    let strike: ConnectionStrike
    /// Set if it waits or is silent.
    let held: HeldExchanges.Held?
}

/// What the rules say of a connection that has just been accepted.
struct Acceptance: Sendable {
    /// Nil: nothing is known of it yet.
    var number: Int?
    var connect: StruckConnection?
    var tls: StruckConnection?
}

extension BankSession {
    /// Lets the rules for `connect`, and for `tls` where there is a handshake, have a connection to a port of this session.
    func accept(_ channel: any Channel, isSecure: Bool) -> Acceptance {
        let (acceptance, watchers) = inner.withLock { inner -> (Acceptance, [@Sendable () -> Void]) in
            guard !inner.rules.isEmpty else { return (Acceptance(), []) }
            let now = inner.settle(clock)
            let time = RuleTime(mono: clock.monotonic(), session: now)
            var acceptance = Acceptance()
            for point in [FaultPoint.connect, .tls] where point == .connect || isSecure {
                guard let struck = inner.rules.strike(connectionAt: point, seed: inner.state.seed, time: time) else { continue }
                let number = acceptance.number ?? inner.number(channel)
                acceptance.number = number
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
                let connection = StruckConnection(seq: record.seq, strike: struck.strike, held: held)
                if point == .connect { acceptance.connect = connection } else { acceptance.tls = connection }
            }
            return (acceptance, acceptance.number == nil ? [] : inner.watchers.values.map(\.self))
        }
        watchers.forEach { $0() }
        return acceptance
    }

    /// Writes down how a struck connection ended; what it held is free again.
    func complete(_ struck: StruckConnection, _ end: Receipt.End) {
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
    mutating func number(_ channel: any Channel) -> Int {
        defer { nextConnection += 1 }
        connections[nextConnection] = channel
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
