import BankModel
import Testing

@testable import BankExport

/// Shapes take all the values they are made of, and are written as JSON Schema.
@Suite struct ShapeTests {
    private func shape(_ texts: String...) throws -> SchemaShape {
        try texts.map { SchemaShape(try JSON(parsing: Array($0.utf8))) }.reduce(SchemaShape()) { $0.joined(with: $1) }
    }

    @Test(arguments: [
        (#"{"id": "a", "sum": 1}"#, #"{"id": "b"}"#),
        (#"{"id": "a", "sum": 1}"#, #"{"id": "b", "sum": 1.5}"#),
        (#"{"id": null}"#, #"{"id": {"x": [1, "a"]}}"#),
        ("[]", #"[{"a": 1}, {"b": true}]"#),
    ])
    func `a shape takes each value it is made of`(_ first: String, _ second: String) throws {
        let joined = try shape(first, second)

        #expect(try joined.takes(JSON(parsing: Array(first.utf8))))
        #expect(try joined.takes(JSON(parsing: Array(second.utf8))))
    }

    @Test(arguments: [(#"{"id": "a"}"#, #"{"id": 1}"#), (#"{"id": "a"}"#, "{}"), ("[1]", #"["a"]"#), ("1", "1.5"), ("1", "null")])
    func `a shape rejects what is of another kind`(_ made: String, _ other: String) throws {
        let shape = try shape(made)
        let value = try JSON(parsing: Array(other.utf8))

        #expect(!shape.takes(value))
    }

    @Test(arguments: [
        (
            #"{"id": "a", "at": "2026-01-12T09:15:00Z"}"#,
            #"{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"string","format":"date-time"}},"required":["id","at"]}"#
        ),
        (#"["2026-01-12", "2026-02-30"]"#, #"{"type":"array","items":{"type":"string"}}"#),
        (#"[1, 1.5, null]"#, #"{"type":"array","items":{"type":["null","number"]}}"#),
        (#""3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10""#, #"{"type":"string","format":"uuid"}"#),
        ("[]", #"{"type":"array"}"#),
        (#"["12.30", "-0.05"]"#, ##"{"type":"array","items":{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}}"##),
        (#"["12.30", "-7"]"#, ##"{"type":"array","items":{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}}"##),
        (#"["12.30", "12"]"#, #"{"type":"array","items":{"type":"string"}}"#),
    ])
    func `a shape is written as a schema`(_ value: String, _ schema: String) throws {
        #expect(try shape(value).schema.text == schema)
    }
}

extension SchemaShape {
    /// Whether the value fits: by the schema, formats left out.
    func takes(_ value: JSON) -> Bool {
        if isAnything { return true }
        if let constant, constant != value { return false }
        switch value {
        case .null: return kinds.contains(.null)
        case .bool: return kinds.contains(.boolean)
        case .number(let number): return kinds.contains(.number) || kinds.contains(.integer) && number.int64 != nil
        case .string: return kinds.contains(.string)
        case .array(let values):
            return kinds.contains(.array) && values.allSatisfy { value in elements.first?.takes(value) ?? true }
        case .object(let object):
            return kinds.contains(.object)
                && members.allSatisfy { member in object[member.name].map(member.shape.takes) ?? !member.isRequired }
        }
    }
}
