package import BankModel

/// A property that a request must have to match an operation.
package struct Condition: Sendable, Hashable {
    package let part: Part
    /// The name of a parameter, field, header or variable; a dotted path in a JSON body; empty for a whole part.
    package let name: String
    package var wanted: Wanted

    package init(_ part: Part, _ name: String, _ wanted: Wanted) {
        self.part = part
        self.name = name
        self.wanted = wanted
    }

    /// A condition on a whole part.
    package init(_ part: Part, _ wanted: Wanted) { self.init(part, "", wanted) }

    /// The part of a request to which a condition applies.
    package enum Part: String, Sendable, CaseIterable {
        /// A parameter of the path, decoded.
        case path
        /// A field of the query.
        case query
        case header
        /// A field of a form body.
        case form
        /// A dotted path into a JSON body.
        case body
        /// A state of the session, which operations set with `then`.
        case state
        /// The whole path as it was sent.
        case rawPath = "raw_path"
        /// Path and query as they were sent.
        case url
        /// The whole query as it was sent, without the `?`.
        case rawQuery = "raw_query"
        /// The names of the query's fields, sorted, each once: a list.
        case queryNames = "query_names"
        /// The whole body, which is JSON.
        case json
        /// The whole body as text.
        case text

        /// Whether the part is one value without names in it.
        package var isWhole: Bool { [.rawPath, .url, .rawQuery, .queryNames, .json, .text].contains(self) }

        /// Whether the value is JSON, not text.
        package var isJSON: Bool { [.body, .json, .queryNames].contains(self) }
    }

    /// The value that a condition requires.
    package enum Wanted: Sendable, Hashable {
        /// Nothing, or JSON's null.
        case absent
        /// That value; objects match in any order, numbers by value.
        case value(JSON)
        /// A string, number or boolean that matches each pattern, in which `*` stands for any text. For an array or object
        /// the compact text is matched; an empty one matches nothing.
        case like([String])
        /// A string, number or boolean that matches the whole expression.
        case matches(TextPattern)
        /// Whatever satisfies one of them.
        indirect case any([Wanted])
        /// Whatever satisfies all of them.
        indirect case all([Wanted])
        /// A value that is there and does not satisfy it.
        indirect case not(Wanted)
        /// Each is satisfied by one of a field's values; with `exactly` the field has as many.
        indirect case values([Wanted], exactly: Bool)
        /// JSON, or a text of JSON, in which what the path leads to satisfies this: compared as text, and of a list one element.
        indirect case at(JSONPath, Wanted)
        /// JSON, or a text of JSON, like this document.
        case alike(JSONLikeness)
        /// JSON, or a text of JSON, of this schema.
        case schema(JSONSchema)
    }

    /// The part in words: `form field grant_type`.
    var location: String {
        switch part {
        case .path: "path parameter \(name)"
        case .query: "query field \(name)"
        case .header: "header \(name)"
        case .form: "form field \(name)"
        case .body: "body field \(name)"
        case .state: "state \(name)"
        case .rawPath: "path"
        case .url: "path and query"
        case .rawQuery: "query"
        case .queryNames: "names of the query's fields"
        case .json: "JSON body"
        case .text: "body"
        }
    }

    /// Whether the value may be a secret, which no message repeats.
    var isSecret: Bool { part == .header && ["authorization", "proxy-authorization", "cookie"].contains(name.lowercased()) }

    /// Whether every request that satisfies this condition satisfies the other too.
    package func implies(_ other: Condition) -> Bool {
        guard part == other.part, part == .header ? name.isHeaderName(other.name) : name == other.name else { return false }
        switch (wanted, other.wanted) {
        case (.value(let value), .like), (.value(let value), .matches), (.value(let value), .any), (.value(let value), .all),
            (.value(let value), .not):
            return other.wanted.holds(value)
        case (.all(let parts), _) where parts.contains { Condition(part, name, $0).implies(other) }: return true
        case (.like(let mine), .like(let theirs)): return Set(theirs).subtracting(["*"]).isSubset(of: mine)
        default: return wanted == other.wanted
        }
    }
}

