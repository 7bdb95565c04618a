import BankCore
import BankModel

/// The description of an operation's request: parameters of the path, the query and headers, and the body.
struct RequestDescription {
    let operation: Operation
    let tables: TableShapes
    let sample: Sample?

    /// A parameter (OpenAPI 3.1 §4.8.12).
    struct Parameter {
        var name: String
        var location: String
        var isRequired: Bool
        var about: String?
        var schema: JSON
        var example: JSON?

        var json: JSON {
            .object(known: [
                "name": .string(name), "in": .string(location), "required": .bool(isRequired), "description": about.map(JSON.string),
                "schema": schema, "example": example,
            ])
        }
    }

    /// In the order path, query, header; each name of a location once.
    var parameters: [Parameter] {
        var found = operation.path.parameters.map(pathParameter)
        for list in operation.lists {
            if let between = list.between {
                for case .query(let name)? in [between.from, between.to] {
                    let about = "An instant or a day, inclusive" + (between.ignoresZone ? "; its time zone is ignored." : ".")
                    found.append(query(name, about, RequestDescription.instantOrDay, required: between.required))
                }
            }
            if let near = list.near {
                for case .query(let name) in [near.point] {
                    let about = "latitude,longitude" + together(with: near.within)
                    found.append(query(name, about, ["type": "string", "pattern": .string(RequestDescription.point)]))
                }
                for case .query(let name) in [near.within] {
                    found.append(query(name, "Metres" + together(with: near.point), ["type": "number", "minimum": 0]))
                }
            }
            if let paging = list.paging { found += parameters(of: paging) }
        }
        for condition in operation.when where condition.part == .query || condition.part == .header {
            if let parameter = parameter(of: condition) { found.append(parameter) }
        }
        if let key = keyParameter { found.append(key) }
        for source in operation.sources {
            if case .query(let name) = source { found.append(query(name, nil, ["type": "string"])) }
            if case .header(let name) = source {
                found.append(Parameter(name: name, location: "header", isRequired: false, schema: ["type": "string"]))
            }
        }
        var seen: Set<String> = []
        return found.filter { seen.insert("\($0.location) \($0.location == "header" ? $0.name.lowercased() : $0.name)").inserted }
    }

    private static let instantOrDay: JSON = [
        "anyOf": [["type": "string", "format": "date-time"], ["type": "string", "format": "date"]]
    ]

    /// That a parameter depends on another: OpenAPI has no other way to express it.
    private func together(with other: ValueSource) -> String {
        guard case .query(let name) = other else { return "." }
        return "; requires `\(name)`."
    }

    /// Degrees, as a regular expression (ECMA-262).
    private static let point = #"^-?[0-8]?[0-9](\.[0-9]+)?,-?(1[0-7][0-9]|[0-9]?[0-9])(\.[0-9]+)?$"#

    private func pathParameter(_ name: String) -> Parameter {
        var schema: JSON = ["type": "string", "minLength": 1]
        if operation.key == .path(name), tables.bank.dialect.idempotency?.isUUID == true { schema = ["type": "string", "format": "uuid"] }
        return Parameter(
            name: name, location: "path", isRequired: true, about: operation.key == .path(name) ? "The idempotency key." : nil,
            schema: schema, example: sample?.draft[.path(name)]?.json)
    }

    private func query(_ name: String, _ about: String?, _ schema: JSON, required: Bool = false) -> Parameter {
        Parameter(
            name: name, location: "query", isRequired: required, about: about, schema: schema, example: sample?.draft[.query(name)]?.json)
    }

    private func parameters(of paging: Paging) -> [Parameter] {
        // The description of the body has the fields of one that is there.
        guard !paging.isInBody else { return [] }
        var found: [Parameter] = []
        switch paging.style {
        case .cursor, .linkHeader: found.append(query(paging.cursor, "The cursor of the page, from the previous page.", ["type": "string"]))
        case .sinceID: found.append(query(paging.cursor, "The id of the last row received.", ["type": "string"]))
        case .pageNumber: found.append(query(paging.cursor, "The page, from 1.", ["type": "integer", "minimum": 1]))
        case .offset: found.append(query(paging.cursor, "The number of rows before the page.", ["type": "integer", "minimum": 0]))
        }
        if let limit = paging.limit {
            let schema: JSON = ["type": "integer", "minimum": 1, "default": .int(paging.size)]
            found.append(query(limit, "Rows per page, at most \(paging.largest).", schema))
        }
        return found
    }

    private func parameter(of condition: Condition) -> Parameter? {
        guard case .value(let value) = condition.wanted else { return nil }
        return Parameter(
            name: condition.name, location: condition.part == .query ? "query" : "header", isRequired: true,
            schema: ["type": "string", "enum": [.string(value.plainText)]], example: .string(value.plainText))
    }

    private var keyParameter: Parameter? {
        guard case .header(let name)? = operation.key, let policy = tables.bank.dialect.idempotency else { return nil }
        let schema = JSON.object(known: [
            "type": "string", "minLength": 1, "maxLength": .int(policy.longest), "format": policy.isUUID ? "uuid" : nil,
            "pattern": policy.quoted == .required ? nil : "^[!#-~]+$",
        ])
        let quotes = policy.quoted == .either ? " It may be quoted (RFC 8941)." : ""
        return Parameter(
            name: name, location: "header", isRequired: policy.required,
            about: "The idempotency key: a retry with it receives the first response.\(quotes)", schema: schema,
            example: .string(RequestDescription.key))
    }

    private static let key = "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10"

    // MARK: body

    /// The body's type and shape; nil where the operation reads none.
    var body: (type: String, shape: SchemaShape, example: JSON?)? {
        guard let rule = operation.body else { return nil }
        var shape = SchemaShape(kinds: [.object])
        for condition in operation.when where condition.part == .form || condition.part == .body {
            if case .value(let value) = condition.wanted {
                shape.put(SchemaShape(kinds: SchemaShape(value).kinds, constant: value), at: condition.name, required: true)
            }
        }
        let isForm = rule.form == .form
        let sources = operation.sources.compactMap { source in
            switch source {
            case .form(let name): isForm ? name : nil
            case .body(let path): isForm ? nil : path
            default: nil
            }
        }
        for path in rule.required + rule.kinds.map(\.path) + sources {
            shape.put(self.shape(path, isForm), at: path, required: rule.required.contains(path))
        }
        return (isForm ? "application/x-www-form-urlencoded" : "application/json", shape, sample?.body)
    }

    private func shape(_ path: String, _ isForm: Bool) -> SchemaShape {
        if isForm { return .text }
        if let move = operation.move, move.amount == .body(path) { return move.unit.shape }
        if let kind = operation.body?.kind(of: path) { return kind.shape(path, operation) }
        if let rule = operation.body, rule.required.contains(where: { $0.hasPrefix(path + ".") }) { return SchemaShape(kinds: [.object]) }
        return .text
    }
}

extension SchemaShape {
    /// Puts a shape at a dotted path, if nothing stands there; with the objects on the way.
    mutating func put(_ shape: SchemaShape, at path: String, required: Bool) {
        let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = steps.first else { return }
        let position: Int
        if let index = members.firstIndex(where: { $0.name == first }) {
            position = index
        } else {
            members.append(Member(name: first, shape: steps.count == 2 ? SchemaShape(kinds: [.object]) : shape, isRequired: false))
            position = members.count - 1
        }
        if required { members[position].isRequired = true }
        if steps.count == 2 { members[position].shape.put(shape, at: steps[1], required: required) }
    }
}
