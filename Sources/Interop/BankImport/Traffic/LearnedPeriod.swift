import BankCore
import BankModel

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
            for row in rows(exchange) where !has(row, { name in exchange.query.first { $0.name == name }?.value }) { return nil }
        }
    }

    /// Whether a row is in the period that a query asks for, both ends included.
    func has(_ row: JSONObject, _ value: (String?) -> String?) -> Bool {
        guard let date = row[field]?.string.flatMap({ LearnedPeriod.instant($0) }) else { return false }
        let (start, end) = (value(from).flatMap { LearnedPeriod.instant($0) }, value(to).flatMap { LearnedPeriod.instant($0, isEnd: true) })
        return start.map { $0 <= date } ?? true && end.map { date <= $0 } ?? true
    }

    /// As an operation of a bank writes it.
    var json: JSON {
        var range = JSONObject([("field", .string(field))])
        range["from"] = from.map { ["query": .string($0)] }
        range["to"] = to.map { ["query": .string($0)] }
        return .object(range)
    }

    /// An instant, or the first or last moment of a day in UTC.
    static func instant(_ text: String, isEnd: Bool = false) -> Instant? {
        Instant(rfc3339: text) ?? CivilDate(text).map { Instant($0, nanosecondsOfDay: isEnd ? Instant.nanosecondsPerDay - 1 : 0) }
    }
}
