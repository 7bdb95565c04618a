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
        let struck = changeJournal { inner -> StruckConnection? in
            guard !inner.rules.isEmpty else { return nil }
            let now = inner.settle(clock)
            let time = RuleTime(mono: clock.monotonic(), session: now)
            guard let struck = inner.rules.strike(connectionAt: point, seed: inner.state.seed, time: time) else { return nil }
            let number = number ?? inner.connections.add(connection)
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
            return StruckConnection(number: number, seq: record.seq, strike: struck.strike, held: held)
        } where: {
            $0 != nil
        }
        if number == nil, let new = struck?.number {
            // It may end before anything that knows of its end is behind the rule.
            connection.whenClosed { [weak self] in self?.unregister(new) }
        }
        return struck
    }

    /// Writes down how a struck connection ended; what it held is free again.
    package func complete(_ struck: StruckConnection, _ end: Receipt.End) {
        changeJournal { inner in
            _ = inner.held.take(struck.seq, struck.held)
            inner.finish(struck.seq, Receipt(end: end), status: nil, mono: clock.monotonic())
        }
    }

    /// Numbers a connection that has reached this session for the first time.
    package func register(_ connection: any SessionConnection) -> Int { inner.withLock { $0.connections.add(connection) } }

    package func unregister(_ connection: Int) { inner.withLock { $0.connections.open[connection] = nil } }

    // MARK: the end

    /// From now on every reply tells that its connection ends: by `Connection: close` (RFC 9112 §9.6), on HTTP/2 by GOAWAY after
    /// the last stream (RFC 9113 §6.8). It ends with the reply, until ``closeIdleConnections(within:)``.
    package func endConnectionsAfterReplies() { inner.withLock { $0.connections.endAfterReplies = true } }

    /// Ends the connections that carry no exchange now, without draining them, and waits until they are closed. Replies keep
    /// their connections again.
    ///
    /// - Parameter limit: the longest wait: a connection that carries an exchange ends only after it.
    package func closeIdleConnections(within limit: Duration) async {
        inner.withLock { $0.connections.endAfterReplies = false }
        let closing = endIdleConnections(drains: false)
        let (ends, end) = AsyncStream<Void>.makeStream()
        for connection in closing { connection.whenClosed { end.yield() } }
        let timer = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        defer { timer.cancel() }
        var open = closing.count
        guard open > 0 else { return }
        for await _ in ends {
            open -= 1
            if open == 0 { return }
        }
    }

    /// Ends the connections that carry no exchange now, each by FIN, and waits until all connections are closed.
    ///
    /// An idle client may not notice a FIN until its next request, so this may take the whole time for draining.
    package func closeIdleConnections() async {
        for connection in endIdleConnections(drains: true) {
            await withCheckedContinuation { continuation in connection.whenClosed { continuation.resume() } }
        }
    }

    /// Ends the connections that carry no exchange now, each by FIN; the others end after theirs.
    ///
    /// - Parameter drains: whether what still comes on them is read for a while; without, they are closed as soon as the client's
    ///   machine has taken the FIN.
    /// - Returns: all connections, which may not be closed yet.
    package func endIdleConnections(drains: Bool) -> [any SessionConnection] {
        let connections = inner.withLock { Array($0.connections.open.values) }
        for connection in connections { connection.closeWhenIdle(drains: drains) }
        return connections
    }

    /// The connections that have reached a session.
    struct Connections: Sendable {
        /// By their numbers.
        var open: [Int: any SessionConnection] = [:]
        private var next = 1
        /// Every reply tells that its connection ends, and the connection ends after it.
        var endAfterReplies = false

        /// - Returns: the connection's number.
        mutating func add(_ connection: any SessionConnection) -> Int {
            defer { next += 1 }
            open[next] = connection
            return next
        }
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
