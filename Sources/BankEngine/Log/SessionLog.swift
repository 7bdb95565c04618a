import BankCore

/// What ties a session to the state file: each command is a row there before anybody hears of it.
struct SessionLog: Sendable {
    let store: any DurableLog
    /// The number of the last command.
    private(set) var seq: Int64
    /// Commands of which it is not known yet whether they are on the disk, in order.
    private var undecided: [Undecided] = []
    /// Bytes of the commands that a start would have to do again.
    private var sinceCheckpoint: Int
    /// Bytes of the last checkpoint.
    private var checkpointBytes: Int
    /// How often commands were taken back: a checkpoint made of a state of before must not be kept.
    private(set) var losses = 0

    private struct Undecided: Sendable {
        let seq: Int64
        let bytes: Int
        let changes: [Change]
        let ticket: CommitTicket
    }

    /// - Parameter stored: what is kept of the session; nil: it begins.
    init(store: any DurableLog, stored: StoredSession? = nil) {
        self.store = store
        seq = stored?.lastSeq ?? 0
        sinceCheckpoint = stored?.commands.reduce(0) { $0 + $1.bytes } ?? 0
        checkpointBytes = stored?.checkpoint?.state.count ?? 0
    }

    /// Of the last command, if it is not decided yet whether it stands: whoever sees the state must wait for it.
    var pending: CommitTicket? { undecided.last.flatMap { $0.ticket.isDone ? nil : $0.ticket } }

    /// Keeps a command.
    mutating func append(_ command: StoredCommand, _ changes: [Change]) -> CommitTicket {
        undecided.removeFirst(undecided.prefix { $0.ticket.isDone }.count)
        seq = command.seq
        sinceCheckpoint += command.bytes
        let ticket = store.append(command)
        undecided.append(Undecided(seq: seq, bytes: command.bytes, changes: changes, ticket: ticket))
        return ticket
    }

    /// The changes of the commands from that number on, last first; they are taken back now.
    mutating func lose(from first: Int64) -> [[Change]] {
        let lost = undecided.filter { $0.seq >= first }
        undecided.removeAll { $0.seq >= first }
        seq = max(0, first - 1)
        sinceCheckpoint = max(0, sinceCheckpoint - lost.reduce(0) { $0 + $1.bytes })
        losses += 1
        return lost.reversed().map(\.changes)
    }

    /// Whether a checkpoint is worth while: doing the commands again would take longer than reading the last one.
    ///
    /// So a start reads no more than a small multiple of what the state is, however many commands made it, and all checkpoints
    /// together write no more than a small multiple of what the commands do.
    var wantsCheckpoint: Bool { sinceCheckpoint >= store.checkpointBytes + checkpointBytes }

    mutating func checkpointBegun() { sinceCheckpoint = 0 }

    /// - Parameter bytes: how many the checkpoint has that was begun last.
    mutating func checkpointMade(of bytes: Int) { checkpointBytes = bytes }
}

extension StoredCommand {
    /// How much there is to read of it.
    fileprivate var bytes: Int { changes.count + (reply?.count ?? 0) }
}
