import Synchronization

/// Counts the added rows that queries examine: a measure of cost that does not depend on the machine.
package final class RowScanCounter: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    /// The number so far.
    package var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}
