package import BankModel

/// A property that a request must have to match an operation.
package struct Condition: Sendable, Hashable {
    package var part: Part
    /// The name of a parameter, field or header; a dotted path in a JSON body; empty for a whole part.
    package var name: String
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
        /// The whole query as it was sent, without the `?`.
        case rawQuery = "raw_query"
        /// The names of the query's fields, sorted, each once: a list.
        case queryNames = "query_names"
        /// The whole body, which is JSON.
        case json
        /// The whole body as text.
        case text

        /// Whether the part is one value without names in it.
        package var isWhole: Bool { [.rawQuery, .queryNames, .json, .text].contains(self) }

        /// Whether the value is JSON, not text.
        package var isJSON: Bool { [.body, .json, .queryNames].contains(self) }
    }

    /// The value that a condition requires.
    package enum Wanted: Sendable, Hashable {
        /// Nothing, or JSON's null.
        case absent
        /// That value; objects match in any order, numbers by value.
        case value(JSON)
        /// A text, number or truth value that matches each pattern, in which `*` stands for any text. For an array or object
        /// the compact text is matched; an empty one matches nothing.
        case like([String])
    }
}

extension Condition.Wanted {
    /// Whether the value found satisfies the condition.
    package func holds(_ found: JSON?) -> Bool {
        switch self {
        case .absent: found == nil || found == .null
        case .value(let value): found == value
        case .like(let patterns): (found?.comparedText).map { text in patterns.allSatisfy { globMatches($0, text) } } ?? false
        }
    }

    /// The requirement in words.
    var text: String {
        switch self {
        case .absent: "nothing"
        case .value(let value): "`\(value.shownText)`"
        case .like(let patterns): patterns.map { "`\($0)`" }.joined(separator: " and ")
        }
    }
}

extension Condition {
    /// The part in words: `form field grant_type`.
    var place: String {
        switch part {
        case .path: "path parameter \(name)"
        case .query: "query field \(name)"
        case .header: "header \(name)"
        case .form: "form field \(name)"
        case .body: "body field \(name)"
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
        guard part == other.part, part == .header ? name.lowercased() == other.name.lowercased() : name == other.name else { return false }
        switch (wanted, other.wanted) {
        case (.value(let value), .like): return other.wanted.holds(value)
        case (.like(let mine), .like(let theirs)): return Set(theirs).subtracting(["*"]).isSubset(of: mine)
        default: return wanted == other.wanted
        }
    }
}

extension JSON {
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
