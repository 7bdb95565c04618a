import BankModel

/// An object's template prepared for frequent use: fixed values are in place, and only the slots are filled.
final class PreparedTemplate: Sendable {
    let members: [Member]
    /// The sources of the values that differ, in the order in which they are filled.
    let slots: [ValueSource]

    struct Member: Sendable {
        let key: String
        let part: Part

        fileprivate var fixed: (key: String, value: JSON)? { if case .fixed(let value) = part { (key, value) } else { nil } }
    }

    enum Part: Sendable {
        case fixed(JSON)
        /// The index of a slot of the whole template.
        case slot(Int)
        /// An object with slots.
        case object([Member])
    }

    /// - Returns: nil for anything but an object of values and of such objects.
    init?(_ template: Template) {
        var slots: [ValueSource] = []
        guard let members = PreparedTemplate.members(template, &slots) else { return nil }
        self.members = members
        self.slots = slots
    }

    private static func members(_ template: Template, _ slots: inout [ValueSource]) -> [Member]? {
        guard case .object(let written) = template else { return nil }
        var members: [Member] = []
        for member in written {
            guard let part = part(member.value, &slots) else { return nil }
            members.append(Member(key: member.key, part: part))
        }
        return members
    }

    private static func part(_ template: Template, _ slots: inout [ValueSource]) -> Part? {
        switch template {
        case .literal(let value), .value(.literal(let value)): return .fixed(value)
        case .value(let source):
            slots.append(source)
            return .slot(slots.count - 1)
        case .object:
            let before = slots.count
            guard let members = members(template, &slots) else { return nil }
            return slots.count == before ? .fixed(.object(JSONObject(unique: members.compactMap(\.fixed)))) : .object(members)
        case .array, .rows, .row, .inserted, .page: return nil
        }
    }
}

/// A row that operations add: its template, prepared if possible.
enum PreparedRow: Sendable {
    case ready(PreparedTemplate)
    case other(Template)

    init(_ template: Template) { self = PreparedTemplate(template).map(PreparedRow.ready) ?? .other(template) }
}

/// ``RowStages`` with their templates prepared.
struct PreparedStages: Sendable {
    let settled: Stage
    let rejected: Stage
    let cancelled: Stage
    let authorised: PreparedRow?
    let returned: PreparedRow?

    enum Stage: Sendable {
        case same
        case with(PreparedRow)
        case gone

        init(_ stage: RowStages.Stage) {
            self =
                switch stage {
                case .same: .same
                case .with(let template): .with(PreparedRow(template))
                case .gone: .gone
                }
        }
    }

    init(_ stages: RowStages) {
        settled = Stage(stages.settled)
        rejected = Stage(stages.rejected)
        cancelled = Stage(stages.cancelled)
        authorised = stages.authorised.map { PreparedRow($0) }
        returned = stages.returned.map { PreparedRow($0) }
    }

    /// The row after its movement has ended in that state.
    func last(_ state: Movement.State) -> Stage {
        switch state {
        case .pendingAuthorisation, .accepted, .settled: settled
        case .rejected: rejected
        case .cancelled: cancelled
        }
    }
}

extension SessionState {
    /// The members that the row's template gives; nil if the result is not an object.
    mutating func fields(_ row: PreparedRow, _ scope: inout Scope) throws(RequestRejection) -> RowFields? {
        switch row {
        case .ready(let template):
            var values: [JSON?] = []
            values.reserveCapacity(template.slots.count)
            for source in template.slots { values.append(value(source, scope)) }
            return RowFields(FilledTemplate(template, values))
        case .other(let template): return try render(template, &scope)?.object.map { RowFields($0) }
        }
    }
}
