public import BankModel

/// An account as a list of accounts shows it.
public struct Account: Sendable, Hashable {
    public var id: String
    public var name: String
    public var currency: Currency
    /// The booked balance, without pending payments; nil if the bank's list does not state it.
    public var balance: Money?

    public init(id: String, name: String, currency: Currency, balance: Money? = nil) {
        self.id = id
        self.name = name
        self.currency = currency
        self.balance = balance
    }
}

/// The balance of an account.
public struct Balance: Sendable, Hashable {
    /// The booked balance.
    public var balance: Money
    /// The amount that can be spent, pending payments subtracted.
    public var available: Money?
    /// False if the bank states no currency and it is only agreed.
    public var statesCurrency: Bool
    /// The time of the answer, if it is old because the bank is unavailable; nil if the answer is current.
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
    /// The day to show: that of the instant in the customer's time zone, or the bank's own if it sends only a day.
    public var date: CivilDate
    /// Plain text; may have several lines.
    public var description: String
    /// Negative if money is going out.
    public var amount: Money
    /// False if the bank states no currency and it is only agreed.
    public var statesCurrency: Bool
    /// nil if the bank does not state it.
    public var pending: Bool?
    /// The id of the cash machine, if the bank lists it.
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
    /// Degrees north, WGS 84, with exactly the digits that the bank sent.
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

/// A list's rows in the order in which they are shown.
public struct Listing<Row: Sendable & Hashable>: Sendable, Hashable {
    public var rows: [Row]
    /// The number of rows that could not be read; the others are shown.
    public var setAside: Int
    /// False if the bank has more rows that could not be read: a part is never shown as the whole.
    public var isComplete: Bool
    /// The time of the answer, if it is old because the bank is unavailable; nil if the answer is current.
    public var asOf: Instant?

    public init(_ rows: [Row], setAside: Int = 0, isComplete: Bool = true) {
        self.rows = rows
        self.setAside = setAside
        self.isComplete = isComplete
    }

    /// The readable rows; the others are counted.
    ///
    /// - Parameters:
    /// - rows: the raw rows; nil if the agreed list is missing.
    /// - name: the list's name at the bank.
    /// - Throws: ``ClientFailure`` `decode` for nil, and if there are rows but none is readable: an empty list would make an
    ///   account look unused.
    public init<Raw>(reading rows: [Raw]?, named name: String, _ read: (Raw) -> Row?) throws(ClientFailure) {
        guard let rows else { throw ClientFailure(.decode, "found no list `\(name)`", mayHaveLeft: true) }
        let readable = rows.compactMap(read)
        guard rows.isEmpty || !readable.isEmpty else {
            throw ClientFailure(.decode, "found \(rows.count) rows in `\(name)`, expected some that make sense", mayHaveLeft: true)
        }
        self.init(readable, setAside: rows.count - readable.count)
    }
}

/// The time span of a list of transactions, both ends included.
public struct Period: Sendable, Hashable {
    public var from: Instant?
    public var to: Instant?

    public init(from: Instant? = nil, to: Instant? = nil) {
        self.from = from
        self.to = to
    }

    /// Returns true for an instant within the period, ends included; nil is an open end.
    public func contains(_ instant: Instant) -> Bool { (from.map { $0 <= instant } ?? true) && (to.map { instant <= $0 } ?? true) }
}