extension Condition.Wanted {
    /// Whether the value found satisfies the condition.
    package func holds(_ found: JSON?) -> Bool {
        switch self {
        case .absent: found == nil || found == .null
        case .value(let value): found == value
        case .like(let patterns): (found?.comparedText).map { text in patterns.allSatisfy { globMatches($0, text) } } ?? false
        case .matches(let pattern): (found?.comparedText).map(pattern.matches) ?? false
        case .any(let parts): parts.contains { $0.holds(found) }
        case .all(let parts): parts.allSatisfy { $0.holds(found) }
        case .not(let part): found != nil && found != .null && !part.holds(found)
        case .values: holds(found.map { [$0] } ?? [])
        case .at(let path, let part): found.map { part.holds($0.document.map(path.find) ?? .nothing) } ?? false
        case .alike(let likeness): found?.document.map(likeness.fits) ?? false
        case .schema(let schema): found?.document.map(schema.fits) ?? false
        }
    }

    /// Whether the values of a field satisfy the condition; for most one of them must.
    func holds(_ values: [JSON]) -> Bool {
        if case .any(let parts) = self { return parts.contains { $0.holds(values) } }
        guard case .values(let parts, let exactly) = self else {
            return values.isEmpty ? holds(nil as JSON?) : values.contains { holds($0) }
        }
        return !values.isEmpty && (!exactly || values.count == parts.count)
            && parts.allSatisfy { part in values.contains { part.holds($0) } }
    }

    /// Whether what a path leads to satisfies the condition. `*` matches anything but null and an empty list or object.
    private func holds(_ found: JSONPath.Selection) -> Bool {
        switch self {
        case .like(["*"]): found.isPresent
        case .alike, .schema, .at: holds(found.whole)
        default: holds(found.texts.map(JSON.string))
        }
    }

    /// Whether it is about JSON alone: the body need not be parsed for each such condition.
    var isOfDocument: Bool {
        switch self {
        case .at, .alike, .schema: true
        case .any(let parts), .all(let parts), .values(let parts, _): parts.allSatisfy(\.isOfDocument)
        case .not(let part): part.isOfDocument
        case .absent, .value, .like, .matches: false
        }
    }

    /// The requirement in words.
    var text: String {
        switch self {
        case .absent: "nothing"
        case .value(let value): "`\(value.shownText)`"
        case .like(let patterns): patterns.map { "`\($0)`" }.joined(separator: " and ")
        case .matches(let pattern): "a text that matches `\(pattern.source)`"
        case .any(let parts): parts.map(\.text).joined(separator: " or ")
        case .all(let parts): parts.map(\.text).joined(separator: " and ")
        case .not(let part): "a value other than \(part.text)"
        case .values(let parts, let exactly): (exactly ? "just " : "") + parts.map(\.text).joined(separator: " and ")
        case .at(let path, .like(["*"])): "JSON with \(path.source)"
        case .at(let path, let part): "JSON with \(part.text) at \(path.source)"
        case .alike(let likeness): "JSON like `\(likeness.document.shownText)`"
        case .schema: "JSON of the schema"
        }
    }
}

extension JSON {
    /// A text's document; any other value as it is. Nil for a text that is not JSON.
    fileprivate var document: JSON? {
        guard case .string(let text) = self else { return self }
        return try? JSON(parsing: text)
    }

    /// The text that is matched with a pattern; nil for a missing or empty value.
    fileprivate var comparedText: String? {
        switch self {
        case .null: nil
        case .array(let elements): elements.isEmpty ? nil : text
        case .object(let object): object.members.isEmpty ? nil : text
        case .string, .number, .bool: plainText
        }
    }

    /// The value in a message, truncated if it is long.
    var shownText: String {
        let text = if case .string(let text) = self { text } else { text }
        return text.count > 80 ? "\(text.prefix(80))…" : text
    }
}
