/// Where a server's sessions are kept: a log of commands, each on the disk before anybody hears of it.
///
/// A payload belongs to the session that appends it; the log knows sessions, numbers and order.
package protocol DurableLog: AnyObject, Sendable {
    /// The file's path, for messages.
    var path: String { get }

    /// Commands of fewer bytes are worth no checkpoint.
    var checkpointBytes: Int { get }

    /// Notes for the file's owner, a sentence each.
    var notes: [String] { get }

    /// Reads all that is kept, one session after the other, in the order in which they were opened.
    ///
    /// - Throws: ``StoreError`` for what cannot be read, and what the body throws. A row that is not as it was written is among its
    ///   session's ``StoredSession/faults``.
    func load(_ body: (StoredSession) throws -> Void) throws

    /// Keeps a session that begins.
    func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket

    /// Forgets a session and all its commands.
    func remove(session: String) -> CommitTicket

    /// Keeps a command. Those of one session are kept in the order in which they are appended.
    func append(_ command: StoredCommand) -> CommitTicket

    /// Keeps the whole state that a session had after the command of that number; the commands up to it are forgotten.
    func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket

    /// Says who takes commands back that could not be kept: called for each session of a batch that failed, with the first number
    /// that is lost (0 for the session itself), before any ticket of the batch is done. It calls ``withdraw(session:)`` while
    /// nothing can be appended to the session.
    func onFailure(_ body: @escaping @Sendable (_ session: String, _ firstLost: Int64) -> Void)

    /// Takes back what was appended for a session and is not being written yet; its tickets fail with the batch.
    func withdraw(session: String)

    /// Writes what is still queued, and gives the file up. Nothing can be appended any more.
    func close()
}
