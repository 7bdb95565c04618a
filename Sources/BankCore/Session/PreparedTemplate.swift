import BankModel

/// An object's template made ready for being filled in often: what is fixed stands in its place already, and only the slots
/// are filled.
final class PreparedTemplate: Sendable {
    /// In order; a slot's value is null.
    let members: [(key: String, value: JSON)]
    let slots: [Slot]

    struct Slot: Sendable {
        /// Among the members.
        let place: Int
        let content: Content
    }

    enum Content: Sendable {
        case value(ValueSource)
        case object(PreparedTemplate)
    }

    /// - Returns: nil for anything but an object of values and of such objects.
    init?(_ template: Template) {
        guard case .object(let written) = template else { return nil }
        var (members, slots): ([(key: String, value: JSON)], [Slot]) = ([], [])
        for (place, member) in written.enumerated() {
            var fixed = JSON.null
            switch member.value {
            case .literal(let value): fixed = value
            case .value(.literal(let value)): fixed = value
            case .value(let source): slots.append(Slot(place: place, content: .value(source)))
            case .object:
                guard let inner = PreparedTemplate(member.value) else { return nil }
                if inner.slots.isEmpty {
                    fixed = .object(JSONObject(unique: inner.members))
                } else {
                    slots.append(Slot(place: place, content: .object(inner)))
                }
            case .array, .rows, .row, .inserted, .nextPage: return nil
            }
            members.append((member.key, fixed))
        }
        (self.members, self.slots) = (members, slots)
    }
}

/// A row that operations add: its template, made ready where that can be.
enum PreparedRow: Sendable {
    case ready(PreparedTemplate)
    case other(Template)

    init(_ template: Template) { self = PreparedTemplate(template).map(PreparedRow.ready) ?? .other(template) }
}

/// A row's later stage: what takes the place of members of its first one, or is added to them.
struct PreparedChange: Sendable {
    let row: PreparedRow
    /// For each member, where the first stage has it if nothing is missing there; -1 for nowhere.
    let places: [Int]

    init(_ template: Template, of first: PreparedRow) {
        row = PreparedRow(template)
        guard case .ready(let first) = first, case .ready(let later) = row else {
            places = []
            return
        }
        places = later.members.map { member in first.members.firstIndex { $0.key == member.key } ?? -1 }
    }
}

/// ``RowStages`` with their templates made ready.
struct PreparedStages: Sendable {
    let settled: Stage
    let rejected: Stage

    enum Stage: Sendable {
        case same
        case with(PreparedChange)
        case gone

        init(_ stage: RowStages.Stage, of first: PreparedRow) {
            self =
                switch stage {
                case .same: .same
                case .with(let template): .with(PreparedChange(template, of: first))
                case .gone: .gone
                }
        }
    }

    /// - Parameter first: the row as it begins.
    init(_ stages: RowStages, of first: PreparedRow) {
        (settled, rejected) = (Stage(stages.settled, of: first), Stage(stages.rejected, of: first))
    }
}

extension SessionState {
    /// The row's template filled in; nil if that gives no object.
    mutating func fields(_ row: PreparedRow, _ scope: inout Scope) throws(Refused) -> JSONObject? {
        switch row {
        case .ready(let template): filled(template, scope)
        case .other(let template): try render(template, &scope)?.object
        }
    }

    /// The fields with those of the change in their places.
    mutating func changed(_ fields: JSONObject, _ change: PreparedChange, _ scope: inout Scope) throws(Refused) -> JSONObject {
        var later = fields
        guard case .ready(let template) = change.row, !change.places.isEmpty else {
            for member in try self.fields(change.row, &scope)?.members ?? [] { later[member.key] = member.value }
            return later
        }
        var slots = template.slots[...]
        for place in template.members.indices {
            var value: JSON? = template.members[place].value
            if let slot = slots.first, slot.place == place {
                value = content(slot, scope)
                slots.removeFirst()
            }
            if let value { later.set(value, template.members[place].key, near: change.places[place]) }
        }
        return later
    }

    /// What a slot is filled with; nil if it is missing.
    private mutating func content(_ slot: PreparedTemplate.Slot, _ scope: Scope) -> JSON? {
        switch slot.content {
        case .value(let source): value(source, scope)
        case .object(let inner): .object(filled(inner, scope))
        }
    }

    /// The template filled in, slot by slot in order; a member whose value is missing is left out.
    private mutating func filled(_ template: PreparedTemplate, _ scope: Scope) -> JSONObject {
        var members = template.members
        var missing: [Int] = []
        for slot in template.slots {
            if let value = content(slot, scope) { members[slot.place].value = value } else { missing.append(slot.place) }
        }
        for place in missing.reversed() { members.remove(at: place) }
        return JSONObject(unique: members)
    }
}
