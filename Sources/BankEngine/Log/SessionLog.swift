import BankCore

/// A session's part of the state file: each command is a row there before its effect is visible.
struct SessionLog: Sendable {
    let store: any DurableLog
    /// The number of the last command.
    private(set) var seq: Int64
    /// The commands that are neither durable nor failed yet, in order.
    private var undecided: [Undecided] = []
    /// The size of the commands that a start would have to replay, in bytes.
    private var sinceCheckpoint: Int
    /// The size of the last checkpoint, in bytes.
    private var checkpointBytes: Int
    /// The number of times that commands were undone: a checkpoint of an earlier state must not be stored.
    private(set) var losses = 0

    private struct Undecided: Sendable {
        let seq: Int64
        let bytes: Int
        let changes: [Change]
        let ticket: CommitTicket
    }

    /// - Parameter stored: the stored session; nil if the session is new.
    init(store: any DurableLog, stored: StoredSession? = nil) {
        self.store = store
        seq = stored?.lastSeq ?? 0
        sinceCheckpoint = stored?.commands.reduce(0) { $0 + $1.bytes } ?? 0
        checkpointBytes = stored?.checkpoint?.state.count ?? 0
    }

    /// The ticket of the last command while it is undecided: a reply that shows the state must wait for it.
    var pending: CommitTicket? { undecided.last.flatMap { $0.ticket.isDone ? nil : $0.ticket } }

    /// Stores a command.
    mutating func append(_ command: StoredCommand, _ changes: [Change]) -> CommitTicket {
        undecided.removeFirst(undecided.prefix { $0.ticket.isDone }.count)
        seq = command.seq
        sinceCheckpoint += command.bytes
        let ticket = store.append(command)
        undecided.append(Undecided(seq: seq, bytes: command.bytes, changes: changes, ticket: ticket))
        return ticket
    }

    /// Removes the commands from that number on.
    ///
    /// - Returns: their changes, last first.
    mutating func lose(from first: Int64) -> [[Change]] {
        let lost = undecided.filter { $0.seq >= first }
        undecided.removeAll { $0.seq >= first }
        seq = max(0, first - 1)
        sinceCheckpoint = max(0, sinceCheckpoint - lost.reduce(0) { $0 + $1.bytes })
        losses += 1
        return lost.reversed().map(\.changes)
    }

    /// Whether a checkpoint pays: replaying the commands would take longer than reading the last one.
    ///
    /// A start then reads at most a small multiple of the state's size, whatever the number of commands, and all checkpoints
    /// together write at most a small multiple of the commands' size.
    var wantsCheckpoint: Bool { sinceCheckpoint >= store.checkpointBytes + checkpointBytes }

    mutating func checkpointBegun() { sinceCheckpoint = 0 }

    /// - Parameter bytes: the size of the checkpoint that was begun last.
    mutating func checkpointMade(of bytes: Int) { checkpointBytes = bytes }
}

extension StoredCommand {
    /// Its size, in bytes.
    fileprivate var bytes: Int { changes.count + (reply?.count ?? 0) }
}
