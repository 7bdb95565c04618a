extension Schema {
    /// The schema as it stands in an OpenAPI document: mappings with known keys are references to its components.
    package var component: JSON { json().withComponents }

    /// The components of these schemas, by name: every mapping with known keys in them (OpenAPI 3.1 §4.8.7).
    package static func components(of schemas: [Schema]) -> JSON { JSON.object(Schema.anyOf(schemas).definitions).withComponents }
}

extension JSON {
    /// The same with references to an OpenAPI document's components in place of those to `definitions`.
    fileprivate var withComponents: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withComponents))
        case .object(let object):
            .object(
                JSONObject(
                    unique: object.members.map { member in
                        guard member.key == "$ref", let reference = member.value.string else {
                            return (key: member.key, value: member.value.withComponents)
                        }
                        return (key: member.key, value: .string(reference.replacing("#/definitions/", with: "#/components/schemas/")))
                    }))
        default: self
        }
    }
}
