import BankModel

extension SchemaShape {
    /// The shape as a JSON Schema (draft 2020-12, which OpenAPI 3.1 speaks).
    var schema: JSON {
        if isAnything { return .object(JSONObject()) }
        var object = JSONObject()
        let names = Kind.allCases.filter(kinds.contains).map { JSON.string($0.rawValue) }
        if names.count == 1 { object["type"] = names[0] }
        if names.count > 1 { object["type"] = .array(names) }
        object["const"] = constant
        if let format = Format.allCases.first(where: formats.contains), kinds.contains(.string) {
            if format == .amount { object["pattern"] = .string(AmountText.pattern) } else { object["format"] = .string(format.rawValue) }
        }
        if let elements = elements.first { object["items"] = elements.schema }
        if !members.isEmpty {
            object["properties"] = .object(JSONObject(members.map { (key: $0.name, value: $0.shape.schema) }))
            let required = members.filter(\.isRequired).map { JSON.string($0.name) }
            if !required.isEmpty { object["required"] = .array(required) }
        }
        return .object(object)
    }

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
