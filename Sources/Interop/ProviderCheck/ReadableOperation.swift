import BankCore
import BankModel

/// An operation that can be asked without changing anything, and what is needed to ask it.
struct ReadableOperation {
    let operation: Operation
    /// Its index among the bank's operations.
    let index: Int
    let locations: ResponseLocations
    /// Of each parameter of the path that names a row: the field that it is compared with.
    let origins: [String: RowField]
    /// The files of which one is asked for by name.
    let files: (parameter: String, names: [String])?

    /// Nil for an operation that writes, signs in or out, and for a stream, which has no end.
    init?(_ operation: Operation, index: Int, of bank: Bank) {
        guard operation.method == "GET", operation.isRead, operation.stream == nil else { return nil }
        self.operation = operation
        self.index = index
        locations = ResponseLocations(operation)
        var origins: [String: RowField] = [:]
        for parent in operation.parents {
            if case .path(let name) = parent.key, let table = bank.tables[parent.table], origins[name] == nil {
                origins[name] = RowField(table: table.name, field: table.key)
            }
        }
        for (name, location) in locations.chosenBy where origins[name] == nil { origins[name] = bank.shownField(location) }
        self.origins = origins
        if case .folder(let files, .path(let name)) = operation.response {
            self.files = (name, files.keys.sorted())
        } else {
            files = nil
        }
    }

    /// The range parameters to send: those that are required, or that need a fresh sign-in.
    ///
    /// - Returns: the query's fields and their instants.
    func range(at now: Instant) -> [(source: ValueSource, instant: Instant)] {
        var fields: [(source: ValueSource, instant: Instant)] = []
        if let range = locations.requiredRange {
            if let from = range.from { fields.append((from, now + .seconds(-30 * 86_400))) }
            if let to = range.to { fields.append((to, now)) }
        }
        // A day younger than what is rejected, by whatever clock.
        if let fresh = operation.fresh { fields.append((.query(fresh.query), now + (Duration.seconds(86_400) - fresh.older))) }
        return fields
    }

    /// The first list in the response that comes in pages.
    var paging: Paging? { locations.rows.lazy.compactMap { $0.paging }.first }
}

extension Bank {
    /// All that can be asked of it without changing anything, in the order of the file.
    var reads: [ReadableOperation] { operations.enumerated().compactMap { ReadableOperation($1, index: $0, of: self) } }

    /// A field that responses show: in place of a hidden one that names another table's row, that row's key; nil if it is hidden.
    fileprivate func shownField(_ location: RowField) -> RowField? {
        guard location.field.hasPrefix("_") else { return location }
        guard case .row(let field, let parents) = tables[location.table]?.belongs, field == location.field, let table = tables[parents]
        else {
            return nil
        }
        return RowField(table: table.name, field: table.key)
    }
}
