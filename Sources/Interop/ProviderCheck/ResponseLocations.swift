import BankCore
import BankModel

/// A field of a table's rows: what a path's parameter names a row by.
struct RowField: Hashable {
    var table: String
    var field: String
}

/// The locations of values in an operation's response.
struct ResponseLocations {
    /// A table's rows, each a row of it or one alone.
    private(set) var rows: [(path: [String], table: String, paging: Paging?)] = []
    /// The next page's cursor.
    private(set) var nextPage: [String]?
    /// The access token that was made.
    private(set) var accessToken: [String]?
    /// Parameters of the path by which rows are chosen, and the field they are compared with.
    private(set) var chosenBy: [(parameter: String, at: RowField)] = []
    /// The first range that must be given.
    private(set) var requiredRange: RowsQuery.Between?

    init(_ operation: Operation) {
        guard case .json(let template) = operation.response else { return }
        visit(template, [], operation)
    }

    private mutating func visit(_ template: Template, _ path: [String], _ operation: Operation) {
        switch template {
        case .literal: break
        case .object(let members): for member in members { visit(member.value, path + [member.key], operation) }
        case .array(let elements): for (number, element) in elements.enumerated() { visit(element, path + ["\(number)"], operation) }
        case .value(let source): if source.isAccessToken { accessToken = path }
        case .rows(let query):
            rows.append((path, query.table, query.paging))
            note(query.filters, of: query.table)
            if let between = query.between, between.required, requiredRange == nil { requiredRange = between }
        case .row(let query):
            if query.field == nil { rows.append((path, query.table, nil)) }
            note(query.filters, of: query.table)
        case .inserted(let field):
            if field == nil, let insert = operation.insert { rows.append((path, insert.table, nil)) }
        case .page(let fact, _): if fact == .next { nextPage = path }
        }
    }

    private mutating func note(_ filters: [RowsQuery.Filter], of table: String) {
        for filter in filters {
            if case .path(let parameter) = filter.value { chosenBy.append((parameter, RowField(table: table, field: filter.field))) }
        }
    }
}

extension ValueSource {
    fileprivate var isAccessToken: Bool {
        switch self {
        case .token(.access): true
        case .or(let source, _): source.isAccessToken
        default: false
        }
    }
}

extension JSON {
    /// The value at the end of those members and elements; nil if there is none.
    func at(steps: [String]) -> JSON? {
        var value = self
        for step in steps {
            let next: JSON? =
                switch value {
                case .object(let object): object[step]
                case .array(let elements): Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                case .null, .bool, .number, .string: nil
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }
}
