import NIOCore

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
        let closing = closeIdleConnections(drains: false)
        let (ends, end) = AsyncStream<Void>.makeStream()
        for future in closing { future.whenComplete { _ in end.yield() } }
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
}
