import BankModel

/// An operation with its tables looked up by name. All requests that match it share one reference instead of some twenty fields.
final class PreparedOperation: Sendable {
    let definition: Operation
    let move: PreparedMove?
    let quote: PreparedQuote?
    let insert: PreparedInsert?
    let update: PreparedUpdate?
    /// The row that it removes.
    let delete: PreparedParent?
    let cancel: PreparedParent?
    /// The consent that it revokes.
    let revoke: PreparedParent?

    init(_ definition: Operation, _ tables: [String: PreparedTable]) {
        self.definition = definition
        move = definition.move.map { PreparedMove($0, tables) }
        quote = definition.quote.flatMap { quote in
            tables[quote.row.table].map { PreparedQuote(definition: quote, row: PreparedParent(table: $0, key: quote.row.key)) }
        }
        insert = definition.insert.flatMap { insert in
            tables[insert.table].map { PreparedInsert($0, insert.row, insert.stages) }
        }
        update = definition.update.flatMap { update in
            tables[update.row.table].map {
                PreparedUpdate(row: PreparedParent(table: $0, key: update.row.key), changes: update.changes)
            }
        }
        delete = definition.delete.flatMap { row in tables[row.table].map { PreparedParent(table: $0, key: row.key) } }
        cancel = definition.cancel.flatMap { row in tables[row.table].map { PreparedParent(table: $0, key: row.key) } }
        revoke = definition.revoke.flatMap { row in tables[row.table].map { PreparedParent(table: $0, key: row.key) } }
    }
}

/// A move with its tables.
final class PreparedMove: Sendable {
    let definition: Operation.Move
    let from: [PreparedParent]
    let to: [PreparedParent]
    let lists: [PreparedListing]

    init(_ definition: Operation.Move, _ tables: [String: PreparedTable]) {
        func prepared(_ parents: [Operation.Parent]) -> [PreparedParent] {
            parents.compactMap { parent in tables[parent.table].map { PreparedParent(table: $0, key: parent.key) } }
        }
        self.definition = definition
        from = prepared(definition.from)
        to = prepared(definition.to)
        lists = definition.lists.prepared(tables)
    }
}

extension [Operation.Move.Listing] {
    func prepared(_ tables: [String: PreparedTable]) -> [PreparedListing] {
        compactMap { list in
            tables[list.table].map { PreparedListing(side: list.side, rows: PreparedInsert($0, list.row, list.stages)) }
        }
    }
}

/// A table, and the key of one of its rows.
struct PreparedParent: Sendable {
    let table: PreparedTable
    let key: ValueSource
}

/// A quote with its table.
struct PreparedQuote: Sendable {
    let definition: Operation.Quote
    let row: PreparedParent
}

/// A change of a row.
struct PreparedUpdate: Sendable {
    let row: PreparedParent
    let changes: Template
}

/// A list that shows a movement.
struct PreparedListing: Sendable {
    /// The table of the side whose list it is.
    let side: String
    let rows: PreparedInsert
}

/// A row that is added to a table, and its stages.
struct PreparedInsert: Sendable {
    let table: PreparedTable
    let row: Template
    let stages: RowStages
    /// Whether the key is a fresh UUID: no row has it.
    let isKeyNew: Bool

    init(_ table: PreparedTable, _ row: Template, _ stages: RowStages) {
        self.table = table
        self.row = row
        self.stages = stages
        isKeyNew =
            row.makes(table.table.key)
            && [stages.settled, stages.rejected, stages.cancelled, stages.authorised.map(RowStages.Stage.with) ?? .same]
                .allSatisfy { $0.keepsUnique(table.table.key) }
    }
}

extension Template {
    /// Whether that member of an object is a UUID made for it.
    fileprivate func makes(_ member: String) -> Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { candidate in
            if case .value(.uuid) = candidate.value { candidate.key == member } else { false }
        }
    }

    /// Whether an object may have that member; a member that is not known in advance may.
    fileprivate func mayHave(_ member: String) -> Bool {
        guard case .object(let members) = self else { return true }
        return members.contains { $0.key == member }
    }
}

extension RowStages.Stage {
    /// Whether a key that was a fresh UUID still is one.
    fileprivate func keepsUnique(_ key: String) -> Bool {
        switch self {
        case .same, .gone: true
        case .with(let template): !template.mayHave(key) || template.makes(key)
        }
    }
}
