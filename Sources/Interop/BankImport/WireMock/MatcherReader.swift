import BankCore
import BankModel

/// Reads what a text must be: one of WireMock's matchers, such as `{"equalTo": "a"}`.
struct MatcherReader {
    let notes: ImportNotes

    /// What the text must satisfy; nil if it cannot be converted, which is then noted.
    ///
    /// - Parameter modifiers: keys beside the matcher that the caller has read.
    func wanted(_ piece: LocatedJSON, modifiers: Set<String> = []) -> Condition.Wanted? {
        guard piece.json.object != nil else { return notes.wrong(piece, expected: "a matcher such as {\"equalTo\": \"a\"}") }
        let wanted = piece.members.flatMap { key, value -> [Condition.Wanted] in
            if modifiers.contains(key) || MatcherReader.modifiers.contains(key) { return [] }
            return one(key, value, beside: piece).map { [$0] } ?? []
        }
        return wanted.count > 1 ? .all(wanted) : wanted.first
    }

    /// What belongs to a matcher.
    private static let modifiers: Set<String> = [
        "caseInsensitive", "ignoreArrayOrder", "ignoreExtraElements", "schemaVersion",
    ]

    private func one(_ key: String, _ value: LocatedJSON, beside piece: LocatedJSON) -> Condition.Wanted? {
        switch key {
        case "equalTo":
            guard let text = text(value) else { return nil }
            return notes.flag(piece["caseInsensitive"]) ? matched("(?i)" + TextPattern.escaped(text), value) : .value(.string(text))
        case "contains": return text(value).flatMap { contained($0, value) }
        case "doesNotContain": return text(value).flatMap { contained($0, value) }.map { .not($0) }
        case "matches": return text(value).flatMap { matched($0.dottingAll, value) }
        case "doesNotMatch": return text(value).flatMap { matched($0.dottingAll, value) }.map { .not($0) }
        case "absent": return notes.flag(value) ? .absent : .like(["*"])
        case "and": return several(value).map(Condition.Wanted.all)
        case "or": return several(value).map(Condition.Wanted.any)
        case "not": return wanted(value).map { .not($0) }
        case "includes": return several(value).map { .values($0, exactly: false) }
        case "hasExactly": return several(value).map { .values($0, exactly: true) }
        case "equalToJson": return likeness(value, beside: piece)
        case "matchesJsonPath": return path(value)
        case "matchesJsonSchema": return schema(value)
        default: return notes.nothing(.leftOut, value, "the matcher `\(key)` is not supported")
        }
    }

    private func text(_ piece: LocatedJSON) -> String? { piece.json.string ?? (piece.json.number?.digits) ?? notes.text(piece) }

    private func several(_ piece: LocatedJSON) -> [Condition.Wanted]? {
        guard !piece.elements.isEmpty else { return notes.wrong(piece, expected: "a list of matchers") }
        let wanted = piece.elements.compactMap { self.wanted($0) }
        return wanted.count == piece.elements.count ? wanted : nil
    }

    /// A text that has this one in it.
    func contained(_ text: String, _ piece: LocatedJSON) -> Condition.Wanted? {
        text.contains("*") ? matched("(?s).*\(TextPattern.escaped(text)).*", piece) : .like(["*\(text)*"])
    }

    /// A regular expression for the whole text.
    func matched(_ expression: String, _ piece: LocatedJSON) -> Condition.Wanted? {
        guard let pattern = notes.pattern(expression, piece) else { return nil }
        return pattern.literal.map { .value(.string($0)) } ?? .matches(pattern)
    }

    /// What a body must be: a mapping's `bodyPatterns`.
    func conditions(ofBody patterns: [LocatedJSON]) -> [Condition] {
        var texts: [Condition.Wanted] = []
        var conditions: [Condition] = []
        for wanted in patterns.compactMap({ self.wanted($0) }) {
            // A text in a document may be a placeholder, which matches other values.
            if case .alike(let likeness) = wanted, !likeness.allowsMore, !likeness.anyOrder, conditions.isEmpty,
                !likeness.document.text.contains("${json-unit.")
            {
                conditions.append(Condition(.json, .value(likeness.document)))
            } else {
                texts.append(wanted)
            }
        }
        if let first = texts.first { conditions.append(Condition(.text, texts.count == 1 ? first : .all(texts))) }
        return conditions
    }

    // MARK: JSON

    private func likeness(_ piece: LocatedJSON, beside pattern: LocatedJSON) -> Condition.Wanted? {
        guard let document = document(piece) else { return nil }
        return .alike(
            JSONLikeness(
                document, allowsMore: notes.flag(pattern["ignoreExtraElements"]), anyOrder: notes.flag(pattern["ignoreArrayOrder"])))
    }

    /// The document itself, or the one in a text.
    func document(_ piece: LocatedJSON) -> JSON? {
        guard let text = piece.json.string else { return piece.json }
        do throws(JSONError) { return try JSON(parsing: text) } catch {
            notes.complaints.add(
                "in its text at \(error.line):\(error.column) found \(error.found), expected \(error.expected)",
                at: SourcePosition(file: piece.file, path: piece.path))
            return nil
        }
    }

    private func path(_ piece: LocatedJSON) -> Condition.Wanted? {
        let expression = piece["expression"] ?? piece
        guard let text = notes.text(expression) else { return nil }
        do throws(PatternError) {
            let path = try JSONPath(text)
            if piece["expression"] == nil { return .at(path, .like(["*"])) }
            return wanted(piece, modifiers: ["expression"]).map { .at(path, $0) }
        } catch {
            return notes.nothing(.leftOut, expression, "in this JSON path \(error)")
        }
    }

    private func schema(_ piece: LocatedJSON) -> Condition.Wanted? {
        guard let document = document(piece) else { return nil }
        do throws(JSONSchemaError) { return .schema(try JSONSchema(document)) } catch {
            return notes.nothing(.leftOut, piece, "in this schema \(error)")
        }
    }
}

extension ImportNotes {
    /// The regular expression; nil if it is not supported, which is then noted.
    func pattern(_ expression: String, _ piece: LocatedJSON) -> TextPattern? {
        do throws(PatternError) { return try TextPattern(expression) } catch {
            return nothing(.leftOut, piece, "in this expression \(error)")
        }
    }
}

extension String {
    /// The expression with dots that match line ends too, as WireMock's do.
    fileprivate var dottingAll: String { contains(".") ? "(?s)" + self : self }
}
