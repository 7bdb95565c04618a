import BankModel
import Testing

@testable import BankEngine
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
        #expect(ring.entries().map(\.seq) == kept)
        #expect(ring.dropped == count - kept.count)
        #expect(ring.entries(since: count - 1).map(\.seq) == kept.filter { $0 == count })
    }

    @Test func `a ring that lost records to the budget grows again in order`() {
        let two = 2 * ExchangeRecord.baseCost
        var (ring, budget) = Self.ring(capacity: 5, bytes: two)
        Self.append(4, to: &ring)
        #expect(ring.entries().map(\.seq) == [3, 4])
        #expect(budget.share == nil)

        budget.add(-10 * two)
        Self.append(4, to: &ring)

        #expect(ring.entries().map(\.seq) == [4, 5, 6, 7, 8])
        #expect(ring.dropped == 3)
        ring.removeAll()
        #expect(ring.entries().isEmpty)
        #expect(ring.dropped == 0)
        Self.append(1, to: &ring)
        #expect(ring.entries().map(\.seq) == [9])
    }

    @Test func `a session that uses the whole budget costs another none of its records`() {
        let budget = JournalBudget(limit: 6 * ExchangeRecord.baseCost)
        var (busy, quiet) = (JournalRing(capacity: 100, budget: budget), JournalRing(capacity: 100, budget: budget))
        Self.append(20, to: &busy)
        Self.append(3, to: &quiet)
        #expect(quiet.dropped == 0)
        Self.append(1, to: &busy)
        #expect(busy.entries().map(\.seq) == [19, 20, 21])
        Self.append(1, to: &quiet)
        #expect(quiet.dropped == 1, "both have more than their share now")
    }

    @Test func `a session that ends gives its bytes back`() {
        let budget = JournalBudget(limit: 2 * ExchangeRecord.baseCost)
        do {
            var ended = JournalRing(capacity: 100, budget: budget)
            Self.append(2, to: &ended)
        }
        var next = JournalRing(capacity: 100, budget: budget)
        Self.append(2, to: &next)
        #expect(next.dropped == 0)
    }

    @Test func `a record is amended where it stands, and one that is gone is not`() {
        var (ring, _) = Self.ring(capacity: 3)
        Self.append(5, to: &ring)

        for seq in [2, 3, 5, 6] { ring.amend(seq) { $0.status = 200 + seq } }

        #expect(ring.entries().map(\.status) == [203, nil, 205])
        #expect(ring.record(2) == nil)
        #expect(ring.record(4)?.target == "/4")
        #expect(ring.record(6) == nil)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `a page is what a plain look at all records gives`(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var (ring, _) = Self.ring(capacity: 700)
        var plain: [(seq: Int, status: Int)] = []
        for seq in 1...1000 {
            Self.append(1, to: &ring)
            let status = [200, 201, 404][Int.random(in: 0..<3, using: &dice)]
            ring.amend(seq) { $0.status = status }
            plain.append((seq, status))
        }
        plain.removeFirst(300)
        for _ in 0..<300 {
            var query = JournalQuery()
            if Bool.random(using: &dice) { query.since = Int.random(in: 0...1010, using: &dice) }
            if Bool.random(using: &dice) { query.before = Int.random(in: 0...1010, using: &dice) }
            if Bool.random(using: &dice) { query.last = Int.random(in: 0...40, using: &dice) }
            if Bool.random(using: &dice) { query.limit = Int.random(in: 0...40, using: &dice) }
            if Bool.random(using: &dice) { query.status = 404 }
            let all = plain.filter { $0.seq > query.since && $0.seq < query.before }
            let fitting = all.filter { query.status == nil || $0.status == query.status }
            let wanted = fitting.suffix(query.last).prefix(query.limit)
            let isCut = query.last == .max && wanted.count < fitting.count

            let page = ring.page(query)

            #expect(page.records.map(\.seq) == wanted.map(\.seq))
            #expect(page.next == ((isCut ? wanted.last : all.last)?.seq ?? query.since))
        }
    }

    @Test func `a copy of a ring stays as it was`() {
        var (ring, _) = Self.ring(capacity: 300)
        Self.append(500, to: &ring)
        let copy = ring
        Self.append(250, to: &ring)
        ring.amend(501) { $0.status = 200 }

        #expect(copy.entries().map(\.seq) == Array(201...500))
        #expect(copy.record(450)?.target == "/450")
        #expect(ring.entries().map(\.seq) == Array(451...750))
    }
}

extension JournalRing {
    fileprivate func entries(since: Int = 0) -> [JournalEntry] { records(since: since).map(\.entry) }
}
