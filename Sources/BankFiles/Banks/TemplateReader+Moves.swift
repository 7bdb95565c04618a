import BankCore
import BankModel

/// An operation's effects: the movement of money it makes, and the rows it adds, changes and removes.
extension TemplateReader {
    func move(_ node: Node) -> Operation.Move? {
        let fields = Fields(node, of: MoveKeys.schema, complaints)
        let amount = fields[MoveKeys.amount].flatMap(source)
        let unit = fields[MoveKeys.unit]
        let currency = fields[MoveKeys.currency].flatMap(source)
        let from = fields[MoveKeys.from].map(parents) ?? []
        let to = fields[MoveKeys.to].map(parents) ?? []
        let settles = times(fields[MoveKeys.settles], MoveKeys.settles.key, to)
        let authorisation = times(fields[MoveKeys.authorisation], MoveKeys.authorisation.key, to)
        let lists = (fields[MoveKeys.lists]?.elements(complaints) ?? []).compactMap { listing($0, sides: Set((from + to).map(\.table))) }
        fields.finish()
        guard let amount, let unit, let currency, !from.isEmpty, !to.isEmpty else { return nil }
        var move = Operation.Move(amount: amount, unit: unit, currency: currency, from: from, to: to)
        (move.settles, move.authorisation, move.lists) = (settles, authorisation, lists)
        return move
    }

    /// Times by the table to whose rows the money moves.
    private func times(_ node: Node?, _ key: String, _ to: [Operation.Parent]) -> [String: Duration] {
        var times: [String: Duration] = [:]
        for (table, keyNode, value) in loader.members(of: node, key) {
            guard let duration = value.duration(complaints) else { continue }
            times[table] = duration
            if !to.contains(where: { $0.table == table }) {
                complaints.add(found: "\(key): \(table)", expected: "a table of `to`: " + oneOf(to.map(\.table)), at: keyNode.position)
            }
        }
        return times
    }

    /// - Parameter operation: the operation's fields, of which the stages describe the inserted row.
    func insert(_ node: Node, _ operation: Fields, moves: Bool) -> Operation.Insert? {
        for stage in OperationKeys.stages {
            if let node = operation[stage], !moves {
                complaints.add(found: "`\(stage.key)`", expected: "an operation with `move`: only a movement settles", at: node.position)
            }
        }
        let members = Fields(node, of: "insert", complaints).all
        guard members.count == 1, let member = members.first else { return node.wrong(complaints, "one table and its row's shape") }
        var reader = self
        reader.movement = moves ? .known : .none
        var ofRejected = reader
        if moves { ofRejected.movement = .ended }
        guard let row = reader.row(member.value, into: member.key, at: member.keyNode.position) else { return nil }
        return Operation.Insert(table: member.key, row: row, stages: reader.stages(operation, missing: .same, ofRejected: ofRejected))
    }

    func update(_ node: Node) -> Operation.Update? {
        let fields = Fields(node, of: UpdateKeys.schema, complaints)
        let row = fields[UpdateKeys.row].flatMap(parent)
        let node = fields[UpdateKeys.changes]
        fields.finish()
        guard let row, let node, let changes = template(node) else { return nil }
        guard case .object(let members) = changes else {
            complaints.add(found: node.kindName, expected: "the fields that change", at: node.position)
            return nil
        }
        if let table = loader.bank.tables[row.table] { checkChanges(members.map(\.key), of: table, at: node.position) }
        return Operation.Update(row: row, changes: changes)
    }

    /// - Parameter moves: whether the operation moves money.
    func quote(_ node: Node, moves: Bool) -> Operation.Quote? {
        let fields = Fields(node, of: QuoteKeys.schema, complaints)
        let (row, expires) = (fields[QuoteKeys.row].flatMap(parent), fields[QuoteKeys.expires])
        let fixes = loader.members(of: fields[QuoteKeys.fixes], "fixes").compactMap { field, _, value in
            source(value).map { RowsQuery.Filter(field: field, value: $0) }
        }
        fields.finish()
        if !moves { complaints.add(found: "`quote`", expected: "it beside `move`: a quote is for a payment", at: node.position) }
        guard let row, let expires else { return nil }
        return Operation.Quote(row: row, expires: expires, fixes: fixes)
    }

