import BankModel

/// A session's rows: what operations have added to the bank's tables, and which of the fixtures' rows they have removed.
struct RowBook: Sendable {
    private var tables: [String: PreparedTable]
    /// The session's start; relative dates follow it.
    private let start: Instant
    /// The added rows, per table; a table without any is absent.
    private(set) var added: [String: AddedRows] = [:]
    /// The instants at which a fixture's rows with a key were removed, per table: an operation has changed or removed them.
    private(set) var hidden: [String: [String: Instant]] = [:]

    init(_ tables: [String: PreparedTable], start: Instant) {
        self.tables = tables
        self.start = start
    }

    /// The number of added rows.
    var count: Int { added.values.reduce(0) { $0 + $1.rows.count } }

    /// The number of bytes of their texts.
    var textBytes: Int { added.values.reduce(0) { $0 + $1.textBytes } }

    /// The first row with that key that exists at an instant.
    func row(_ table: PreparedTable, key: String, at now: Instant) -> TableRow? {
        if let row = added[table.table.name]?.row(key: key, at: now) { return row }
        return isHidden(key, of: table.table.name, at: now) ? nil : table.row(ofKey: key)
    }

    /// Whether a fixture's rows with that key were removed by then.
    func isHidden(_ key: String, of table: String, at now: Instant) -> Bool { hidden[table]?[key].map { $0 <= now } ?? false }

    /// The keys whose rows in the fixture were removed by then.
    func hiddenKeys(of table: String, at now: Instant) -> Set<String> { Set((hidden[table] ?? [:]).filter { $0.value <= now }.keys) }

    /// Adds a row to a table.
    mutating func insert(_ row: TableRow, into table: String, at now: Instant) {
        added[table, default: AddedRows(tables[table], start: start)].append(row, at: now)
    }

    /// Removes the row that was added last to a table.
    mutating func removeLast(from table: String) {
        added[table]?.removeLast()
        if added[table]?.rows.isEmpty == true { added[table] = nil }
    }

    /// Ends an added row at that instant.
    mutating func end(_ number: Int, of table: String, at instant: Instant) { added[table]?.end(number, at: instant) }

    /// Hides a fixture's rows with a key since that instant; nil shows them again.
    mutating func hide(_ key: String, of table: String, since instant: Instant?) {
        hidden[table, default: [:]][key] = instant
        if hidden[table]?.isEmpty == true { hidden[table] = nil }
    }

    /// Lets the added rows that are due appear and disappear.
    ///
    /// - Returns: whether there may be any.
    mutating func settle(at now: Instant) -> Bool {
        guard added.values.contains(where: { $0.due <= now }) else { return false }
        advance(to: now)
        return true
    }

    /// Shows the added rows of an instant, which may be an earlier one.
    mutating func advance(to instant: Instant) { for name in added.keys { added[name]?.advance(to: instant) } }

    /// Sorts the added rows in the order of an edited bank.
    mutating func adopt(_ tables: [String: PreparedTable]) {
        self.tables = tables
        for (name, rows) in added { added[name] = rows.adopted(by: tables[name]) }
    }
}
