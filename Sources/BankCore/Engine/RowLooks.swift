import Synchronization

/// Counts the added rows that queries look at: how much they cost, whatever the machine.
package final class RowLooks: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    /// How many it were so far.
    package var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}
