import BankCore
import BankModel

/// The plain definition of a list: every row is examined, and nothing is cached.
struct ListModel {
    let bank: Bank
    let start: Instant
    /// Rows that operations added, per table, in the order of insertion.
    var added: [String: [JSONObject]] = [:]

    /// The filters of a list: fields with their texts, and two ends, both included.
    struct Query {
        var table: String
        var filters: [(field: String, text: String?)] = []
        var from: String?
        var to: String?
    }

    /// The numbers of the rows, in order.
    func list(_ query: Query, of login: String?) -> [Int64] {
        rows(query.table)
            .filter { isVisible($0, of: query.table, to: login) }
            .filter { row in query.filters.allSatisfy { text(JSON.object(row).at($0.field)) == $0.text } }
            .filter { isBetween($0, query.from, query.to) }
            .compactMap { $0["n"]?.int }
    }

    private func rows(_ table: String) -> [JSONObject] {
        let rows = Array(bank.tables[table]?.rows ?? [])
        let added = added[table] ?? []
        guard let order = bank.tables[table]?.order else { return rows + added }
        // Of equal rank: added rows precede the fixture's, in the order of insertion.
        return (added + rows).enumerated()
            .map { position, row in (rank: rank(JSON.object(row).at(order.field)), position: position, row: row) }
            .sorted { a, b in
                if a.rank == b.rank { return a.position < b.position }
                return order.descending ? b.rank < a.rank : a.rank < b.rank
            }
            .map(\.row)
    }

    /// Times and numbers before texts; dates that follow the session before all others.
    private func rank(_ value: JSON?) -> (Int, Int64, String) {
        let text = value?.plainText ?? ""
        if let date = RelativeDate(text) { return (0, date.offset, "") }
        if let instant = Instant(rfc3339: text) { return (0, instant.nanoseconds, "") }
        if let number = value?.int { return (0, number, "") }
        return (1, 0, text)
    }

    private func text(_ value: JSON?) -> String? {
        guard let text = value?.string else { return value?.plainText }
        return RelativeDate(text).map { $0.instant(start: start).rfc3339(.nanoseconds) } ?? text
    }

    private func isBetween(_ row: JSONObject, _ from: String?, _ to: String?) -> Bool {
        if from == nil && to == nil { return true }
        let day = text(row["at"]).flatMap(CivilDate.init).map { Instant($0, nanosecondsOfDay: 0) }
        guard let at = day ?? text(row["at"]).flatMap({ Instant(rfc3339: $0) }) else { return false }
        if let from = from.flatMap(CivilDate.init), at < Instant(from, nanosecondsOfDay: 0) { return false }
        if let to = to.flatMap(CivilDate.init), at >= Instant(to, nanosecondsOfDay: 0) + .seconds(86400) { return false }
        return true
    }

    private func isVisible(_ row: JSONObject, of table: String, to login: String?) -> Bool {
        switch table {
        case "accounts":
            let owned = bank.customers.first { $0.login == login }?.owns["accounts"] ?? []
            return owned.contains(row["id"]?.string ?? "") || login != nil && row["_customer"]?.string == login
        case "entries":
            return rows("accounts").first { $0["id"] == row["_account"] }.map { isVisible($0, of: "accounts", to: login) } ?? false
        case "notes": return row["_customer"]?.string == login
        default: return true
        }
    }
}
