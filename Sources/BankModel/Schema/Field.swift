/// One key of a mapping: its name, the format of its value, what its absence means, and a line of help. Declared once, as a
/// static property beside the reader, which asks for it by this value: `fields[Self.by]`.
package struct Field<Value: Sendable>: AnyField {
    package let key: String
    package let format: Format<Value>
    let absence: Absence
    package let declaration: FieldSchema

    enum Absence: Sendable {
        case wrong
        case nothing
        case standard(@Sendable () -> Value)
    }

    /// A key that may be absent; the help explains what that means.
    package init(_ key: String, _ format: Format<Value>, _ help: String) { self.init(key, format, .nothing, help) }

    package init(required key: String, _ format: Format<Value>, _ help: String) { self.init(key, format, .wrong, help) }

    /// A key whose absence means a value, which the format can write.
    package init(_ key: String, _ format: Format<Value>, default value: @autoclosure @escaping @Sendable () -> Value, _ help: String) {
        self.init(key, format, .standard(value), help)
    }

    private init(_ key: String, _ format: Format<Value>, _ absence: Absence, _ help: String) {
        self.key = key
        self.format = format
        self.absence = absence
        var isRequired = false
        var standard: JSON?
        switch absence {
        case .wrong: isRequired = true
        case .nothing: break
        case .standard(let value): standard = format.write?(value())
        }
        declaration = FieldSchema(key: key, schema: format.schema, isRequired: isRequired, standard: standard, help: help)
    }

    /// The key with a value, as it would be written.
    package func member(_ value: Value) -> (key: String, value: JSON) {
        precondition(format.write != nil, "nothing writes `\(key)`")
        return (key, format.write?(value) ?? .null)
    }
}

/// A field of any value, for the list of an object's.
package protocol AnyField: Sendable {
    var declaration: FieldSchema { get }
}

extension FieldSchema: AnyField {
    package var declaration: FieldSchema { self }
}

extension JSONObject {
    /// The member of a field's key; setting nil leaves it out.
    package mutating func set<Value>(_ field: Field<Value>, _ value: Value?) {
        self[field.key] = value.map { field.member($0).value }
    }
}
