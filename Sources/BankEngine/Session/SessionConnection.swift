/// A client's connection, as a session sees it.
package protocol SessionConnection: Sendable {
    /// Its identity, as long as it is open.
    var id: ObjectIdentifier { get }

    /// Closes it now, even during an exchange.
    func closeNow()

    /// Ends it by FIN once it carries no exchange: at once if it is idle.
    ///
    /// - Parameter drains: whether an idle connection is read for a while after its FIN. A busy one always is.
    func closeWhenIdle(drains: Bool)

    /// Calls back once it is closed: at once if it is closed already.
    func whenClosed(_ body: @escaping @Sendable () -> Void)
}

/// A port that belongs to one session alone.
package protocol SessionPort: Sendable {
    /// Its number, fixed for the session's lifetime.
    var port: Int { get }

    /// All connections to it, those too of which no request has come.
    var openConnections: [any SessionConnection] { get }

    /// Starts listening; or stops, and closes the open connections.
    func set(isOpen: Bool)

    /// Returns when the last ``set(isOpen:)`` has taken effect; after a few seconds if the system does not let the port open.
    func waitForChange() async

    /// Frees the port.
    func close()
}

/// Calls a session back in real time.
package protocol SessionTimer: Sendable {
    /// Calls back once, unless it is cancelled before.
    ///
    /// - Parameter wait: how long after now.
    /// - Returns: cancels the call.
    func schedule(after wait: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}
