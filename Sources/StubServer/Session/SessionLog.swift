import BankCore
import EventStore
import NIOCore

/// What ties a session to the state file: each command is a row there before anybody hears of it.
struct SessionLog: Sendable {
    let store: EventStore
    /// The number of the last command.
    private(set) var seq: Int64
    /// Commands of which it is not known yet whether they are on the disk, in order.
    private var undecided = CircularBuffer<Undecided>()
    /// How many commands a start would have to do again.
    private var sinceCheckpoint: Int
    /// How often commands were taken back: a checkpoint made of a state of before must not be kept.
    private(set) var losses = 0

    private struct Undecided: Sendable {
        let seq: Int64
        let changes: [Change]
        let ticket: CommitTicket
    }

    /// - Parameters:
    ///   - seq: the number of the last command that is kept.
    ///   - sinceCheckpoint: how many of them are not in a checkpoint.
    init(store: EventStore, seq: Int64 = 0, sinceCheckpoint: Int = 0) {
        (self.store, self.seq, self.sinceCheckpoint) = (store, seq, sinceCheckpoint)
    }

    /// Of the last command, if it is not decided yet whether it stands: whoever sees the state must wait for it.
    var pending: CommitTicket? { undecided.last.flatMap { $0.ticket.isDone ? nil : $0.ticket } }

    /// Keeps a command.
    mutating func append(_ command: StoredCommand, _ changes: [Change]) -> CommitTicket {
        while let first = undecided.first, first.ticket.isDone { undecided.removeFirst() }
        seq = command.seq
        sinceCheckpoint += 1
        let ticket = store.append(command)
        undecided.append(Undecided(seq: seq, changes: changes, ticket: ticket))
        return ticket
    }

    /// The changes of the commands from that number on, last first; they are taken back now.
    mutating func lose(from first: Int64) -> [[Change]] {
        let lost = undecided.filter { $0.seq >= first }
        undecided.removeAll { $0.seq >= first }
        seq = max(0, first - 1)
        sinceCheckpoint = max(0, sinceCheckpoint - lost.count)
        losses += 1
        return lost.reversed().map(\.changes)
    }

    /// Whether a checkpoint is worth while: doing the commands again would take longer than reading a state of that size.
    ///
    /// - Parameter size: how many things the state holds.
    func wantsCheckpoint(of size: Int) -> Bool { sinceCheckpoint >= 1000 + size }

    mutating func checkpointBegun() { sinceCheckpoint = 0 }
}
