import BankModel

/// A member of a record in JSON: its field, and its value in the record.
struct RecordMember<Record: Sendable>: Sendable {
    let declaration: FieldSchema
    /// Reads it into the record; false if it is required, and absent or wrong.
    let read: @Sendable (Fields, inout Record) -> Bool
    let write: @Sendable (Record, inout JSONObject) -> Void

    /// A member that is not written if `get` returns nil, and leaves the record as it is if it is absent.
    static func computed<Value>(
        _ field: Field<Value>, _ get: @escaping @Sendable (Record) -> Value?, _ set: @escaping @Sendable (inout Record, Value) -> Void
    ) -> RecordMember {
        RecordMember(
            declaration: field.declaration,
            read: { fields, record in
                guard let value = fields[field] else { return !field.declaration.isRequired }
                set(&record, value)
                return true
            }, write: { record, object in object.set(field, get(record)) })
    }

    /// As ``computed(_:_:_:)``, for a member that is always written now, but was not by earlier versions.
    static func always<Value>(
        _ field: Field<Value>, _ get: @escaping @Sendable (Record) -> Value, _ set: @escaping @Sendable (inout Record, Value) -> Void
    ) -> RecordMember {
        let member = computed(field, get, set)
        let declaration = FieldSchema(
            key: field.key, schema: field.format.schema, isRequired: true, standard: nil, help: field.declaration.help)
        return RecordMember(declaration: declaration, read: member.read, write: member.write)
    }

    /// A member that every record has.
    static func required<Value>(
        _ key: String, _ format: Format<Value>, _ path: any Sendable & WritableKeyPath<Record, Value>, _ help: String = ""
    ) -> RecordMember {
        computed(Field(required: key, format, help), { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    /// A member that is not written if it has its usual value.
    static func value<Value: Equatable & SendableMetatype>(
        _ key: String, _ format: Format<Value>, _ path: any Sendable & WritableKeyPath<Record, Value>, unless usual: Value,
        _ help: String = ""
    ) -> RecordMember {
        computed(
            Field(key, format, help), { $0[keyPath: path] == usual ? nil : $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    static func optional<Value>(
        _ key: String, _ format: Format<Value>, _ path: any Sendable & WritableKeyPath<Record, Value?>, _ help: String = ""
    ) -> RecordMember {
        computed(Field(key, format, help), { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    /// A member that follows from the others, so it is not read.
    static func derived<Value>(_ field: Field<Value>, _ json: @escaping @Sendable (Record) -> JSON?) -> RecordMember {
        RecordMember(
            declaration: field.declaration,
            read: { fields, _ in
                _ = fields.node(of: field)
                return true
            }, write: { record, object in object[field.key] = json(record) })
    }

    /// The same member of a record that has this one in it, its members beside its own.
    func within<Outer: Sendable>(_ path: any Sendable & WritableKeyPath<Outer, Record>) -> RecordMember<Outer> {
        RecordMember<Outer>(
            declaration: declaration, read: { fields, outer in read(fields, &outer[keyPath: path]) },
            write: { outer, object in write(outer[keyPath: path], &object) })
    }
}

extension Format {
    /// A record that is described by its members.
    static func record(called what: String, about: String = "", _ blank: Value, _ members: [RecordMember<Value>]) -> Format {
        record(ObjectSchema(what, about, fields: members.map(\.declaration)), blank, members)
    }

    /// A record, of which each member is declared once for reading and writing; `blank` has the values of absent members.
    static func record(_ schema: ObjectSchema, _ blank: Value, _ members: [RecordMember<Value>]) -> Format {
        Format.object(
            schema,
            read: { fields, _ in
                var record = blank
                var isWhole = true
                for member in members { isWhole = member.read(fields, &record) && isWhole }
                return isWhole ? record : nil
            },
            write: { record in
                var object = JSONObject()
                for member in members { member.write(record, &object) }
                return .object(object)
            })
    }
}
