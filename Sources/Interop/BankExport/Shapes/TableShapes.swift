import BankCore
import BankModel

/// The shapes of a bank's rows: those of the fixtures, and those that operations add.
struct TableShapes: Sendable {
    let bank: Bank
    /// All rows of each table, fields for filters too.
    private(set) var rows: [String: SchemaShape]

    init(_ bank: Bank) {
        self.bank = bank
        rows = bank.tables.mapValues(TableShapes.fixture)
        let fixtures = rows
        // A row may be made of another table's: again until nothing is new, in circles a few times.
        for _ in 0..<4 {
            var next = fixtures
            func add(_ shape: SchemaShape, to table: String) { next[table] = (next[table] ?? SchemaShape()).joined(with: shape) }
            for listing in bank.events?.lists ?? [] {
                add(TemplateShapes(tables: self, operation: nil).row(listing.row, listing.stages), to: listing.table)
            }
            for operation in bank.operations {
                let templates = TemplateShapes(tables: self, operation: operation)
                if let insert = operation.insert { add(templates.row(insert.row, insert.stages), to: insert.table) }
                for listing in operation.move?.lists ?? [] { add(templates.row(listing.row, listing.stages), to: listing.table) }
                if let update = operation.update, let row = rows[update.row.table] {
                    add(templates.changed(row, by: update.changes), to: update.row.table)
                }
            }
            if next == rows { break }
            rows = next
        }
    }

    func sent(_ table: String, only: [String]?) -> SchemaShape { (rows[table] ?? SchemaShape(kinds: [.object])).only(only) }

    // MARK: fixtures

    private static func fixture(_ table: Table) -> SchemaShape {
        var shape = SchemaShape()
        // A table of a million rows has many alike.
        var seen: Set<SchemaShape> = []
        for row in table.rows {
            let next = TableShapes.shape(of: row, in: table)
            if seen.insert(next).inserted { shape = shape.joined(with: next) }
        }
        return shape
    }

    private static func shape(of row: JSONObject, in table: Table) -> SchemaShape {
        var fields = row
        for (path, style) in table.relativeDates {
            guard let text = JSON.object(fields).at(path)?.string, text.hasPrefix("@") else { continue }
            fields.set(.string(style.text(Instant(seconds: 0))), at: path)
        }
        for path in table.urls where JSON.object(fields).at(path)?.string?.hasPrefix("/") == true { fields.set("url:", at: path) }
        var shape = SchemaShape(JSON.object(fields))
        for path in table.urls { shape.replace(path) { $0.formats = $0.kinds == [.string] ? [.uri] : [] } }
        guard let holds = table.holds, holds.unit != .minor else { return shape }
        for path in holds.amounts + holds.settled { shape.replace(path) { $0 = holds.unit.shape } }
        return shape
    }
}

extension SchemaShape {
    /// Changes the shape at a dotted path, if it is there.
    mutating func replace(_ path: String, _ change: (inout SchemaShape) -> Void) {
        let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = steps.first, let index = members.firstIndex(where: { $0.name == first }) else { return }
        if steps.count == 2 { members[index].shape.replace(steps[1], change) } else { change(&members[index].shape) }
    }
}
