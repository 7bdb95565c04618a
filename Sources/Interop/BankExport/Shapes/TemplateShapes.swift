import BankCore
import BankModel

/// The shapes of what an operation's templates become.
struct TemplateShapes {
    let tables: TableShapes
    /// Nil for the dialect's own responses.
    let operation: Operation?

    /// A value that a template becomes, and whether it is there each time.
    struct Value {
        var shape: SchemaShape
        var isRequired = true
    }

    /// The shape of what the template becomes.
    func value(_ template: Template) -> Value {
        switch template {
        case .literal(let value): return Value(shape: SchemaShape(value))
        case .value(let source): return value(source)
        case .rows(let query): return Value(shape: .array(of: tables.sent(query.table, only: query.only)))
        case .row(let query):
            let row = tables.sent(query.table, only: query.only)
            guard let field = query.field else { return Value(shape: row) }
            // Nothing of that name: the whole row is sent.
            guard let member = tables.rows[query.table]?.at(field) else { return Value(shape: row) }
            return Value(shape: member.isRequired ? member.shape : member.shape.joined(with: row))
        case .inserted(let field):
            guard let insert = operation?.insert else { return Value(shape: .anything, isRequired: false) }
            let row = self.row(insert.row, insert.stages)
            guard let field else { return Value(shape: row.only(nil)) }
            return row.at(field).map { Value(shape: $0.shape, isRequired: $0.isRequired) } ?? Value(shape: .anything, isRequired: false)
        case .page(let fact, let other):
            switch fact {
            case .next, .address:
                let shape = other.map { SchemaShape.text.joined(with: SchemaShape($0)) } ?? .text
                return Value(shape: shape, isRequired: other != nil)
            case .more: return Value(shape: SchemaShape(kinds: [.boolean]))
            case .total, .pages, .number: return Value(shape: SchemaShape(kinds: [.integer]))
            }
        case .array(let elements):
            return Value(shape: .array(of: SchemaShape(joining: elements.map { value($0).shape })))
        case .object(let members):
            return Value(
                shape: .object(
                    members.map { member in
                        let inner = value(member.value)
                        return SchemaShape.Member(name: member.key, shape: inner.shape, isRequired: inner.isRequired)
                    }))
        }
    }

    /// A row that an operation adds, in all its stages.
    func row(_ template: Template, _ stages: RowStages) -> SchemaShape {
        var shape = value(template).shape
        for stage in stages.templates {
            var later = shape
            for member in value(stage).shape.members {
                later.members.removeAll { $0.name == member.name }
                later.members.append(member)
            }
            shape = shape.joined(with: later)
        }
        return shape
    }

    /// A row whose members the template replaces, if their values are there.
    func changed(_ row: SchemaShape, by template: Template) -> SchemaShape {
        var changed = row
        for member in value(template).shape.members {
            let position = changed.members.firstIndex { $0.name == member.name }
            if let position, member.isRequired { changed.members[position] = member }
            if let position, !member.isRequired {
                changed.members[position].shape = changed.members[position].shape.joined(with: member.shape)
            }
            if position == nil { changed.members.append(member) }
        }
        return changed
    }

    /// The shape of a source's value.
    func value(_ source: ValueSource) -> Value {
        switch source {
        case .literal(let value): Value(shape: SchemaShape(value))
        case .path, .detail, .request, .date, .random, .joined: Value(shape: .text)
        case .event(.property(.reason)): Value(shape: .text, isRequired: false)
        case .event(.property): Value(shape: .text)
        case .event(.byKind(let values)):
            Value(
                shape: SchemaShape(joining: values.values.map { SchemaShape($0) }),
                isRequired: BankEvent.Kind.allCases.allSatisfy { values[$0] != nil })
        case .query, .header, .form, .lacking, .jsonPath, .segment, .html: Value(shape: .text, isRequired: false)
        case .body(let path): body(path)
        case .now(.day): Value(shape: .text(.date))
        case .now(.slashed): Value(shape: .text)
        case .now: Value(shape: .text(.dateTime))
        case .uuid(let prefix): Value(shape: prefix.isEmpty ? .text(.uuid) : .text)
        case .url: Value(shape: .text(.uri))
        case .token(let field): token(field)
        case .openID(.idToken): Value(shape: .text, isRequired: false)
        case .openID(.keys): Value(shape: .array(of: SchemaShape(kinds: [.object])))
        case .consent(.byState(let values)):
            Value(shape: SchemaShape(joining: values.values.map { SchemaShape($0) }), isRequired: false)
        case .consent(.account): Value(shape: .text, isRequired: false)
        case .added: Value(shape: .text)
        case .challenge(.attemptsLeft), .challenge(.interval): Value(shape: SchemaShape(kinds: [.number]), isRequired: false)
        case .challenge(.ids): Value(shape: .array(of: .text))
        case .challenge: Value(shape: .text, isRequired: false)
        case .webhook(.registered): Value(shape: SchemaShape(kinds: [.boolean]))
        case .webhook(.events): Value(shape: .anything, isRequired: false)
        case .customer(let path): customer(path)
        case .side(let field): side(field)
        case .movement(.amount), .movement(.signed): Value(shape: operation?.move?.unit.shape ?? .anything)
        case .movement: Value(shape: .text)
        case .pending(let path): pending(path)
        case .or(let first, let second): either(value(first), value(second))
        }
    }

