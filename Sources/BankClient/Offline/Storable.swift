import BankModel

/// A value that can be cached, and decoded again exactly.
protocol Storable: Sendable {
    /// The value without ``asOf``.
    var stored: JSON { get }
    /// nil if the JSON does not have this form.
    init?(stored: JSON)
    /// The time of the response, if it is old; nil if it is current.
    var asOf: Instant? { get set }
    /// False for a part, which must not replace the whole.
    var isWhole: Bool { get }
}

/// One row of a value that can be cached.
protocol StorableRow: Sendable, Hashable {
    var stored: JSON { get }
    init?(stored: JSON)
}

extension Listing: Storable where Row: StorableRow {
    var stored: JSON { ["rows": .array(rows.map(\.stored)), "set_aside": .int(setAside)] }
    var isWhole: Bool { isComplete }

    init?(stored: JSON) {
        guard let rows = stored["rows"]?.array, let setAside = stored["set_aside"]?.int else { return nil }
        let read = rows.compactMap(Row.init(stored:))
        guard read.count == rows.count else { return nil }
        self.init(read, setAside: Int(setAside))
    }
}

extension Balance: Storable {
    var stored: JSON { ["balance": balance.stored, "available": available.stored, "states_currency": .bool(statesCurrency)] }
    var isWhole: Bool { true }

    init?(stored: JSON) {
        guard let balance = stored["balance"].flatMap(Money.init(stored:)), let statesCurrency = stored["states_currency"]?.bool else {
            return nil
        }
        self.init(balance: balance, available: stored["available"].flatMap(Money.init(stored:)), statesCurrency: statesCurrency)
    }
}

extension Account: StorableRow {
    var stored: JSON { ["id": .string(id), "name": .string(name), "currency": .string(currency.code), "balance": balance.stored] }

    init?(stored: JSON) {
        guard let id = stored["id"]?.string, let name = stored["name"]?.string,
            let currency = stored["currency"]?.string.flatMap(Currency.init)
        else { return nil }
        self.init(id: id, name: name, currency: currency, balance: stored["balance"].flatMap(Money.init(stored:)))
    }
}

extension Transaction: StorableRow {
    var stored: JSON {
        [
            "id": .string(id), "date": .string(date.description), "description": .string(description), "amount": amount.stored,
            "states_currency": .bool(statesCurrency), "pending": pending.map(JSON.bool) ?? .null, "atm": atm.map(JSON.string) ?? .null,
        ]
    }

    init?(stored: JSON) {
        guard let id = stored["id"]?.string, let date = stored["date"]?.string.flatMap({ CivilDate($0) }),
            let description = stored["description"]?.string, let amount = stored["amount"].flatMap(Money.init(stored:)),
            let statesCurrency = stored["states_currency"]?.bool
        else { return nil }
        self.init(
            id: id, date: date, description: description, amount: amount, statesCurrency: statesCurrency, pending: stored["pending"]?.bool,
            atm: stored["atm"]?.string)
    }
}

extension Goal: StorableRow {
    var stored: JSON { ["id": .string(id), "name": .string(name), "saved": saved.stored, "target": target.stored] }

    init?(stored: JSON) {
        guard let id = stored["id"]?.string, let name = stored["name"]?.string, let saved = stored["saved"].flatMap(Money.init(stored:))
        else { return nil }
        self.init(id: id, name: name, saved: saved, target: stored["target"].flatMap(Money.init(stored:)))
    }
}

extension ATM: StorableRow {
    var stored: JSON {
        ["id": .string(id), "name": .string(name), "latitude": .number(latitude), "longitude": .number(longitude)]
    }

    init?(stored: JSON) {
        guard let id = stored["id"]?.string, let name = stored["name"]?.string, let latitude = stored["latitude"]?.number,
            let longitude = stored["longitude"]?.number
        else { return nil }
        self.init(id: id, name: name, latitude: latitude, longitude: longitude)
    }
}

extension Money {
    fileprivate var stored: JSON { ["minor_units": .int(minorUnits), "currency": .string(currency.code)] }

    fileprivate init?(stored: JSON) {
        guard let units = stored["minor_units"]?.int, let currency = stored["currency"]?.string.flatMap(Currency.init) else { return nil }
        self.init(minorUnits: units, currency: currency)
    }
}

extension Money? {
    fileprivate var stored: JSON { map(\.stored) ?? .null }
}
