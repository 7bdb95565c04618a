public import BankModel

/// An account as a list of accounts shows it.
public struct Account: Sendable, Hashable {
    public var id: String
    public var name: String
    public var currency: Currency
    /// Booked, without what is pending; nil where the bank's list does not tell.
    public var balance: Money?

    public init(id: String, name: String, currency: Currency, balance: Money? = nil) {
        self.id = id
        self.name = name
        self.currency = currency
        self.balance = balance
    }
}

/// What an account holds.
public struct Balance: Sendable, Hashable {
    /// Booked.
    public var balance: Money
    /// What can be spent, pending payments taken off.
    public var available: Money?
    /// False where the bank tells the currency nowhere and it is only agreed.
    public var statesCurrency: Bool
    /// When the bank said so, if it cannot be had now and this is old; nil: this is what it says now.
    public var asOf: Instant?

    public init(balance: Money, available: Money? = nil, statesCurrency: Bool = true) {
        self.balance = balance
        self.available = available
        self.statesCurrency = statesCurrency
    }
}

/// One row of an account's list of transactions.
public struct Transaction: Sendable, Hashable {
    public var id: String
    /// The day to show: of the instant, in the person's time zone; or as the bank wrote it where it gives only a day.
    public var date: CivilDate
    /// Plain text; may have several lines.
    public var description: String
    /// Negative is money going out.
    public var amount: Money
    /// False where the bank tells the currency nowhere and it is only agreed.
    public var statesCurrency: Bool
    /// nil where the bank does not tell.
    public var pending: Bool?
    /// The id of the cash machine, if it is one the bank lists.
    public var atm: String?

    public init(
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
public struct ATM: Sendable, Hashable {
    public var id: String
    public var name: String
    /// Degrees north, WGS 84, digit for digit as the bank wrote it.
    public var latitude: JSONNumber
    /// Degrees east.
    public var longitude: JSONNumber

    public init(id: String, name: String, latitude: JSONNumber, longitude: JSONNumber) {
        self.id = id
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Rows in the order in which they are shown.
public struct Listing<Row: Sendable & Hashable>: Sendable, Hashable {
    public var rows: [Row]
    /// How many rows the bank sent that made no sense; the rest is shown all the same.
    public var setAside: Int
    /// False if the bank has more rows that could not be had: a part is never shown as the whole.
    public var isComplete: Bool
    /// When the bank said so, if it cannot be had now and this is old; nil: this is what it says now.
    public var asOf: Instant?

    public init(_ rows: [Row], setAside: Int = 0, isComplete: Bool = true) {
        self.rows = rows
        self.setAside = setAside
        self.isComplete = isComplete
    }

    /// The rows that can be read, the others counted.
    ///
    /// - Parameters:
    ///   - rows: as they came; nil if there is no list where one was agreed.
    ///   - name: what the bank calls the list.
    /// - Throws: ``ClientFailure`` `decode` for nil, and if there are rows but none that can be read: shown as an empty list,
    ///   an account would look unused.
    public init<Raw>(reading rows: [Raw]?, named name: String, _ read: (Raw) -> Row?) throws(ClientFailure) {
        guard let rows else { throw ClientFailure(.decode, "found no list `\(name)`", mayHaveLeft: true) }
        let readable = rows.compactMap(read)
        guard rows.isEmpty || !readable.isEmpty else {
            throw ClientFailure(.decode, "found \(rows.count) rows in `\(name)`, expected some that make sense", mayHaveLeft: true)
        }
        self.init(readable, setAside: rows.count - readable.count)
    }
}

/// From when to when a list of transactions reaches, both ends included.
public struct Period: Sendable, Hashable {
    public var from: Instant?
    public var to: Instant?

    public init(from: Instant? = nil, to: Instant? = nil) {
        self.from = from
        self.to = to
    }

    /// True for an instant at one of the ends or between them; an end that is nil is open.
    public func contains(_ instant: Instant) -> Bool { (from.map { $0 <= instant } ?? true) && (to.map { instant <= $0 } ?? true) }
}
