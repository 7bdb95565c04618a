import BankCore
import BankModel

/// A field of a table's rows that the definition refers to.
struct FieldUse {
    let table: String
    let field: String
    let position: SourcePosition
}

extension BankLoader {
    /// Records that the definition refers to a field of the table's rows.
    func uses(_ field: String?, of table: String, at position: SourcePosition) {
        if let field { fieldUses.append(FieldUse(table: table, field: field, position: position)) }
    }

    /// Complains of fields that no row has, neither the fixture's nor one that an operation adds.
    func checkFieldUses() {
        let added = bank.operations.flatMap(\.rowsAdded) + (bank.events?.lists ?? []).map { (table: $0.table, row: $0.row) }
        for use in fieldUses {
            guard let table = bank.tables[use.table], !table.rows.isEmpty, !table.has(use.field) else { continue }
            let isAdded = added.contains { name, row in
                guard name == use.table, case .object(let members) = row else { return false }
                return members.contains { use.field == $0.key || use.field.hasPrefix($0.key + ".") }
            }
            guard !isAdded else { continue }
            let hint = didYouMean(use.field, among: table.fieldNames)
            complaints.add(found: "the field `\(use.field)`", expected: "a field that a row of \(use.table) has\(hint)", at: use.position)
        }
    }

    /// Warns of rows whose dates no query can find, because their form is another.
    func checkRanges() {
        var asked: Set<[String]> = []
        for operation in bank.operations {
            guard case .json(let response) = operation.response else { continue }
            for query in response.lists {
                guard let field = query.between?.field, asked.insert([query.table, field]).inserted else { continue }
                rowChecks.first { $0.name == query.table }?.checkRange(field)
            }
        }
    }

    /// Complains of challenges that send the customer to a page that the bank does not have.
    func checkChallenges(_ node: Node?) {
        guard let node, bank.challenges?.kind == .redirect, bank.signInPage == nil else { return }
        complaints.add(
            found: "`kind: redirect`", expected: "an operation with `sign_in: page`, on which customers decide", at: node.position)
    }

    /// The root of `life.yaml`, which may have a part of `life`, or all of it; nil if the bank has no such file.
    var lifeFile: Node? {
        library.hasFile("life.yaml", of: name) ? yaml("\(folder)/life.yaml", what: "a list of scheduled events") : nil
    }

    /// The events of `life`, each with its position.
    func lifeEvents(_ node: Node?) -> [(Node, LifeEvent)] {
        (node?.elements(complaints) ?? []).compactMap { node in
            let fields = Fields(node, of: BankEvent.scheduledSchema, complaints)
            let event = LifeEvent(fields, complaints)
            fields.finish()
            return event.map { (node, $0) }
        }
    }

    /// Complains of events of `life` that can never happen.
    func checkLife(_ life: [(Node, LifeEvent)]) {
        if life.count > Schedule.most {
            complaints.add(
                found: "\(life.count) events in `life`", expected: "at most \(Schedule.most)", at: life[Schedule.most].0.position)
        }
        guard !life.isEmpty, faulty.isEmpty else { return }
        let session = SessionState(id: "life", seed: 0, prepared: PreparedBank(bank), baseURL: "", startedAt: Instant(seconds: 0))
        for (node, event) in life {
            do throws(EventError) { try session.check(event.event) } catch { complaints.add("\(error)", at: node.position) }
        }
    }

    /// Complains of customers who cannot sign in.
    func checkPasswords(_ node: Node?) {
        let signIn = bank.operations.first { if case .password? = $0.grant { true } else { false } }
        guard let signIn, case .list(let nodes)? = node?.content else { return }
        for node in nodes {
            guard case .mapping(let members) = node.content, !members.contains(where: { $0.key.scalar == "password" }) else { continue }
            complaints.add("`password` is missing in a customer, but `\(signIn.name)` needs one", at: node.position)
        }
    }

    /// Complains of operations that no request can match.
    ///
    /// - Parameter positions: those of all operations, by name.
    func checkReachable(_ positions: [String: SourcePosition]) {
        var known = CoverIndex()
        for (index, operation) in bank.operations.enumerated() {
            guard let hider = known.covering(operation).min().map({ bank.operations[$0] }), let position = positions[operation.name] else {
                known.add(operation, as: index)
                continue
            }
            complaints.add(
                "no request can match `\(operation.name)`: `\(hider.name)` precedes it and also matches \(operation.requestLine)",
                at: position)
        }
    }

    /// Complains of rows that belong to rows of a missing table.
    func checkBelongings(_ node: Node?) {
        guard let node else { return }
        for (name, keyNode, _) in Fields(node, of: "tables", complaints).all {
            guard case .row(_, let parent)? = bank.tables[name]?.belongs else { continue }
            _ = require(table: parent, at: keyNode.position)
        }
    }
}

extension Operation {
    /// The rows that it may add or change: each with its table.
    var rowsAdded: [(table: String, row: Template)] {
        (insert.map { [($0.table, $0.row)] } ?? []) + (move?.lists ?? []).map { ($0.table, $0.row) }
            + (update.map { [($0.row.table, $0.changes)] } ?? [])
    }
}
