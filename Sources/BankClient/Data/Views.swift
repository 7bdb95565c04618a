package import BankModel

/// An account as a list of accounts shows it.
package struct Account: Sendable, Hashable {
    package var id: String
    package var name: String
    package var currency: Currency
    /// The booked balance, without pending payments; nil if the bank's list does not state it.
    package var balance: Money?

    package init(id: String, name: String, currency: Currency, balance: Money? = nil) {
        self.id = id
        self.name = name
        self.currency = currency
        self.balance = balance
    }
}

/// The balance of an account.
package struct Balance: Sendable, Hashable {
    /// The booked balance.
    package var balance: Money
    /// The amount that can be spent, pending payments subtracted.
    package var available: Money?
    /// False if the bank states no currency and it is only agreed.
    package var statesCurrency: Bool
    /// The time of the response, if it is old because the bank is unavailable; nil if the response is current.
    package var asOf: Instant?

    package init(balance: Money, available: Money? = nil, statesCurrency: Bool = true) {
        self.balance = balance
        self.available = available
        self.statesCurrency = statesCurrency
    }
}

/// One row of an account's list of transactions.
package struct Transaction: Sendable, Hashable {
    package var id: String
    /// The day to show: that of the instant in the customer's time zone, or the bank's own if it sends only a day.
    package var date: CivilDate
    /// Plain text; may have several lines.
    package var description: String
    /// Negative if money is going out.
    package var amount: Money
    /// False if the bank states no currency and it is only agreed.
    package var statesCurrency: Bool
    /// nil if the bank does not state it.
    package var pending: Bool?
    /// The id of the cash machine, if the bank lists it.
    package var atm: String?

    package init(
        id: String, date: CivilDate, description: String, amount: Money, statesCurrency: Bool = true, pending: Bool? = nil,
        atm: String? = nil
    ) {
        self.id = id
        self.date = date
        self.description = description
        self.amount = amount
        self.statesCurrency = statesCurrency
        self.pending = pending
        self.atm = atm
    }
}

/// A cash machine.
package struct ATM: Sendable, Hashable {
    package var id: String
    package var name: String
    /// Degrees north, WGS 84, with exactly the digits that the bank sent.
    package var latitude: JSONNumber
    /// Degrees east.
    package var longitude: JSONNumber
}

/// A list's rows in the order in which they are shown.
package struct Listing<Row: Sendable & Hashable>: Sendable, Hashable {
    package var rows: [Row]
    /// The number of rows that could not be read; the others are shown.
    package var setAside: Int
    /// False if the bank has more rows that could not be read: a part is never shown as the whole.
    package var isComplete: Bool
    /// The time of the response, if it is old because the bank is unavailable; nil if the response is current.
    package var asOf: Instant?

    package init(_ rows: [Row], setAside: Int = 0, isComplete: Bool = true) {
        self.rows = rows
        self.setAside = setAside
        self.isComplete = isComplete
    }

    /// The readable rows; the others are counted.
    ///
    /// - Parameters:
    ///   - rows: the raw rows; nil if the agreed list is missing.
    ///   - name: the list's name at the bank.
    /// - Throws: ``ClientFailure`` `decode` for nil, and if there are rows but none is readable: an empty list would make an
    ///   account look unused.
    package init<Raw>(reading rows: [Raw]?, named name: String, _ read: (Raw) -> Row?) throws(ClientFailure) {
        guard let rows else { throw ClientFailure(.decode, "found no list `\(name)`", mayHaveLeft: true) }
        let readable = rows.compactMap(read)
        guard rows.isEmpty || !readable.isEmpty else {
            throw ClientFailure(.decode, "found \(rows.count) rows in `\(name)`, expected at least one valid row", mayHaveLeft: true)
        }
        self.init(readable, setAside: rows.count - readable.count)
    }
}

/// The time span of a list of transactions, both ends included.
package struct Period: Sendable, Hashable {
    package var from: Instant?
    package var to: Instant?

    package init(from: Instant? = nil, to: Instant? = nil) {
        self.from = from
        self.to = to
    }

    /// Returns true for an instant within the period, ends included; nil is an open end.
    package func contains(_ instant: Instant) -> Bool { (from.map { $0 <= instant } ?? true) && (to.map { instant <= $0 } ?? true) }
}
