import BankModel

/// The order of added rows.
struct RowOrder: Sendable {
    let descends: Bool
    /// False if the order is that of insertion alone.
    let isByRank: Bool

    init(_ table: Table?) {
        descends = table?.order?.descending ?? false
        isByRank = table?.order != nil
    }

    /// Whether one row is listed before the other: of equal rank by their positions.
    func isBefore(_ rows: [TableRow], _ a: Int32, _ b: Int32) -> Bool {
        let (one, other) = (rows[Int(a)], rows[Int(b)])
        if isByRank, one.rank != other.rank { return descends ? other.rank < one.rank : one.rank < other.rank }
        let (position, next) = (one.position ?? .added(a), other.position ?? .added(b))
        return position == next ? a < b : isBefore(position, next)
    }

    /// Whether one position precedes another. With an order, added rows precede the fixture's of equal rank; without one they follow it.
    func isBefore(_ position: TableRow.Position, _ other: TableRow.Position) -> Bool {
        switch (position, other) {
        case (.fixture(let position), .fixture(let next)): position < next
        case (.added(let number), .added(let next)): number < next
        case (.added, .fixture): isByRank
        case (.fixture, .added): !isByRank
        }
    }
}

extension TableRow {
    /// Whether the row is visible at an instant of the session's clock.
    func isThere(at now: Instant) -> Bool { since <= now && now < until }

    /// A field's value, a relative date resolved.
    func value(_ path: String, start: Instant) -> JSON? {
        let value = fields.at(path)
        guard let text = value?.string, text.hasPrefix("@"), let date = RelativeDate(text) else { return value }
        return .string(date.instant(start: start).rfc3339(.nanoseconds))
    }
}

extension Table {
    /// The owner that a row names, as ``belongs`` declares; nil if none.
    func owner(of row: TableRow) -> String? {
        switch belongs {
        case nil: nil
        case .owner: row.fields["_customer"]?.string
        case .row(let field, _), .customer(let field): row.fields.at(field)?.plainText
        }
    }

    /// The field that names a row's owner; nil if there is none.
    var ownerField: String? {
        switch belongs {
        case nil: nil
        case .owner: "_customer"
        case .row(let field, _), .customer(let field): field
        }
    }
}
