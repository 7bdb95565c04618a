import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Compares the ledger's and the keys' shortcuts with the plain implementations.
@Suite struct HistoryTests {
    private static func movement(_ number: Int, at: Int64, _ dice: inout SeededGenerator) throws -> Movement {
        let ids = ["a", "b", "c", "d"]
        let from = ids[Int.random(in: 0..<4, using: &dice)]
        let to = ids.filter { $0 != from }[Int.random(in: 0..<3, using: &dice)]
        let takes = Int64.random(in: 0..<40, using: &dice)
        let end: Movement.State = Bool.random(using: &dice) ? .settled : .rejected
        let next = takes < 30 ? nil : Movement.Ending.Next(after: .seconds(5), state: .settled)
        let ending = takes < 15 ? nil : Movement.Ending(at: Instant(seconds: at + takes), state: end, authorised: next)
        return Movement(
            id: "movement-\(number)", operation: "pay", key: nil, customer: nil, state: ending?.pendingState ?? .settled,
            from: .init(table: "accounts", id: from), to: .init(table: "accounts", id: to),
            amount: Money(minorUnits: Int64.random(in: 1...500, using: &dice), currency: try #require(Currency("GBP"))),
            at: Instant(seconds: at), ending: ending)
    }

    /// The sums and states of a ledger's accounts and movements.
    private static func summary(_ ledger: Ledger) -> [String] {
        ["a", "b", "c", "d"].map { id in
            let account = Movement.Account(table: "accounts", id: id)
            return "\(id) \(ledger.change(of: account)) \(ledger.settledChange(of: account)) \(ledger.spendableChange(of: account))"
        } + ledger.movements.map { "\($0.id) \($0.state)" } + ["\(ledger.nextEnding.map { "\($0)" } ?? "none") \(ledger.isBalanced)"]
    }

    @Test(arguments: TestSeeds.of(1...10), [false, true])
    func `the past is what the movements until then make, also where a clock went back`(_ seed: UInt64, _ goesBack: Bool) throws {
        var dice = SeededGenerator(seed: seed)
        var (ledger, made, now): (Ledger, [Movement], Int64) = (Ledger(), [], 100)
        for number in 1...150 {
            now += Int64.random(in: 0..<4, using: &dice)
            let at = goesBack && number.isMultiple(of: 20) ? now - 7 : now
            let movement = try Self.movement(number, at: at, &dice)
            _ = ledger.settle(at: Instant(seconds: now))
            ledger.book(movement)
            made.append(movement)
        }
        for _ in 0..<40 {
            let instant = Instant(seconds: Int64.random(in: 90...now + 5, using: &dice))
            var plain = Ledger()
            for movement in made where movement.at <= instant { plain.book(movement) }
            _ = plain.settle(at: instant)

            // At its own now it is as it is.
            let past = ledger.asOf(instant)

            if instant <= Instant(seconds: now) { #expect(Self.summary(past) == Self.summary(plain)) }
        }
        #expect(ledger.isBalanced)
        #expect(ledger.addsUp)
    }

    @Test(arguments: TestSeeds.of(1...10))
    func `the newest keys are the last of all that are known`(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var (book, plain): (IdempotencyBook, [String: Int64]) = (IdempotencyBook(), [:])
        let print = IdempotencyBook.Fingerprint(method: "POST", path: "/", query: nil, body: .whole([]))
        var now: Int64 = 0
        for step in 0..<900 {
            now += Int64.random(in: 0..<3, using: &dice) / 2
            let key = "k\(Int.random(in: 0..<400, using: &dice))"
            let id = IdempotencyBook.ID(customer: "ann", operation: nil, key: key)
            if case .new = book.claim(id, print, byValue: false, window: .seconds(60), at: Instant(seconds: now)) {
                plain = plain.filter { $0.value > now - 60 }
                if step.isMultiple(of: 3) {
                    book.drop(id)
                    plain[key] = nil
                } else if let record = book.record(
                    .init(response: BankResponse(status: 201), row: nil), under: id, at: Instant(seconds: now))
                {
                    book.store(record, under: id)
                    plain[key] = now
                }
            }
            guard step.isMultiple(of: 10) else { continue }
            let expected = plain.filter { $0.value > now - 60 }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
            let known = book.known().filter { $0.record.since > Instant(seconds: now - 60) }.map(\.id.key)
            #expect(known == expected)
            #expect(book.records.count <= expected.count + 1)
            let last = Int.random(in: 0..<20, using: &dice)
            #expect(book.known(last: last).map(\.id) == book.known().suffix(last).map(\.id))
        }
    }

    @Test func `keys that were read by name are forgotten by age`() {
        var book = IdempotencyBook()
        let print = IdempotencyBook.Fingerprint(method: "POST", path: "/", query: nil, body: .whole([]))
        for number in [5, 1, 4, 2, 3] as [Int64] {
            let record = IdempotencyBook.Record(
                fingerprint: print, since: Instant(seconds: number), stored: .init(response: BankResponse(status: 201), row: nil))
            book.store(record, under: .init(customer: nil, operation: nil, key: "k\(number)"))
        }
        #expect(book.known().map(\.id.key) == ["k1", "k2", "k3", "k4", "k5"])
        #expect(book.known(last: 2).map(\.id.key) == ["k4", "k5"])
        #expect(book.known(after: Instant(seconds: 3)).map(\.id.key) == ["k4", "k5"])
        #expect(book.known(last: 1, after: Instant(seconds: 3)).map(\.id.key) == ["k5"])

        let new = IdempotencyBook.ID(customer: nil, operation: nil, key: "k9")
        _ = book.claim(new, print, byValue: false, window: .seconds(10), at: Instant(seconds: 13))

        #expect(book.known().map(\.id.key) == ["k4", "k5", "k9"])
    }
}
