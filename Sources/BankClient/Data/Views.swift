package import BankModel

/// An account as a list of accounts shows it.
package struct Account: Sendable, Hashable {
    package var id: String
    package var name: String
    package var currency: Currency
    /// The booked balance, without pending payments; nil if the bank's list does not state it.
    package var balance: Money?
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

    /// Chooses from the balances of an account: the booked one if the bank states one, else the one that can be spent, else the first. Of
    /// several of a type the first counts.
    ///
    /// - Parameters:
    ///   - booked: the bank's types of booked balances, the preferred one first.
    ///   - available: the bank's types of what can be spent.
    static func chosen(from all: [(type: String, money: Money)], booked: [String], available: [String]) throws(ClientFailure) -> Balance {
        func first(_ types: [String]) -> Money? { types.lazy.compactMap { type in all.first { $0.type == type }?.money }.first }
        let (settled, spendable) = (first(booked), first(available))
        let balance = try needed(settled ?? spendable ?? all.first?.money, "balance")
        return Balance(balance: balance, available: settled == nil ? nil : spendable)
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
    package var statesCurrency = true
    /// nil if the bank does not state it.
    package var pending: Bool?
    /// The id of the cash machine, if the bank lists it.
    package var atm: String?
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

/// A savings goal: a part of an account's money that is set aside.
package struct Goal: Sendable, Hashable {
    package var id: String
    package var name: String
    /// The amount in it.
    package var saved: Money
    /// The amount to reach; nil if there is none.
    package var target: Money?
}

/// A transaction as an adapter reads it, with its sort key: an instant or a day.
protocol DatedRow: Sendable, Hashable {
    associatedtype Time: Comparable
    var transaction: Transaction { get }
    var at: Time { get }
}

/// A transaction with its sort key, and nothing else.
struct Dated<Time: Comparable & Hashable & Sendable>: DatedRow {
    var transaction: Transaction
    var at: Time
}

extension Listing where Row == Dated<CivilDate> {
    /// The rows of these days, without the pending rows that are among the booked ones, too. A bank that selects days does so among its
    /// booked rows only.
    func within(_ days: Days) -> Listing<Row> {
        let booked = Set(rows.filter { $0.transaction.pending == false }.map(\.transaction.id))
        var selected = self
        selected.rows.removeAll { row in
            !days.contains(row.at) || row.transaction.pending == true && booked.contains(row.transaction.id)
        }
        return selected
    }
}

extension Listing where Row: DatedRow {
    /// One row per id, latest first.
    ///
    /// - Rows with the same id count once, the newest of them. Among equally new ones the last read counts: counting both
    ///   would count money twice.
    /// - Rows of the same time stay in the bank's order.
    func newestFirst() -> Listing<Row> {
        var indexes: [String: Int] = [:]
        for (index, row) in rows.enumerated() {
            if let kept = indexes[row.transaction.id], rows[kept].at > row.at { continue }
            indexes[row.transaction.id] = index
        }
        var newest = self
        newest.rows = indexes.values.sorted { (rows[$1].at, $0) < (rows[$0].at, $1) }.map { rows[$0] }
        return newest
    }

    var transactions: Listing<Transaction> { Listing<Transaction>(rows.map(\.transaction), setAside: setAside, isComplete: isComplete) }
}
