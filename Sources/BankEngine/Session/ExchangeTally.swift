import BankCore
package import BankModel

/// A session's counts for monitoring: of exchanges that have ended, of faults that were applied, of payments that were booked.
///
/// It changes under the session's lock, which is held anyway, and is added up only when someone asks. Neither a reset nor a
/// restore sets it back, and a payment is shown once it is stored, so that its numbers only rise.
package struct ExchangeTally: Sendable {
    /// An operation, nil if none was matched or the journal has forgotten which, and a status, nil if no response was sent.
    package struct Kind: Hashable, Sendable {
        package let operation: String?
        package let status: Int?
    }

    package private(set) var exchanges: [Kind: Int] = [:]
    /// The number of exchanges whose duration is at most each of ``bounds`` and above the one before; the last is for longer ones.
    package private(set) var durations = [Int](repeating: 0, count: ExchangeTally.bounds.count + 1)
    /// All durations together, in microseconds.
    package private(set) var microseconds: Int64 = 0
    package private(set) var replays = 0
    /// The number of faults that were applied, by kind.
    package private(set) var faults: [String: Int] = [:]
    /// The number of payments, by the state in which they were booked.
    package private(set) var payments: [Movement.State: Int] = [:]

    /// The upper bounds of the histogram of durations, in microseconds.
    package static let bounds: [Int64] = [1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 30_000_000]

    /// Counts the record of an exchange that has ended, or of a connection that a fault was applied to.
    mutating func count(_ record: borrowing ExchangeRecord) {
        for fault in record.faults where fault.applied { faults[fault.kind, default: 0] += 1 }
        guard record.method != nil else { return }
        if record.replayed { replays += 1 }
        count(record.operation, status: record.status, microseconds: record.durationMicroseconds)
    }

    /// Counts an exchange.
    ///
    /// - Parameter microseconds: its duration; nil if it is unknown.
    mutating func count(_ operation: OperationFacts?, status: Int?, microseconds: Int64?) {
        exchanges[Kind(operation: operation?.name, status: status), default: 0] += 1
        guard let microseconds else { return }
        durations[ExchangeTally.bounds.firstIndex { microseconds <= $0 } ?? ExchangeTally.bounds.count] += 1
        self.microseconds += microseconds
    }

    /// Counts the payments behind the first `count` movements: what operations and standing orders have booked, not events.
    mutating func countBooked(_ movements: [Movement], after count: Int) {
        for movement in movements.dropFirst(count) where !movement.isOfEvent {
            payments[movement.state, default: 0] += 1
        }
    }

    /// Leaves out the payments that changes have booked: they are undone, or it is not decided whether they will be.
    mutating func leaveOut(_ changes: some Sequence<Change>) {
        for case .moved(let movement) in changes where !movement.isOfEvent {
            payments[movement.state] = max(0, (payments[movement.state] ?? 0) - 1)
        }
    }

    /// Adds the counts of another session of the bank.
    mutating func add(_ other: ExchangeTally) {
        exchanges.merge(other.exchanges) { $0 + $1 }
        for (index, count) in other.durations.enumerated() { durations[index] += count }
        microseconds += other.microseconds
        replays += other.replays
        faults.merge(other.faults) { $0 + $1 }
        payments.merge(other.payments) { $0 + $1 }
    }
}
