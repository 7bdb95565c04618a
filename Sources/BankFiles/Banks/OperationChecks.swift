import BankCore
import BankModel

/// Checks the requirements of one operation's parts for each other and for the tables.
struct OperationChecks {
    let bank: Bank
    /// Tables that are not checked further.
    let faulty: Set<String>
    /// The position of each operation.
    let positions: [String: SourcePosition]
    let complaints: Complaints

    func run() {
        for operation in bank.operations {
            guard let position = positions[operation.name] else { continue }
            checkOpen(operation, at: position)
            checkPages(operation, at: position)
            if let condition = operation.ifMatch { check(condition, of: operation, at: position) }
            if let repeats = operation.repeats, bank.operations.first(where: { $0.name == repeats.pays })?.move == nil {
                complaints.add(
                    found: "`repeats` with `pays: \(repeats.pays)` in `\(operation.name)`", expected: "an operation with `move`",
                    at: position)
            }
            if let payment = operation.cancel { checkCancelled(payment.table, by: operation, at: position) }
            for source in operation.move?.from ?? []
            where !faulty.contains(source.table) && bank.tables[source.table].map({ $0.holds == nil }) == true {
                complaints.add(
                    found: "a move from \(source.table) in `\(operation.name)`", expected: "a table with `holds`: its rows have no money",
                    at: position)
            }
        }
    }

    /// Without a token the owner of the rows is unknown.
    private func checkOpen(_ operation: Operation, at position: SourcePosition) {
        // A payment that its customer has yet to authorise reads their rows when they do.
        guard operation.access == .open, operation.insert.flatMap({ bank.consents[$0.table] }) == nil else { return }
        // A sign-in knows whose rows its response shows.
        switch operation.grant {
        case .password?, .refresh?, .code?: return
        case .client?, .revoke?, nil: break
        }
        let theirs = operation.tablesRead.filter { bank.tables[$0]?.belongs != nil }
        for table in theirs.sorted() {
            complaints.add(
                "`\(operation.name)` requires no token and reads \(table), which has rows of customers: it would never return a row",
                at: position)
        }
    }

    /// Only a row that shows a movement can be cancelled.
    private func checkCancelled(_ table: String, by operation: Operation, at position: SourcePosition) {
        let showsMovements = bank.operations.contains { other in
            guard let move = other.move else { return false }
            return other.insert?.table == table || move.lists.contains { $0.table == table }
        }
        guard !showsMovements, !faulty.contains(table) else { return }
        complaints.add(
            found: "`cancel` of \(table) in `\(operation.name)`", expected: "a table to which an operation with `move` adds rows",
            at: position
        )
    }

    /// `If-Match` needs a representation of the same path, and responses for both rejections.
    private func check(_ condition: Operation.IfMatch, of operation: Operation, at position: SourcePosition) {
        let what = "`if_match` in `\(operation.name)`"
        let read = bank.operations.first { $0.name == condition.read }
        let lacking = Set(read?.path.parameters ?? []).subtracting(operation.path.parameters).sorted()
        if read.map({ $0.method != "GET" || !$0.etag }) ?? true {
            complaints.add(
                found: "\(what) with `read: \(condition.read)`", expected: "a GET operation of this bank with `etag: true`", at: position)
        } else if !lacking.isEmpty {
            complaints.add(
                found: "\(what) with `read: \(condition.read)`",
                expected:
                    "an operation without other parameters in its path; \(operation.requestLine) has no \(lacking.joined(separator: ", "))",
                at: position)
        }
        for situation in [Operation.RejectionReason.preconditionFailed] + (condition.isRequired ? [.preconditionRequired] : [])
        where operation.rejections[situation] == nil {
            complaints.add(found: what, expected: "`\(situation.rawValue)` in its `refuse`: the dialect has no such response", at: position)
        }
    }

    private func checkPages(_ operation: Operation, at position: SourcePosition) {
        guard case .json(let response) = operation.response,
            response.flattened.contains(where: { if case .page = $0 { true } else { false } })
        else { return }
        guard !response.lists.contains(where: { $0.paging != nil }) else { return }
        complaints.add(found: "{page: …} in `\(operation.name)`", expected: "rows with `page` in its `reply`", at: position)
    }
}

extension Operation {
    /// The tables whose rows it reads.
    fileprivate var tablesRead: Set<String> {
        var tables = Set(namedRows.map(\.table) + (stream?.tables ?? []))
        if case .json(let template) = response { tables.formUnion(template.tablesRead) }
        for added in rowsAdded { tables.formUnion(added.row.tablesRead) }
        return tables
    }
}
