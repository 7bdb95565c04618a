import BankModel

/// The rows of a list as requests choose among them. Rows are looked for once for all requests that choose alike: a list may be recorded in
/// thousands of pages.
struct RowChoices {
    /// What a request chooses, over all pages.
    struct Choice {
        let rows: [JSONObject]
        /// The index of the first row with each key.
        private let positions: [String: Int]

        fileprivate init(_ rows: [JSONObject], key: String) {
            self.rows = rows
            positions = rows.positions(by: key)
        }

        /// The index of the first row with that key; nil if there is none.
        func position(of key: String?) -> Int? { key.flatMap { positions[$0] } }
    }

    /// A row, and its date if requests ask for a period.
    private struct DatedRow {
        let row: JSONObject
        let date: Instant?
    }

    /// What requests that choose alike have in common.
    private struct Name: Hashable {
        var fields: [String]
        var values: [String?]
        var bounds: LearnedPeriod.Bounds?
    }

    private let key: String
    private let rows: [DatedRow]
    /// The rows by their values in fields, for each set of fields that requests ask for.
    private var groups: [[String]: [[String?]: [DatedRow]]] = [:]
    private var choices: [Name: Choice] = [:]
    /// How many rows both hold.
    private var held = 0

    /// So many rows may be held at a time: requests for thousands of periods choose some of them again and again.
    private static let mostHeld = 1_000_000

    /// - Parameters:
    ///   - rows: those that the customer may see.
    ///   - key: the field by which they are known.
    init(_ rows: [JSONObject], key: String, in period: LearnedPeriod?) {
        self.key = key
        self.rows = rows.map { DatedRow(row: $0, date: period?.date(of: $0)) }
    }

    /// The rows that a request chooses.
    ///
    /// - Parameters:
    ///   - wanted: the fields with the values of the path's parameters; the same fields for all requests.
    ///   - asked: the fields with the values of the query.
    ///   - bounds: the period; nil if requests ask for none.
    mutating func chosen(
        _ wanted: [(field: String, value: String?)], _ asked: [(field: String, value: String)], _ bounds: LearnedPeriod.Bounds?
    ) -> Choice {
        let values = wanted.map { $0.value } + asked.map { Optional($0.value) }
        let name = Name(fields: asked.map { $0.field }, values: values, bounds: bounds)
        if let known = choices[name] { return known }
        if held > RowChoices.mostHeld { (groups, choices, held) = ([:], [:], 0) }
        var fitting = group(name, wanted.map { $0.field })
        if let bounds { fitting = fitting.filter { $0.date.map(bounds.contain) ?? false } }
        let choice = Choice(fitting.map { $0.row }, key: key)
        held += fitting.count
        choices[name] = choice
        return choice
    }

    /// The rows with the values, whatever their dates.
    private mutating func group(_ name: Name, _ wanted: [String]) -> [DatedRow] {
        if let known = groups[name.fields] { return known[name.values] ?? [] }
        let grouped: [[String?]: [DatedRow]] = Dictionary(grouping: rows) { dated in
            wanted.map { dated.row[$0]?.string } + name.fields.map { dated.row[$0]?.plainText }
        }
        held += rows.count
        groups[name.fields] = grouped
        return grouped[name.values] ?? []
    }
}

extension [JSONObject] {
    /// The index of the first row with each key.
    func positions(by key: String) -> [String: Int] {
        let keys = enumerated().compactMap { position, row in row[key].map { ($0.plainText, position) } }
        return Dictionary(keys) { first, _ in first }
    }
}

extension [LearnedExchange] {
    /// The exchanges that have each field of the query, by their indexes, each with the field's first value.
    var uses: [String: [(index: Int, value: String)]] {
        var uses: [String: [(index: Int, value: String)]] = [:]
        for index in indices {
            for (name, value) in self[index].query where uses[name]?.last?.index != index {
                uses[name, default: []].append((index, value))
            }
        }
        return uses
    }
}
