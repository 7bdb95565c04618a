package import BankModel

/// The rows of one fixture file.
package struct Table: Sendable {
    package var name: String
    /// The field that identifies a row; it may be repeated in a table that is dirty on purpose.
    package var key: String
    /// In the fixture's order. Fields that begin with `_` are for filters and never sent.
    package var rows: TableRows
    /// The order in which rows are listed; nil means the fixture's.
    package var order: Order?
    /// The owners of the rows; nil if they are public.
    package var belongs: Belongs?
    /// The fields of a row's balance; nil if its rows hold no money of this bank.
    package var holds: Holds?
    /// The fields of a closed account, which takes part in no payment; nil if none is ever closed.
    package var closed: JSONObject?
    /// Fields whose path is made an absolute address of the session.
    package var urls: [String] = []
    /// Fields with relative dates such as `@-3d09:15`, and their format once resolved.
    package var relativeDates: [String: DateStyle] = [:]

    package init(name: String, key: String, rows: TableRows) {
        self.name = name
        self.key = key
        self.rows = rows
    }

    /// The field by which rows are listed, and the direction.
    package struct Order: Sendable {
        package var field: String
        package var descending: Bool

        package init(field: String, descending: Bool) {
            self.field = field
            self.descending = descending
        }
    }

    /// The owner of a row.
    package enum Belongs: Sendable {
        /// The customers who own the row itself (`owns` of the customer names its key).
        case owner
        /// The customers who may see the row of that table whose key the field holds.
        case row(field: String, table: String)
        /// The customer whose login the field holds.
        case customer(field: String)
    }

    /// The fields of a row's balance.
    package struct Holds: Sendable {
        /// Dotted paths of the amounts; the first is the opening balance, all change together.
        package var amounts: [String]
        /// Dotted paths of amounts that change only when a movement has settled.
        package var settled: [String] = []
        /// Dotted path of the currency, or nil with `fixedCurrency`.
        package var currency: String?
        package var fixedCurrency: Currency?
        package var unit: AmountUnit
        /// The lowest balance a movement may leave, in minor units; nil if there is no limit.
        package var lowest: Int64?

        package init(amounts: [String], currency: String?, fixedCurrency: Currency?, unit: AmountUnit, lowest: Int64?) {
            self.amounts = amounts
            self.currency = currency
            self.fixedCurrency = fixedCurrency
            self.unit = unit
            self.lowest = lowest
        }
    }
}

/// A row of a table.
package struct RowID: Sendable, Hashable {
    package let table: String
    package let key: String
}

/// The format of an amount.
package enum AmountUnit: String, Sendable, CaseIterable {
    /// A text in major units with the currency's digits: `"12.30"`.
    case major
    /// A whole number of minor units: `1230`.
    case minor
    /// A number in major units with the currency's digits: `12.30`.
    case number
}

/// The format of an instant in JSON.
package enum DateStyle: String, Sendable, CaseIterable {
    /// `2026-01-12T09:15:00Z`
    case seconds
    /// `2026-01-12T09:15:00.000Z`
    case milliseconds
    /// `2026-01-12`
    case day
    /// `12/01/2026`
    case slashed

    /// The instant in this style, in UTC.
    package func text(_ instant: Instant) -> String {
        switch self {
        case .seconds: return instant.rfc3339()
        case .milliseconds: return instant.rfc3339(.milliseconds)
        case .day: return instant.date.description
        case .slashed:
            let parts = instant.date.description.split(separator: "-")
            return parts.reversed().joined(separator: "/")
        }
    }
}
