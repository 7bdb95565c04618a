import BankModel
import Testing

@testable import BankCore

/// The rows that operations add, beside the plainest thing that does the same.
@Suite struct AddedRowsTests {
    private static let table = Table(name: "entries", key: "id", rows: TableRows([]))

    private static func row(_ key: String, _ since: Int64, _ until: Int64) -> TableRow {
        TableRow(
            JSONObject([("id", .string(key)), ("since", .int(since))]), table, since: Instant(seconds: since),
            until: Instant(seconds: until))
    }

    private static func told(_ row: TableRow?) -> String { row.map { "\($0.key) from \($0.since.seconds)" } ?? "none" }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theyAreFoundByKeyWhateverCameAndWent(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (added, plain) = (AddedRows(), [TableRow]())
        for step in 0..<600 {
            // First all rows share a few keys; then there are more, so that the table of keys grows while some have many rows.
            let keys = step < 300 ? 7 : 8 + plain.count
            if plain.isEmpty || Int.random(in: 0..<10, using: &random) < 7 {
                let key = "k\(Int.random(in: 0..<keys, using: &random))"
                let since = Int64.random(in: 0..<50, using: &random)
                let row = Self.row(key, since, since + Int64.random(in: 0..<50, using: &random))
                added.append(row)
                plain.append(row)
            } else {
                added.removeLast()
                plain.removeLast()
            }
            let now = Instant(seconds: Int64.random(in: 0..<100, using: &random))
            let key = "k\(Int.random(in: 0..<keys, using: &random))"
            let expected = plain.first { $0.key == key && $0.isThere(at: now) }
            #expect(Self.told(added.row(key: key, at: now)) == Self.told(expected))
        }
        #expect(added.rows.map(\.key) == plain.map(\.key))
        for _ in plain { added.removeLast() }
        #expect(added.rows.isEmpty && added.row(key: "k1", at: Instant(seconds: 1)) == nil)
    }
}
