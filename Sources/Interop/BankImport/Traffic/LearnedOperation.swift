import BankCore
import BankModel

/// An operation of the bank, and the exchanges that it was learned from.
struct LearnedOperation {
    enum Response {
        case none
        case template(JSON)
        case file([UInt8], contentType: String?)
    }

    var name = ""
    var method: String
    var path: PathTemplate
    var when = JSONObject()
    var status: Int
    var headers: [(name: String, value: String)] = []
    var response = Response.none
    /// Further keys of the operation, such as `takes` and `move`.
    var details = JSONObject()
    var role: Role?
    var exchanges: [LearnedExchange]
    /// The whole response for each customer, for the expected results.
    var examples: [String: JSON] = [:]

    init(_ exchange: LearnedExchange, among exchanges: [LearnedExchange]) {
        method = exchange.method
        path = exchange.path
        status = exchange.status
        self.exchanges = exchanges
    }

    /// Whether no request had a token when it succeeded.
    var isOpen: Bool { exchanges.allSatisfy { $0.token == nil } }

    var requestLine: String { "\(method) \(path)" }

    /// Names requests that this operation answers.
    var demand: String { "\(requestLine) \(JSON.object(when).text)" }

    var conditions: Int { when.members.reduce(0) { $0 + max(1, $1.value.object?.members.count ?? 1) } }
}

/// A list of rows that became a table.
struct LearnedTable {
    var name: String
    let key: String
    var rows: [JSONObject] {
        didSet { positions = rows.positions(by: key) }
    }
    /// The path of the operation that lists the rows.
    let path: PathTemplate
    var belongs: JSON?
    var holds: LearnedHolds?
    /// The field by which rows are sorted, behind `-` for the newest first; nil for the order of the fixture.
    var order: String?
    /// The index of the first row with each key.
    private var positions: [String: Int]

    init(name: String, key: String, rows: [JSONObject], path: PathTemplate) {
        self.name = name
        self.key = key
        self.rows = rows
        self.path = path
        positions = rows.positions(by: key)
    }

    /// Finds the date by which the rows are sorted: rows that operations add come where it puts them.
    mutating func findOrder() {
        order = DescribedFilters.dateFields(rows).first { name in
            let instants = rows.compactMap { $0[name]?.string.flatMap { LearnedPeriod.instant($0) } }
            return zip(instants, instants.dropFirst()).allSatisfy { $0 >= $1 }
        }.map { "-\($0)" }
    }

    /// Whether the response is the row that the path names by that parameter, in the list that the rest of the path names.
    func isShown(by exchange: LearnedExchange, as parameter: String) -> Bool {
        guard let row = exchange.parameters[parameter].flatMap(row) else { return false }
        return path.parameters.allSatisfy { row["_\($0)"]?.string == exchange.parameters[$0] }
            && LearnedTable.sent(row).text == exchange.json?.text
    }

    func row(_ key: String) -> JSONObject? { positions[key].map { rows[$0] } }

    /// The member with a list of balances by their types, as at banks of the Berlin Group; nil if rows have none.
    var balanceList: String? {
        let members = rows.first.map { JSON.object($0).allMembers() } ?? []
        return members.first { name, value in
            ["balance", "balances"].contains(RecordedExchange.plain(name)) && value.array?.first?.object != nil
        }?.key
    }

    /// The row as a bank sends it.
    static func sent(_ row: JSONObject) -> JSON { .object(JSONObject(row.members.filter { !$0.key.hasPrefix("_") })) }
}

/// The balance of a table's rows.
struct LearnedHolds {
    /// Dotted paths of the amounts, which change together.
    var amounts: [String]
    /// The dotted path of the currency.
    var currency: String
    var unit: AmountUnit
    /// Whether a payment was rejected for lack of money.
    var hasLowest = false

    var json: JSON {
        .object(known: [
            "amounts": .array(amounts.map(JSON.string)), "currency": .string(currency), "unit": .string(unit.rawValue),
            "lowest": hasLowest ? 0 : nil,
        ])
    }
}

/// A customer of the bank.
struct LearnedCustomer {
    var login: String
    var password: String
    /// The keys of the rows of each table.
    var owns: [String: [String]] = [:]

    func json(hasPassword: Bool, tables: [LearnedTable]) -> JSON {
        let owned = tables.filter { $0.belongs == "owner" }.map { table in
            (key: table.name, value: JSON.array((owns[table.name] ?? []).map(JSON.string)))
        }
        return .object(known: [
            "login": .string(login), "password": hasPassword ? .string(password) : nil,
            "owns": owned.isEmpty ? nil : .object(JSONObject(owned)),
        ])
    }
}

/// The fields of a query for the beginning and end of the wanted rows.
struct LearnedPeriod {
    /// The field of rows with the date.
    private let field: String
    let from: String?
    let to: String?

