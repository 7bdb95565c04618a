import DriverProtocol

/// A client under test as the harness reaches it: messages go in, responses come to the inbox.
protocol Driver: AnyObject, Sendable {
    var inbox: DriverInbox { get }
    var stderr: StderrTail { get }

    /// Sends a message. If the driver is gone the message is lost, and waiting for the response fails.
    func send(_ message: HarnessMessage)

    /// Makes every write of the client to a file fail, or allows writes again.
    ///
    /// - Returns: false if this machine cannot.
    func blockWrites(_ blocks: Bool) -> Bool

    /// Sends `bye` and kills the processes that have not ended in time.
    func stop(within limit: Duration) async

    /// Kills all processes at once and waits, to a bound, until they have ended.
    func killAndWait() async
}
