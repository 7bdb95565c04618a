/// A piece of a settings file: a scalar, a list or a mapping, with its position.
///
/// YAML files and JSON requests are both parsed into nodes, and every reader of settings (banks, dialects, contracts, rules)
/// works on nodes. A scalar is text: the reader's schema decides its type (a number, a duration, money), never the file's
/// implicit typing.
package struct Node: Sendable {
    package enum Content: Sendable {
        /// A scalar's text; `quoted` distinguishes `"12"` from `12`, which matters for JSON shapes only.
        case scalar(String, quoted: Bool)
        case list([Node])
        case mapping([(key: Node, value: Node)])
    }

    package let content: Content
    package let position: SourcePosition

    package init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    package var kindName: String {
        switch content {
        case .scalar(let text, _): text.isEmpty ? "nothing" : "`\(text.prefix(60))`"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// A position: a line and column of a file, or a path of keys in a request's body.
package struct SourcePosition: Sendable, Hashable, CustomStringConvertible {
    package var file: String?
    /// From 1; nil if only the path of keys is known.
    package var line: Int?
    package var column: Int?
    /// The keys of the path, such as `fault.lose-reply.by`.
    package var path: String

    package init(file: String? = nil, line: Int? = nil, column: Int? = nil, path: String = "") {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
    }

    package var description: String {
        let position = [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        if position.isEmpty { return path.isEmpty ? "body" : path }
        return line == nil && !path.isEmpty ? "\(position): \(path)" : position
    }

    /// The position of a member below this one.
    package func member(_ key: String) -> SourcePosition {
        var position = self
        position.path = path.isEmpty ? key : "\(path).\(key)"
        return position
    }
}

extension Node {
    /// The node of a JSON value, as for settings sent in a request; positions are paths of keys.
    package init(_ json: JSON, at position: SourcePosition = SourcePosition()) {
        switch json {
        case .null: self.init(.scalar("null", quoted: false), at: position)
        case .bool(let value): self.init(.scalar(String(value), quoted: false), at: position)
        case .number(let number): self.init(.scalar(number.digits, quoted: false), at: position)
        case .string(let text): self.init(.scalar(text, quoted: true), at: position)
        case .array(let elements):
            self.init(.list(elements.enumerated().map { Node($1, at: position.member(String($0))) }), at: position)
        case .object(let object):
            let members = object.members.map { member in
                let inner = position.member(member.key)
                return (key: Node(.scalar(member.key, quoted: true), at: inner), value: Node(member.value, at: inner))
            }
            self.init(.mapping(members), at: position)
        }
    }

    /// The node as JSON: quoted scalars are texts; plain ones null, true, false or numbers if they spell one.
    package var json: JSON {
        switch content {
        case .scalar(let text, quoted: true): .string(text)
        case .scalar(let text, quoted: false):
            switch text {
            case "", "null", "~": .null
            case "true": true
            case "false": false
            default: JSONNumber(text).map(JSON.number) ?? .string(text)
            }
        case .list(let nodes): .array(nodes.map(\.json))
        case .mapping(let members): .object(JSONObject(members.map { (key: $0.key.scalar ?? "", value: $0.value.json) }))
        }
    }
}
