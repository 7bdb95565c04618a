package import BankModel

/// One row, and where it stands in its table's order. A reference, as it is handed on and kept far oftener than made.
package final class TableRow: Sendable {
    package let key: String
    package let fields: JSONObject
    let rank: Rank
    /// From when it is there, by the session's clock; a fixture's row was there before all.
    package let since: Instant
    /// When it is there no more.
    package let until: Instant

    /// A fixture's row.
    ///
    /// - Parameter rank: nil: as its fields say.
    convenience init(_ fields: JSONObject, _ table: Table, rank: Rank? = nil) {
        self.init(
            fields, key: table.key, order: table.order?.field, rank: rank, since: Instant(nanoseconds: .min),
            until: Instant(nanoseconds: .max))
    }

    /// A row that an operation added.
    package convenience init(_ fields: JSONObject, _ table: Table, since: Instant, until: Instant = Instant(nanoseconds: .max)) {
        self.init(fields, key: table.key, order: table.order?.field, rank: nil, since: since, until: until)
    }

    /// A row that an operation added.
    convenience init(_ fields: JSONObject, _ table: PreparedTable, since: Instant, until: Instant = Instant(nanoseconds: .max)) {
        self.init(fields, key: table.table.key, order: table.table.order?.field, rank: nil, since: since, until: until)
    }

    private init(_ fields: JSONObject, key: String, order: String?, rank: Rank?, since: Instant, until: Instant) {
        self.fields = fields
        self.since = since
        self.until = until
        self.key = fields[key]?.plainText ?? ""
        self.rank = rank ?? order.flatMap { fields.at($0) }.map { Rank($0) } ?? .text("")
    }

    /// What rows are ordered by: numbers by value, dates by time, all else by text. A fixture has one sort only; dates that follow
    /// the session come before the instants of rows that operations add.
    enum Rank: Sendable, Comparable {
        case number(Int64)
        /// Nanoseconds from the midnight of the session's first day.
        case relative(Int64)
        /// Nanoseconds since the epoch.
        case time(Int64)
        case text(String)

        init(text: String) {
            if let relative = RelativeDate(text) {
                self = .relative(relative.offset)
            } else if let instant = Instant(rfc3339: text) {
                self = .time(instant.nanoseconds)
            } else {
                self = .text(text)
            }
        }

        /// A text of digits is no number.
        init(_ value: JSON) {
            if let number = value.number?.int64 { self = .number(number) } else { self.init(text: value.plainText) }
        }

        /// Nanoseconds since the epoch in a session that started then, of a day those of its beginning in UTC; nil for what is no
        /// date.
        func nanoseconds(start: Instant) -> Int64? {
            switch self {
            case .relative(let offset): RelativeDate.instant(offset: offset, start: start).nanoseconds
            case .time(let time): time
            case .text(let text): CivilDate(text).map { Instant($0, nanosecondsOfDay: 0).nanoseconds }
            case .number: nil
            }
        }

        /// Whether both are numbers, both dates of one sort, or both texts.
        func isOfOneSort(with other: Rank) -> Bool {
            switch (self, other) {
            case (.number, .number), (.relative, .relative), (.time, .time), (.text, .text): true
            default: false
            }
        }
    }
}
