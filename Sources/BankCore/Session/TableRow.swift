package import BankModel

/// One row with its sort key. A reference, as it is passed on and stored far more often than made.
package final class TableRow: Sendable {
    package let key: String
    package let fields: JSONObject
    let rank: Rank
    /// The beginning of its existence, by the session's clock; a fixture's row exists from the start.
    package let since: Instant
    /// The end of its existence.
    package let until: Instant
    /// The position of the row that it replaces, which it takes over in lists; nil for a row that replaces none.
    let position: Position?
    /// The movement that it shows; nil if it shows none.
    let origin: Origin?

    /// The number of bytes of its texts.
    var textBytes: Int { JSON.object(fields).textBytes }

    /// The movement that a row shows, and what describes it there.
    struct Origin: Sendable, Hashable {
        /// The index of the movement in the ledger.
        let movement: Int32
        /// The index of the list of the move, or of the bank's events; nil for the operation's own row.
        let list: Int32?
        /// Whether it is the row of the side that pays.
        let isDebit: Bool
    }

    /// The position of a row in its table.
    enum Position: Sendable, Hashable {
        /// The position of a fixture's row.
        case fixture(Int32)
        /// The number of a row that an operation added.
        case added(Int32)
    }

    /// A fixture's row, which has always been there, or one that an operation added.
    ///
    /// - Parameters:
    ///   - rank: nil if computed from the fields.
    ///   - position: that of the row that it replaces.
    convenience init(
        _ fields: JSONObject, _ table: Table, rank: Rank? = nil, since: Instant = Instant(nanoseconds: .min),
        until: Instant = Instant(nanoseconds: .max), position: Position? = nil, origin: Origin? = nil
    ) {
        let rank: Rank = rank ?? table.order.flatMap { fields.at($0.field) }.map { Rank($0) } ?? .text("")
        self.init(
            identified: fields[table.key]?.plainText ?? "", fields, rank, since: since, until: until, position: position, origin: origin)
    }

    /// A row with another end.
    convenience init(_ row: TableRow, until: Instant) {
        self.init(identified: row.key, row.fields, row.rank, since: row.since, until: until, position: row.position, origin: row.origin)
    }

    private init(
        identified key: String, _ fields: JSONObject, _ rank: Rank, since: Instant, until: Instant, position: Position?, origin: Origin?
    ) {
        self.key = key
        self.fields = fields
        self.rank = rank
        self.since = since
        self.until = until
        self.position = position
        self.origin = origin
    }

    /// A row's sort key: numbers by value, dates by time, everything else by text. A fixture has one sort only; dates that
    /// follow the session precede the instants of rows that operations add.
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

        /// A text of digits is not a number.
        init(_ value: JSON) {
            if let number = value.number?.int64 { self = .number(number) } else { self.init(text: value.plainText) }
        }

        /// Nanoseconds since the epoch in a session with that start, for a day those of its beginning in UTC; nil if it is
        /// not a date.
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

extension JSONObject {
    /// These members with those of a later stage of the row: a member of both has the later value in its earlier position.
    func overlaid(with later: JSONObject) -> JSONObject {
        var members = self
        for member in later.members { members[member.key] = member.value }
        return members
    }
}
