import BankModel

/// The rows that operations added to one table: in the order of insertion, by key, and the current ones in the order of
/// listing. However many there are, a row and a page of them cost the same.
package struct AddedRows: Sendable {
    /// Their table, with the fields by which its rows are queried; nil for a table that the bank does not have.
    private let table: PreparedTable?
    private let order: RowOrder
    /// The session's start; relative dates follow it.
    private let start: Instant
    package private(set) var rows: [TableRow] = []
    /// The number of bytes of their texts.
    private(set) var textBytes = 0
    /// The numbers of the rows with each key, such as the stages of one, in the order of insertion.
    private var byKey: [String: [Int32]] = [:]
    /// The rows that exist at ``now``.
    private var indexes: [RowIndex] = []
    /// The appearances and removals of rows, by time.
    private var events = SortedNumbers()
    /// The instant of the session's clock for which the indexes are valid.
    private var now = Instant(nanoseconds: .min)
    /// The time of the next event, or earlier; far in the future if there is none.
    private(set) var due = Instant(nanoseconds: .max)

    init(_ table: PreparedTable?, start: Instant) {
        self.table = table
        self.start = start
        order = RowOrder(table?.table)
        indexes = (table?.askedBy ?? []).map { RowIndex(fields: $0) }
    }

    /// The same rows in a table that may have another order and other owners.
    func adopted(by table: PreparedTable?) -> AddedRows {
        var adopted = AddedRows(table, start: start)
        for row in rows { adopted.append(row, at: now) }
        return adopted
    }

    /// Adds a row.
    ///
    /// - Parameter now: the session's; never before that of the last row.
    mutating func append(_ row: TableRow, at now: Instant) {
        advance(to: max(now, self.now))
        let number = Int32(rows.count)
        rows.append(row)
        textBytes += row.textBytes
        byKey[row.key, default: []].append(number)
        index(number)
    }

    /// Removes the row that was added last.
    mutating func removeLast() {
        guard let row = rows.last else { return }
        unindex(Int32(rows.count - 1))
        byKey[row.key]?.removeLast()
        if byKey[row.key]?.isEmpty == true { byKey[row.key] = nil }
        rows.removeLast()
        textBytes -= row.textBytes
    }

    /// Ends a row at another instant.
    mutating func end(_ number: Int, at instant: Instant) {
        unindex(Int32(number))
        rows[number] = TableRow(rows[number], until: instant)
        index(Int32(number))
    }

    /// The first row with that key that exists at an instant.
    func row(key: String, at now: Instant) -> TableRow? {
        for number in byKey[key] ?? [] where rows[Int(number)].isThere(at: now) { return rows[Int(number)] }
        return nil
    }

    /// The numbers of a key's rows, whether they exist now or not.
    func numbers(ofKey key: String) -> [Int32] { byKey[key] ?? [] }

    /// The numbers of all rows that exist at an instant; each is examined.
    func numbers(at now: Instant) -> [Int32] { rows.indices.filter { rows[$0].isThere(at: now) }.map { Int32($0) } }

    /// The numbers in the order of listing.
    func sorted(_ numbers: [Int32]) -> SortedNumbers {
        SortedNumbers(sorted: numbers.sorted { a, b in order.isBefore(rows, a, b) })
    }

    /// The lists of the current rows with those texts in those fields, by owner; nil if there is no index for these fields.
    ///
    /// - Parameter fields: sorted, without the owner's.
    func lists(_ fields: [String], _ texts: [String?]) -> [String?: SortedNumbers]? {
        guard let index = indexes.first(where: { $0.fields == fields }) else { return nil }
        return index.lists[texts] ?? [:]
    }

    // MARK: time

    /// Applies the events between then and now; undoes them if the instant is earlier.
    mutating func advance(to instant: Instant) {
        let before = now
        now = instant
        if before <= instant && instant < due { return }
        let rows = rows
        let (from, to) = (min(before, instant), max(before, instant))
        let range =
            events.partitioningIndex { RowEvent($0).instant(rows) > from }..<events.partitioningIndex { RowEvent($0).instant(rows) > to }
        let passed = events.numbers(range).map { RowEvent($0) }
        if before < instant {
            for event in passed { if event.isStart { enter(event.row) } else { leave(event.row) } }
        } else {
            for event in passed.reversed() { if event.isStart { leave(event.row) } else { enter(event.row) } }
        }
        let next = events.partitioningIndex { RowEvent($0).instant(rows) > instant }
        due = next < events.count ? RowEvent(events[next]).instant(rows) : Instant(nanoseconds: .max)
    }

    private mutating func put(_ event: RowEvent) {
        let rows = rows
        events.insert(event.code) { RowEvent($0).isBehind(event, rows) }
        if event.instant(rows) > now { due = min(due, event.instant(rows)) }
    }

    private mutating func remove(_ event: RowEvent) {
        let rows = rows
        events.remove(event.code) { !event.isBehind(RowEvent($0), rows) }
    }

    // MARK: lists

    /// Indexes a row, and when it comes and goes.
    private mutating func index(_ number: Int32) {
        let row = rows[Int(number)]
        guard row.since < row.until else { return }
        for event in RowEvent.all(of: number, row) { put(event) }
        if row.isThere(at: now) { enter(number) }
    }

    private mutating func unindex(_ number: Int32) {
        let row = rows[Int(number)]
        guard row.since < row.until else { return }
        if row.isThere(at: now) { leave(number) }
        for event in RowEvent.all(of: number, row) { remove(event) }
    }

    private mutating func enter(_ number: Int32) {
        let (rows, order) = (rows, order)
        let row = rows[Int(number)]
        let owner = table?.table.owner(of: row)
        for position in indexes.indices {
            indexes[position].insert(number, texts(indexes[position].fields, of: row), owner) { order.isBefore(rows, number, $0) }
        }
    }

    private mutating func leave(_ number: Int32) {
        let (rows, order) = (rows, order)
        let row = rows[Int(number)]
        let owner = table?.table.owner(of: row)
        for position in indexes.indices {
            indexes[position].remove(number, texts(indexes[position].fields, of: row), owner) { !order.isBefore(rows, $0, number) }
        }
    }

    private func texts(_ fields: [String], of row: TableRow) -> [String?] { fields.map { row.value($0, start: start)?.plainText } }
}

/// The appearance or the removal of a row.
private struct RowEvent {
    /// Twice the row's number; one more for a removal.
    let code: Int32

    init(_ code: Int32) { self.code = code }

    static func all(of number: Int32, _ row: TableRow) -> [RowEvent] {
        let comes = RowEvent(2 * number)
        return row.until.nanoseconds == .max ? [comes] : [comes, RowEvent(2 * number + 1)]
    }

    var row: Int32 { code / 2 }

    var isStart: Bool { code.isMultiple(of: 2) }

    func instant(_ rows: [TableRow]) -> Instant { isStart ? rows[Int(row)].since : rows[Int(row)].until }

    func isBehind(_ other: RowEvent, _ rows: [TableRow]) -> Bool {
        let (own, its) = (instant(rows), other.instant(rows))
        return own == its ? code > other.code : own > its
    }
}
