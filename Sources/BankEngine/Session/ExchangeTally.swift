package import BankModel

/// A session's counts for monitoring: of exchanges that have ended, of faults that were applied, of payments that were booked.
///
/// It changes under the session's lock, which is held anyway, and is added up only when someone asks. Neither a reset nor a
/// restore sets it back, so that its numbers only rise.
package struct ExchangeTally: Sendable {
    /// One number of exchanges for each operation and status. There are few, and mostly the same one rises again.
    private var cells: [Cell] = []
    /// The index of the cell that rose last.
    private var latest = 0
    /// The number of exchanges whose duration is at most each of ``bounds`` and above the one before; the last is for longer ones.
    fileprivate var durations: [Int] = []
    /// All durations together, in microseconds.
    fileprivate var microseconds: Int64 = 0
    fileprivate var replays = 0
    /// The number of faults that were applied, by kind.
    fileprivate var faults: [String: Int] = [:]
    /// The number of payments, by the state in which they were booked.
    fileprivate var payments = StateCounts()

    private struct Cell {
        let operation: OperationFacts?
        let status: Int?
        var count: Int
    }

    /// The upper bounds of the histogram of durations, in microseconds.
    package static let bounds: [Int64] = [1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 30_000_000]

    /// Counts the record of an exchange that has ended, or of a connection that a fault was applied to.
    mutating func count(_ record: borrowing ExchangeRecord) {
        if !record.faults.isEmpty {
            for fault in record.faults where fault.applied { faults[fault.kind, default: 0] += 1 }
        }
        guard record.method != nil else { return }
        if record.replayed { replays += 1 }
        count(record.operation, status: record.status, microseconds: record.durationMicroseconds)
    }

    /// Counts an exchange.
    ///
    /// - Parameters:
    ///   - operation: nil if it matched none, or the journal has forgotten which.
    ///   - status: nil if no response was sent.
    ///   - microseconds: its duration; nil if it is unknown.
    mutating func count(_ operation: OperationFacts?, status: Int?, microseconds: Int64?) {
        if let microseconds { observe(microseconds) }
        // An edited bank has new facts of the same name.
        func isIts(_ cell: Cell) -> Bool {
            cell.status == status && (cell.operation === operation || cell.operation?.name == operation?.name)
        }
        if latest < cells.count, isIts(cells[latest]) {
            cells[latest].count += 1
        } else if let index = cells.firstIndex(where: isIts) {
            cells[index].count += 1
            latest = index
        } else {
            latest = cells.count
            cells.append(Cell(operation: operation, status: status, count: 1))
        }
    }

    private mutating func observe(_ microseconds: Int64) {
        if durations.isEmpty { durations = Array(repeating: 0, count: ExchangeTally.bounds.count + 1) }
        durations[ExchangeTally.bounds.firstIndex { microseconds <= $0 } ?? ExchangeTally.bounds.count] += 1
        self.microseconds += microseconds
    }

    /// Counts the movements behind the first `count`.
    mutating func countBooked(_ movements: some RandomAccessCollection<Movement>, after count: Int) {
        guard movements.count > count else { return }
        // Not `suffix`: it counts back from the end.
        for movement in movements[movements.index(movements.startIndex, offsetBy: count)...] { payments.count(movement.state) }
    }

    fileprivate func forEachCell(_ body: (_ operation: String?, _ status: Int?, _ count: Int) -> Void) {
        for cell in cells { body(cell.operation?.name, cell.status, cell.count) }
    }
}

/// How many movements were booked in each state: a separate number for each, because a dictionary would hash a text at each payment.
private struct StateCounts {
    private var pendingAuthorisation = 0
    private var accepted = 0
    private var settled = 0
    private var rejected = 0
    private var cancelled = 0

    mutating func count(_ state: Movement.State) {
        switch state {
        case .pendingAuthorisation: pendingAuthorisation += 1
        case .accepted: accepted += 1
        case .settled: settled += 1
        case .rejected: rejected += 1
        case .cancelled: cancelled += 1
        }
    }

    /// The counts that are not zero.
    var byState: [Movement.State: Int] {
        [
            .pendingAuthorisation: pendingAuthorisation, .accepted: accepted, .settled: settled, .rejected: rejected, .cancelled: cancelled,
        ].filter { $0.value > 0 }
    }
}

/// The counts of several sessions of one bank.
package struct ExchangeSums: Sendable {
    /// An operation, nil if none was matched, and a status, nil if no response was sent.
    package struct Kind: Hashable, Sendable {
        package let operation: String?
        package let status: Int?
    }

    package private(set) var exchanges: [Kind: Int] = [:]
    /// As many numbers as ``ExchangeTally/bounds`` and one more, for what lasted longer.
    package private(set) var durations = [Int](repeating: 0, count: ExchangeTally.bounds.count + 1)
    package private(set) var microseconds: Int64 = 0
    package private(set) var replays = 0
    package private(set) var faults: [String: Int] = [:]
    package private(set) var payments: [Movement.State: Int] = [:]

    package init() {}

    package mutating func add(_ tally: ExchangeTally) {
        tally.forEachCell { operation, status, count in exchanges[Kind(operation: operation, status: status), default: 0] += count }
        for (index, count) in tally.durations.enumerated() { durations[index] += count }
        microseconds += tally.microseconds
        replays += tally.replays
        faults.merge(tally.faults) { $0 + $1 }
        payments.merge(tally.payments.byState) { $0 + $1 }
    }
}
