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

    init(_ exchange: LearnedExchange, path: PathTemplate? = nil, among exchanges: [LearnedExchange]? = nil) {
        method = exchange.method
        self.path = path ?? exchange.path
        status = exchange.status
        self.exchanges = exchanges ?? [exchange]
    }

    /// Whether no request had a token when it succeeded.
    var isOpen: Bool { exchanges.allSatisfy { $0.token == nil } }

    var requestLine: String { "\(method) \(path)" }

    /// Names requests that this operation answers.
    var demand: String { "\(requestLine) \(JSON.object(when).text)" }

    var conditions: Int { when.members.reduce(0) { $0 + max(1, $1.value.object?.members.count ?? 1) } }

    mutating func require(_ part: String, _ name: String, _ value: JSON) {
        var fields = when[part]?.object ?? JSONObject()
        fields[name] = value
        when[part] = .object(fields)
    }
}

/// A list of rows that became a table.
struct LearnedTable {
    var name: String
    var key: String
    var rows: [JSONObject]
    /// The path of the operation that lists the rows.
    var path: PathTemplate
    var belongs: JSON?
    var holds: LearnedHolds?
    /// The field by which rows are sorted, behind `-` for the newest first; nil for the order of the fixture.
    var order: String?

    /// Finds the date by which the rows are sorted: rows that operations add come where it puts them.
    mutating func findOrder() {
        order = DescribedFilters.dateFields(rows).first { name in
            let instants = rows.compactMap { $0[name]?.string.flatMap { LearnedPeriod.instant($0) } }
            return zip(instants, instants.dropFirst()).allSatisfy { $0 >= $1 }
        }.map { "-\($0)" }
    }

    func row(_ key: String) -> JSONObject? { rows.first { $0[self.key]?.plainText == key } }

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
        var object = JSONObject([
            ("amounts", .array(amounts.map(JSON.string))), ("currency", .string(currency)), ("unit", .string(unit.rawValue)),
        ])
        if hasLowest { object["lowest"] = 0 }
        return .object(object)
    }
}

/// A customer of the bank.
struct LearnedCustomer {
    var login: String
    var password: String
    /// The keys of the rows of each table.
    var owns: [String: [String]] = [:]

    func json(hasPassword: Bool, tables: [LearnedTable]) -> JSON {
        var object = JSONObject([("login", .string(login))])
        if hasPassword { object["password"] = .string(password) }
        let owned = tables.filter { $0.belongs == "owner" }.map { table in
            (key: table.name, value: JSON.array((owns[table.name] ?? []).map(JSON.string)))
        }
        if !owned.isEmpty { object["owns"] = .object(JSONObject(owned)) }
        return .object(object)
    }
}

extension JSON {
    /// An object with one member.
    static func one(_ key: String, _ value: JSON) -> JSON { .object(JSONObject([(key: key, value: value)])) }
}
