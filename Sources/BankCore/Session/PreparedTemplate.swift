import BankModel

/// An object's template prepared for frequent rendering: fixed values are in place, and only the slots are filled.
final class PreparedTemplate: Sendable {
    /// In order; a slot's value is null.
    let members: [(key: String, value: JSON)]
    let slots: [Slot]

    struct Slot: Sendable {
        /// The index among the members.
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
        self.members = members
        self.slots = slots
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
    }
}

extension SessionState {
    /// Renders the row's template; nil if the result is not an object.
    mutating func fields(_ row: PreparedRow, _ scope: inout Scope) throws(Refused) -> JSONObject? {
        switch row {
        case .ready(let template): filled(template, scope)
        case .other(let template): try render(template, &scope)?.object
        }
    }

    /// Renders the template, slot by slot in order; a member whose value is missing is left out.
    private mutating func filled(_ template: PreparedTemplate, _ scope: borrowing Scope) -> JSONObject {
        var members = template.members
        var missing: [Int] = []
        for slot in template.slots {
            switch slot.content {
            case .value(let source):
                if let value = value(source, scope) { members[slot.place].value = value } else { missing.append(slot.place) }
            case .object(let inner): members[slot.place].value = .object(filled(inner, scope))
            }
        }
        for place in missing.reversed() { members.remove(at: place) }
        return JSONObject(unique: members)
    }
}
