import BankModel
import Testing

@testable import StubServer

@Suite struct JournalRingTests {
    private static func ring(capacity: Int, bytes: Int = .max) -> (JournalRing, JournalBudget) {
        let budget = JournalBudget(limit: bytes)
        return (JournalRing(capacity: capacity, budget: budget), budget)
    }

    private static func append(_ count: Int, to ring: inout JournalRing) {
        for _ in 0..<count {
            let seq = ring.takeSeq()
            ring.append(
                ExchangeRecord(
                    seq: seq, at: Instant(seconds: 0), mono: 0, connection: 1, requestOnConnection: seq, wireProtocol: .h1, method: "GET",
                    target: "/\(seq)"))
        }
    }

    @Test(arguments: [(1, 1), (3, 3), (3, 4), (3, 7), (4, 11), (0, 2)])
    func `the newest stay, oldest first`(_ capacity: Int, _ count: Int) {
        var (ring, _) = Self.ring(capacity: capacity)

        Self.append(count, to: &ring)

        let kept = Array(max(1, count - capacity + 1)..<count + 1)
        #expect(ring.entries().map(\.seq) == kept && ring.dropped == count - kept.count)
        #expect(ring.entries(since: count - 1).map(\.seq) == kept.filter { $0 == count })
    }

    @Test func `a ring that lost records to the budget grows again in order`() {
        let two = 2 * ExchangeRecord.baseCost
        var (ring, budget) = Self.ring(capacity: 5, bytes: two)
        Self.append(4, to: &ring)
        #expect(ring.entries().map(\.seq) == [3, 4] && budget.isExceeded == false)

        budget.add(-10 * two)
        Self.append(4, to: &ring)

        #expect(ring.entries().map(\.seq) == [4, 5, 6, 7, 8] && ring.dropped == 3)
        ring.removeAll()
        #expect(ring.entries().isEmpty && ring.dropped == 0)
        Self.append(1, to: &ring)
        #expect(ring.entries().map(\.seq) == [9])
    }

    @Test func `a record is amended where it stands, and one that is gone is not`() {
        var (ring, _) = Self.ring(capacity: 3)
        Self.append(5, to: &ring)

        for seq in [2, 3, 5, 6] { ring.amend(seq) { $0.status = 200 + seq } }

        #expect(ring.entries().map(\.status) == [203, nil, 205])
        #expect(ring.record(2) == nil && ring.record(4)?.target == "/4" && ring.record(6) == nil)
    }
}
