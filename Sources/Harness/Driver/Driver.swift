import DriverProtocol

/// A client under test as the harness reaches it: messages go in, answers come to the inbox.
protocol Driver: AnyObject, Sendable {
    var inbox: DriverInbox { get }
    var stderr: StderrTail { get }

    /// Sends a message. To a driver that is gone it is lost; whoever waits for the response is told.
    func send(_ message: HarnessMessage)

    /// Makes the system reject every write of the client's to a file, or allow it again.
    ///
    /// - Returns: false if this machine cannot.
    func refuseWrites(_ refuses: Bool) -> Bool

    /// Says good-bye and kills what is not gone in time.
    func stop(within limit: Duration) async

    /// Kills all processes at once and waits, to a bound, until they are gone.
    func killAndWait() async
}
