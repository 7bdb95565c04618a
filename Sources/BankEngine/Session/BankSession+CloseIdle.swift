extension BankSession {
    /// From now on every reply tells that its connection ends: by `Connection: close` (RFC 9112 §9.6), on HTTP/2 by GOAWAY after
    /// the last stream (RFC 9113 §6.8). It ends with the reply, until ``closeIdleConnections(within:)``.
    package func endConnectionsAfterReplies() { inner.withLock { $0.endsConnections = true } }

    /// Ends the connections that carry no exchange now, without draining them, and waits until they are closed. Replies keep
    /// their connections again.
    ///
    /// - Parameter limit: the longest wait: a connection that carries an exchange ends only after it.
    package func closeIdleConnections(within limit: Duration) async {
        inner.withLock { $0.endsConnections = false }
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
        let connections = inner.withLock { Array($0.connections.values) }
        for connection in connections { connection.closeWhenIdle(drains: drains) }
        return connections
    }
}
