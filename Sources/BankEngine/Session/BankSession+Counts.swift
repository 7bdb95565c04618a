import BankCore
import Faults

extension BankSession {
    /// The counts of a session, or of several.
    package struct Counts: Sendable {
        /// Exchanges ever.
        package var exchanges = 0
        package var dropped = 0
        package var held = 0
        package var rules = 0
        /// Movements that it holds.
        package var payments = 0
        package var refusedFull = 0

        package init() {}

        package mutating func add(_ other: Counts) {
            exchanges += other.exchanges
            dropped += other.dropped
            held += other.held
            rules += other.rules
            payments += other.payments
            refusedFull += other.refusedFull
        }
    }

    package var counts: Counts {
        inner.withLock {
            var counts = Counts()
            counts.exchanges = $0.journal.nextSeq - 1
            counts.dropped = $0.journal.dropped
            counts.held = $0.held.count
            counts.rules = $0.rules.rules.count
            counts.payments = $0.state.ledger.movements.count
            counts.refusedFull = $0.refusedFull
            return counts
        }
    }
}