    /// The row's key and its money are not for an update.
    private func checkChanges(_ names: [String], of table: Table, at position: SourcePosition) {
        let money = (table.holds?.amounts ?? []) + (table.holds?.settled ?? []) + [table.holds?.currency].compactMap { $0 }
        let roots = Set(money.map { String($0.prefix { $0 != "." }) })
        for name in names {
            if name == table.key {
                complaints.add(found: "`\(name)`, the key of \(table.name)", expected: "other fields: a key never changes", at: position)
            }
            if roots.contains(name) {
                complaints.add(found: "`\(name)`, the money of \(table.name)", expected: "other fields: `move` moves money", at: position)
            }
        }
    }

    /// How lists show events: the sides are accounts that hold money.
    func events(_ node: Node) -> EventLists? {
        let fields = Fields(node, of: EventsKeys.schema, complaints)
        let unit = fields[EventsKeys.unit]
        let holders = Set(loader.bank.tables.values.filter { $0.holds != nil }.map(\.name))
        let lists = (fields[EventsKeys.lists]?.elements(complaints) ?? []).compactMap { listing($0, sides: holders, .event) }
        fields.finish()
        return unit.map { EventLists(unit: $0, lists: lists) }
    }

    private func listing(_ node: Node, sides: Set<String>, _ movement: MovementKnown = .side) -> Operation.Move.Listing? {
        let fields = Fields(node, of: ListingKeys.schema, complaints)
        let table = fields[ListingKeys.table]
        let side = fields[ListingKeys.side]?.choice(among: sides.sorted(), complaints)
        var reader = self
        reader.movement = movement
        let row = fields[ListingKeys.row].flatMap {
            reader.row($0, into: table?.text(complaints), at: table?.position ?? node.position)
        }
        let stages = reader.stages(fields, missing: .gone, ofRejected: reader)
        fields.finish()
        guard let table = table?.scalar, let side, let row else { return nil }
        return Operation.Move.Listing(table: table, side: side, row: row, stages: stages)
    }

    /// The shape of a row of that table.
    private func row(_ node: Node, into name: String?, at position: SourcePosition) -> Template? {
        guard let name, let table = loader.require(table: name, at: position), let row = template(node) else { return nil }
        if case .object(let shape) = row, !shape.contains(where: { $0.key == table.key }) {
            complaints.add("`\(table.key)` is missing in the inserted row: it is the key of \(table.name)", at: node.position)
        }
        return row
    }

    /// The stages of a row of an operation or a list, which have the same keys.
    ///
    /// - Parameter missing: what becomes of the row of a rejected or cancelled movement if nothing is said.
    private func stages(_ fields: Fields, missing: RowStages.Stage, ofRejected: TemplateReader) -> RowStages {
        var stages = RowStages()
        stages.settled = stage(fields[OperationKeys.settled], missing: .same)
        stages.rejected = ofRejected.stage(fields[OperationKeys.rejected], missing: missing)
        stages.cancelled = stage(fields[OperationKeys.cancelled], missing: missing)
        stages.authorised = changes(fields[OperationKeys.authorised])
        var ofReturn = self
        ofReturn.movement = .event
        stages.returned = ofReturn.changes(fields[OperationKeys.returned])
        return stages
    }

    /// The fields of a row that change.
    private func changes(_ node: Node?) -> Template? {
        guard let node else { return nil }
        guard let changes = template(node), case .object = changes else { return node.wrong(complaints, "the fields that change") }
        return changes
    }

    /// The later stages of a row.
    private func stage(_ node: Node?, missing: RowStages.Stage) -> RowStages.Stage {
        guard let node else { return missing }
        if node.scalar == "gone" { return .gone }
        guard let changes = template(node), case .object = changes else {
            return node.wrong(complaints, "the fields that change, or `gone`") ?? missing
        }
        return .with(changes)
    }
}
