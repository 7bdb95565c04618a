import NIOCore

extension BankSession {
    /// Ends the connections that carry no exchange now, without draining them, and waits until they are closed.
    ///
    /// - Parameter limit: the longest wait: a connection that carries an exchange ends only after it.
    package func closeIdleConnections(within limit: Duration) async {
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
