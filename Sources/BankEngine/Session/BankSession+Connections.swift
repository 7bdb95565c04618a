import BankCore
package import BankModel
package import Faults
import Platform

/// A rule's effect on a connection before any head is read.
package struct FaultedConnection: Sendable {
    /// The number of its journal entry.
    let seq: Int
    package let effect: ConnectionEffect
    /// Set if the connection waits or is silent.
    package let held: HeldExchanges.Held?
}

extension BankSession {
    /// Applies the rules for `connect` to a new connection, or those for `tls` to one whose handshake begins.
    ///
    /// - Parameter isSecure: whether the port speaks TLS.
    /// - Returns: nil if no rule applies.
    package func apply(_ connection: any SessionConnection, at point: FaultPoint, isSecure: Bool) -> FaultedConnection? {
        var isNew = false
        let faulted = changeJournal { inner -> FaultedConnection? in
            guard !inner.rules.isEmpty else { return nil }
            let now = inner.processDueEvents(clock)
            let time = RuleTime(mono: clock.monotonic(), session: now)
            guard let faulted = inner.rules.apply(connectionAt: point, seed: inner.state.seed, time: time) else { return nil }
            isNew = !inner.connections.knows(connection)
            let tracked = inner.connections.tracked(of: connection)
            var record = ExchangeRecord(
                withoutRequest: inner.journal.takeSeq(), at: now, mono: time.mono, connection: tracked.number,
                wireProtocol: isSecure ? .h1s : .h1)
            record.note(faulted.record)
            inner.journal.append(record)
            var held: HeldExchanges.Held?
            if faulted.effect.waits {
                let new = HeldExchanges.Held(rules: [faulted.record.rule])
                inner.register(new, seq: record.seq)
                held = new
            }
            return FaultedConnection(seq: record.seq, effect: faulted.effect, held: held)
        } where: {
            $0 != nil
        }
        if isNew { forgetWhenClosed(connection) }
        return faulted
    }

    /// Records how a connection with a fault ended, and frees its hold.
    package func complete(_ faulted: FaultedConnection, _ end: Receipt.End) {
        changeJournal { inner in
            _ = inner.held.take(faulted.seq, faulted.held)
            _ = inner.finish(faulted.seq, Receipt(end: end), status: nil, mono: clock.monotonic())
        }
    }

    /// Drops the record of a connection once that is closed.
    func forgetWhenClosed(_ connection: any SessionConnection) {
        let id = connection.id
        connection.whenClosed { [weak self] in self?.inner.withLock { $0.connections.remove(id) } }
    }

    // MARK: the end

    /// Ends every connection after its next response, until ``closeIdleConnections(within:)``: the response announces it by
    /// `Connection: close` (RFC 9112 §9.6), on HTTP/2 by GOAWAY after the last stream (RFC 9113 §6.8).
    package func endConnectionsAfterResponses() { inner.withLock { $0.connections.endAfterResponses = true } }

    /// Ends the idle connections without draining them, and waits until all connections are closed. Later responses no longer end
    /// theirs.
    ///
    /// At the session's own ports it ends those too that a client has opened ahead, as browsers do: connections without a request.
    ///
    /// - Parameter limit: the longest wait: a connection that carries an exchange ends only after it.
    package func closeIdleConnections(within limit: Duration) async {
        inner.withLock { $0.connections.endAfterResponses = false }
        var closing = endIdleConnections(drains: false)
        let unused = Set(unusedConnections.map { $0.id })
        if !unused.isEmpty {
            try? await Task.sleep(for: BankSession.firstRequestTime)
            let openedAhead = unusedConnections.filter { unused.contains($0.id) }
            for connection in openedAhead { connection.closeWhenIdle(drains: false) }
            closing += openedAhead
        }
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

    /// A client that opens a connection for a request sends it within this time.
    private static let firstRequestTime = Duration.milliseconds(250)

    /// The connections to the session's own ports of which no request has come.
    private var unusedConnections: [any SessionConnection] {
        let (ports, used) = inner.withLock { ($0.listeners.ports, $0.connections.all) }
        let known = Set(used.map { $0.id })
        return ports.flatMap { $0.openConnections }.filter { !known.contains($0.id) }
    }

    /// Ends the idle connections, each by FIN, and waits until all connections are closed.
    ///
    /// An idle client may not notice a FIN until its next request, so this may take the whole time for draining.
    package func closeIdleConnections() async {
        for connection in endIdleConnections(drains: true) {
            await withCheckedContinuation { continuation in connection.whenClosed { continuation.resume() } }
        }
    }

    /// Ends the idle connections, each by FIN; the others end after their exchange.
    ///
    /// - Parameter drains: whether an idle connection is read for a while after its FIN; if not, it is closed as soon as the client's
    ///   machine has acknowledged the FIN.
    /// - Returns: all connections, which may not be closed yet.
    package func endIdleConnections(drains: Bool) -> [any SessionConnection] {
        let connections = inner.withLock { $0.connections.all }
        for connection in connections { connection.closeWhenIdle(drains: drains) }
        return connections
    }

    /// The open connections that have reached a session, each with its number and the number of its requests there.
    struct Connections: Sendable {
        private var trackedConnections: [ObjectIdentifier: TrackedConnection] = [:]
        private var lastNumber = 0
        /// Every response announces the end of its connection, which ends after it.
        var endAfterResponses = false

        struct TrackedConnection: Sendable {
            let connection: any SessionConnection
            let number: Int
            var requests = 0
        }

        var all: [any SessionConnection] { trackedConnections.values.map(\.connection) }

        func knows(_ connection: any SessionConnection) -> Bool { trackedConnections[connection.id] != nil }

        /// The tracked connection, which gets the next number if it is new.
        mutating func tracked(of connection: any SessionConnection) -> TrackedConnection {
            if let tracked = trackedConnections[connection.id] { return tracked }
            lastNumber += 1
            let tracked = TrackedConnection(connection: connection, number: lastNumber)
            trackedConnections[connection.id] = tracked
            return tracked
        }

        mutating func countRequest(of connection: any SessionConnection) -> TrackedConnection {
            var tracked = tracked(of: connection)
            tracked.requests += 1
            trackedConnections[connection.id] = tracked
            return tracked
        }

        mutating func remove(_ id: ObjectIdentifier) { trackedConnections[id] = nil }

        mutating func removeAll() { trackedConnections.removeAll() }
    }
}

extension ConnectionEffect {
    /// Whether it lasts until it is ended from outside.
    fileprivate var waits: Bool {
        switch self {
        case .wait, .silence: true
        default: false
        }
    }
}