    // MARK: sources

    private func either(_ first: Value, _ second: Value) -> Value {
        first.isRequired
            ? first : Value(shape: first.shape.joined(with: second.shape), isRequired: second.isRequired)
    }

    /// An echoed body field: of the checked type, else any value.
    private func body(_ path: String) -> Value {
        let required = operation?.body?.required ?? []
        let isRequired = required.contains { $0 == path || $0.hasPrefix(path + ".") }
        if let move = operation?.move, move.amount == .body(path) { return Value(shape: move.unit.shape, isRequired: isRequired) }
        if let kind = operation?.body?.kind(of: path) { return Value(shape: kind.shape(path, operation), isRequired: isRequired) }
        if operation?.move?.currency == .body(path) { return Value(shape: .text, isRequired: isRequired) }
        let inner = required.filter { $0.hasPrefix(path + ".") }
        guard !inner.isEmpty else { return Value(shape: .anything, isRequired: isRequired) }
        var object = SchemaShape(kinds: [.object])
        for name in Set(inner.compactMap { $0.dropFirst(path.count + 1).split(separator: ".").first.map(String.init) }).sorted() {
            object.members.append(SchemaShape.Member(name: name, shape: body("\(path).\(name)").shape, isRequired: true))
        }
        return Value(shape: object, isRequired: isRequired)
    }

    private func token(_ field: ValueSource.TokenField) -> Value {
        switch field {
        case .access, .scope, .type: Value(shape: .text)
        case .refresh: Value(shape: .text, isRequired: tables.bank.auth?.refreshLifetime != nil)
        case .lifetime: Value(shape: .scalar(.integer))
        case .scopes: Value(shape: .array(of: .text))
        case .expiresAt: Value(shape: .text(.dateTime))
        }
    }

    private func customer(_ path: String) -> Value {
        if path == "login" { return Value(shape: .text) }
        let found = tables.bank.customers.map { JSON.object($0.profile).at(path).map { SchemaShape($0) } }
        let shape = SchemaShape(joining: found.compactMap(\.self))
        return Value(shape: shape == SchemaShape() ? .anything : shape, isRequired: !found.contains(nil))
    }

    private func side(_ field: ValueSource.SideField) -> Value {
        switch field {
        case .account: return Value(shape: .text)
        case .direction(let debit, let credit): return Value(shape: SchemaShape(debit).joined(with: SchemaShape(credit)))
        case .otherTable(let values):
            return Value(shape: SchemaShape(joining: values.values.map { SchemaShape($0) }), isRequired: false)
        case .other(let path), .payer(let path), .payee(let path):
            let move = operation?.move
            let names = Set(((move?.from ?? []) + (move?.to ?? [])).map(\.table))
            let found = names.sorted().map { tables.rows[$0]?.at(path) }
            let shape = SchemaShape(joining: found.compactMap { $0?.shape })
            return Value(shape: shape == SchemaShape() ? .anything : shape, isRequired: false)
        }
    }

    private func pending(_ path: String) -> Value {
        for listing in operation?.move?.lists ?? [] {
            if let member = value(listing.row).shape.at(path) { return Value(shape: member.shape, isRequired: false) }
        }
        return Value(shape: .anything, isRequired: false)
    }
}

extension AmountUnit {
    /// How amounts of the unit are written.
    var shape: SchemaShape {
        switch self {
        case .major: .text(.amount)
        case .minor: .scalar(.integer)
        case .number: .scalar(.number)
        }
    }
}

extension Operation.BodyRule.Kind {
    /// The shape of a body's member of this kind; of an object with the members whose kinds are known.
    func shape(_ path: String, _ operation: Operation?) -> SchemaShape {
        switch self {
        case .text, .instant: return .text
        case .number: return .scalar(.number)
        case .whole: return .scalar(.integer)
        case .flag: return .scalar(.boolean)
        case .list: return SchemaShape(kinds: [.array])
        case .texts: return .array(of: .text)
        case .objects: return .array(of: SchemaShape(kinds: [.object]))
        case .object:
            var object = SchemaShape(kinds: [.object])
            let rule = operation?.body
            for (name, kind) in rule?.kinds ?? [] where name.hasPrefix(path + ".") {
                let rest = String(name.dropFirst(path.count + 1))
                guard !rest.contains(".") else { continue }
                object.members.append(
                    SchemaShape.Member(name: rest, shape: kind.shape(name, operation), isRequired: rule?.required.contains(name) ?? false))
            }
            return object
        }
    }
}
