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
        if position.isEmpty { return path.isEmpty ? file == nil ? "body" : "a file without a name" : path }
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

extension Node {
    /// The text, if this is a scalar.
    package var scalar: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// True for a plain `null`, `~` or an empty value.
    package var isNull: Bool {
        if case .scalar(let text, quoted: false) = content { text.isEmpty || text == "null" || text == "~" } else { false }
    }

    /// The text; a complaint if this is not a scalar, or empty.
    package func text(_ complaints: Complaints, expected: String = "a text") -> String? {
        guard let scalar, !scalar.isEmpty else { return wrong(complaints, expected) }
        return scalar
    }

    /// The text, which may be empty; a complaint if this is not a scalar.
    package func anyText(_ complaints: Complaints) -> String? { scalar ?? wrong(complaints, "a text") }

    /// A whole number within the range.
    package func int(in range: ClosedRange<Int>, _ complaints: Complaints) -> Int? {
        let expected =
            range.upperBound == .max
            ? "a whole number, at least \(range.lowerBound)" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let scalar, let number = Int(scalar), range.contains(number) else { return wrong(complaints, expected) }
        return number
    }

    /// A number within the range; for probabilities and the like, never for money.
    package func double(in range: ClosedRange<Double>, _ complaints: Complaints) -> Double? {
        guard let scalar, let number = Double(scalar), range.contains(number) else {
            return wrong(complaints, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// `true` or `false`.
    package func bool(_ complaints: Complaints) -> Bool? {
        switch scalar {
        case "true": true
        case "false": false
        default: wrong(complaints, "true or false")
        }
    }

    /// A duration such as `250ms`, `30s`, `5m`, `2h`, `1d`, at most 100 years.
    package func duration(_ complaints: Complaints) -> Duration? {
        guard let scalar, let duration = Duration(text: scalar) else {
            return wrong(complaints, Duration.expectedText)
        }
        return duration
    }

    /// As ``duration(_:)``, or negative with a leading minus.
    package func signedDuration(_ complaints: Complaints) -> Duration? {
        guard let scalar, scalar.hasPrefix("-") else { return duration(complaints) }
        guard let duration = Duration(text: String(scalar.dropFirst())) else {
            return wrong(complaints, "a duration such as 30s or -5m, at most 36525d (100 years)")
        }
        return .zero - duration
    }

    /// An instant in RFC 3339.
    package func instant(_ complaints: Complaints) -> Instant? {
        guard let scalar, let instant = Instant(rfc3339: scalar) else {
            return wrong(complaints, "an instant such as 2026-01-12T09:15:00Z")
        }
        return instant
    }

    /// One of a closed set of words.
    package func choice<Word: RawRepresentable<String> & CaseIterable>(of type: Word.Type, _ complaints: Complaints) -> Word? {
        if let word = scalar.flatMap(Word.init) { return word }
        return choice(among: Word.allCases.map { $0.rawValue }, complaints).flatMap(Word.init)
    }

    /// One of a list of words; a complaint for any other.
    package func choice(among names: [String], _ complaints: Complaints) -> String? {
        guard let scalar else { return wrong(complaints, oneOf(names)) }
        if names.contains(scalar) { return scalar }
        let hint = didYouMean(scalar, among: names)
        return wrong(complaints, oneOf(names) + hint)
    }

    /// The list's elements; a complaint if this is not a list.
    package func elements(_ complaints: Complaints) -> [Node]? {
        guard case .list(let nodes) = content else { return wrong(complaints, "a list") }
        return nodes
    }

    /// The list's elements; a complaint if this is not a list, or one with fewer elements than that.
    package func elements(atLeast fewest: Int, _ complaints: Complaints) -> [Node]? {
        guard let nodes = elements(complaints) else { return nil }
        if nodes.count >= fewest { return nodes }
        let found = nodes.isEmpty ? "an empty list" : "a list of \(nodes.count)"
        complaints.add(found: found, expected: "a list of at least \(fewest)", at: position)
        return nil
    }

    package func texts(_ complaints: Complaints) -> [String]? {
        elements(complaints)?.compactMap { $0.text(complaints) }
    }

    /// Complains that something else was expected here, and returns nil.
    package func wrong<Value>(_ complaints: Complaints, _ expected: String) -> Value? {
        complaints.add(found: kindName, expected: expected, at: position)
        return nil
    }
}
