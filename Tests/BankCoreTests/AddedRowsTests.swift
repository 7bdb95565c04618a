import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Compares the rows that operations add with the simplest implementation.
@Suite struct AddedRowsTests {
    private static let table = Table(name: "entries", key: "id", rows: TableRows([]))

    private static func row(_ key: String, _ since: Int64, _ until: Int64) -> TableRow {
        TableRow(
            JSONObject([("id", .string(key)), ("since", .int(since))]), table, since: Instant(seconds: since),
            until: Instant(seconds: until))
    }

    private static func described(_ row: TableRow?) -> String { row.map { "\($0.key) from \($0.since.seconds)" } ?? "none" }

    @Test(arguments: TestSeeds.of(1...20))
    func `they are found by key whatever came and went`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (added, plain) = (AddedRows(nil, start: Instant(seconds: 0)), [TableRow]())
        for step in 0..<600 {
            // First all rows share a few keys; then there are more, so that the table of keys grows while some have many rows.
            let keys = step < 300 ? 7 : 8 + plain.count
            if plain.isEmpty || Int.random(in: 0..<10, using: &random) < 7 {
                let key = "k\(Int.random(in: 0..<keys, using: &random))"
                let since = Int64.random(in: 0..<50, using: &random)
                let row = Self.row(key, since, since + Int64.random(in: 0..<50, using: &random))
                added.append(row, at: Instant(seconds: 0))
                plain.append(row)
            } else {
                added.removeLast()
                plain.removeLast()
            }
            let now = Instant(seconds: Int64.random(in: 0..<100, using: &random))
            let key = "k\(Int.random(in: 0..<keys, using: &random))"
            let expected = plain.first { $0.key == key && $0.isThere(at: now) }
            #expect(Self.described(added.row(key: key, at: now)) == Self.described(expected))
        }
        #expect(added.rows.map(\.key) == plain.map(\.key))
        for _ in plain { added.removeLast() }
        #expect(added.rows.isEmpty)
        #expect(added.row(key: "k1", at: Instant(seconds: 1)) == nil)
    }

    @Test func `the next row that comes or goes is known of a table that no request lists`() {
        var added = AddedRows(nil, start: Instant(seconds: 0))
        added.append(Self.row("k", 0, 50), at: Instant(seconds: 0))
        added.append(Self.row("k", 50, 90), at: Instant(seconds: 0))

        added.advance(to: Instant(seconds: 10))
        #expect(added.due == Instant(seconds: 50))
        added.advance(to: Instant(seconds: 60))
        #expect(added.due == Instant(seconds: 90))
        added.end(1, at: Instant(seconds: 70))
        added.advance(to: Instant(seconds: 61))
        #expect(added.due == Instant(seconds: 70))
    }

    /// The table's rows in each list, and from a plain sort.
    private static func lists(_ added: AddedRows, _ plain: [TableRow], at now: Instant) -> (found: [[String]], expected: [[String]]) {
        var (found, expected): ([[String]], [[String]]) = ([], [])
        for kind in ["card", "cash"] {
            for owner in ["a1", "a2", "a3"] {
                let numbers = added.lists(["kind"], [kind])?[owner]
                found.append(numbers.map { $0.numbers(0..<$0.count).map { described(added.rows[Int($0)]) } } ?? [])
                expected.append(
                    plain.enumerated()
                        .filter { $1.isThere(at: now) && $1.fields["kind"]?.string == kind && $1.fields["owner"]?.string == owner }
                        .sorted { $0.element.rank == $1.element.rank ? $0.offset < $1.offset : $1.element.rank < $0.element.rank }
                        .map { described($0.element) })
            }
        }
        return (found, expected)
    }

    @Test(arguments: TestSeeds.of(1...12))
    func `they stand in their lists while they are there, forwards and backwards`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Self.table
        table.order = Table.Order(field: "rank", descending: true)
        table.belongs = .row(field: "owner", table: "accounts")
        let prepared = PreparedTable(table, askedBy: [["kind"]])
        var (added, plain, now) = (AddedRows(prepared, start: Instant(seconds: 0)), [TableRow](), Int64(0))
        for step in 0..<500 {
            if plain.isEmpty || Int.random(in: 0..<10, using: &random) < 8 {
                let since = now + Int64.random(in: -3...9, using: &random)
                let until = Bool.random(using: &random) ? Int64.max / 1_000_000_000 : since + Int64.random(in: 0..<30, using: &random)
                let row = TableRow(
                    JSONObject([
                        ("id", .string("k\(step)")), ("rank", .int(Int64.random(in: 0..<40, using: &random))),
                        ("kind", .string(Bool.random(using: &random) ? "card" : "cash")),
                        ("owner", .string("a\(Int.random(in: 1...3, using: &random))")),
                    ]), table, since: Instant(seconds: since), until: Instant(seconds: until))
                added.append(row, at: Instant(seconds: now))
                plain.append(row)
            } else {
                added.removeLast()
                plain.removeLast()
            }
            if step.isMultiple(of: 5) {
                now += Int64.random(in: 0..<4, using: &random)
                added.advance(to: Instant(seconds: now))
            }
            let (found, expected) = Self.lists(added, plain, at: Instant(seconds: now))
            #expect(found == expected)
            if step.isMultiple(of: 50) {
                var past = added
                let then = Instant(seconds: Int64.random(in: -3...now + 40, using: &random))
                past.advance(to: then)
                let (found, expected) = Self.lists(past, plain, at: then)
                #expect(found == expected)
            }
        }
    }
}
