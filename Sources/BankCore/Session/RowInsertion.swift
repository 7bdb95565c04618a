import BankModel

/// A row that an operation adds to a table, and its stages.
struct RowInsertion: Sendable {
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