    /// - Returns: nil if no field of the query is the start or the end of a period, or a recorded row has no date in it.
    init?(_ exchanges: [LearnedExchange], rows: (LearnedExchange) -> [JSONObject]) {
        let values = Dictionary(grouping: exchanges.flatMap(\.query), by: \.name)
        let dates = values.filter { $0.value.allSatisfy { LearnedPeriod.instant($0.value) != nil } }.keys.sorted()
        let from = dates.first { DescribedFilters.isNamed($0, DescribedFilters.starts) }
        let to = dates.first { $0 != from && DescribedFilters.isNamed($0, DescribedFilters.ends) }
        let fields = DescribedFilters.dateFields(exchanges.flatMap(rows))
        guard from != nil || to != nil, let field = DescribedFilters.field(fields, for: [from, to].compactMap(\.self)) else { return nil }
        (self.field, self.from, self.to) = (field, from, to)
        for exchange in exchanges {
            let bounds = self.bounds { name in exchange.query.first { $0.name == name }?.value }
            for row in rows(exchange) where !(date(of: row).map(bounds.contain) ?? false) { return nil }
        }
    }

    /// The period that a query asks for, both ends included.
    struct Bounds: Hashable {
        /// Nil: from the beginning.
        let start: Instant?
        /// Nil: without an end.
        let end: Instant?

        func contain(_ date: Instant) -> Bool { start.map { $0 <= date } ?? true && end.map { date <= $0 } ?? true }
    }

    /// - Parameter value: of a field of the query.
    func bounds(_ value: (String?) -> String?) -> Bounds {
        Bounds(
            start: value(from).flatMap { LearnedPeriod.instant($0) }, end: value(to).flatMap { LearnedPeriod.instant($0, isEnd: true) })
    }

    /// The date of a row; nil if it has none.
    func date(of row: JSONObject) -> Instant? { row[field]?.string.flatMap { LearnedPeriod.instant($0) } }

    /// As an operation of a bank writes it.
    var json: JSON {
        .object(known: [
            "field": .string(field), "from": from.map { ["query": .string($0)] }, "to": to.map { ["query": .string($0)] },
        ])
    }

    /// An instant, or the first or last moment of a day in UTC.
    static func instant(_ text: String, isEnd: Bool = false) -> Instant? {
        Instant(rfc3339: text) ?? CivilDate(text).map { Instant($0, nanosecondsOfDay: isEnd ? Instant.nanosecondsPerDay - 1 : 0) }
    }
}

/// Whether differences of two responses are those that a learned movement or insertion makes.
struct Explanation {
    let tables: [LearnedTable]
    /// By table, the keys of rows that the bank adds.
    let newRows: [String: Set<String>]
    /// The members that name the next page.
    let cursors: Set<String>

    func holds(_ before: JSON, _ after: JSON) -> Bool {
        switch (before, after) {
        case (.array(let old), .array(let new)):
            if new.contains(where: isNew) { return new.allSatisfy { isNew($0) || isKnown($0) } }
            return new.count == old.count && zip(old, new).allSatisfy { holds($0, $1) }
        case (.object(let old), .object(let new)):
            if let known = known(new) { return isSame(old, new, held: Set(known.table.holds?.amounts ?? [])) }
            let names = Set(old.keys + new.keys).subtracting(cursors)
            return names.allSatisfy { name in old[name].flatMap { value in new[name].map { holds(value, $0) } } ?? false }
        default: return before == after
        }
    }

    /// The recorded row with the key of a row, and its table.
    private func known(_ row: JSONObject) -> (table: LearnedTable, row: JSONObject)? {
        for table in tables {
            if let known = row[table.key].flatMap({ table.row($0.plainText) }) { return (table, known) }
        }
        return nil
    }

    private func isKnown(_ row: JSON) -> Bool {
        guard let object = row.object, let known = known(object), let sent = LearnedTable.sent(known.row).object else { return false }
        return isSame(sent, object, held: Set(known.table.holds?.amounts ?? []))
    }

    /// Whether the rows differ in nothing but the amounts that they hold.
    func isSame(_ old: JSONObject, _ new: JSONObject, held: Set<String>, below path: String = "") -> Bool {
        old.keys == new.keys
            && zip(old.members, new.members).allSatisfy { a, b in
                if held.contains(path + a.key) { return true }
                guard let inner = a.value.object, let other = b.value.object else { return a.value == b.value }
                return isSame(inner, other, held: held, below: path + a.key + ".")
            }
    }

    private func isNew(_ row: JSON) -> Bool {
        tables.contains { table in row[table.key].map { newRows[table.name]?.contains($0.plainText) ?? false } ?? false }
    }
}
