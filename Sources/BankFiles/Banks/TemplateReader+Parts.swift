import BankCore
import BankModel

/// The sources of texts that have settings or their own language.
extension TemplateReader {
    func date(_ node: Node) -> ValueSource? {
        let fields = Fields(node, of: DateKeys.schema, complaints)
        let format = fields[DateKeys.format]
        let offset = fields[DateKeys.offset] ?? .zero
        fields.finish()
        guard let format, let text = format.text(complaints) else { return nil }
        guard let pattern = DatePattern(text) else {
            return format.wrong(complaints, "the letters y M d E H h m s S a Z X, text in single quotes, or `epoch` or `unix`")
        }
        return .date(pattern, offset: offset)
    }

    func lacking(_ node: Node) -> ValueSource? {
        guard let words = node.scalar,
            words.split(separator: "{", omittingEmptySubsequences: false).dropFirst().contains(where: { $0.hasPrefix("scope}") })
        else { return node.wrong(complaints, "a text with {scope} in it") }
        return .lacking(words)
    }

    func random(_ node: Node) -> ValueSource? {
        let fields = Fields(node, of: RandomKeys.schema, complaints)
        let (alphabet, length) = (fields[RandomKeys.alphabet]?.text(complaints), fields[RandomKeys.length])
        fields.finish()
        guard let alphabet, let length else { return nil }
        return .random(alphabet: alphabet, length: length)
    }

    func jsonPath(_ text: String, at position: SourcePosition) -> ValueSource? {
        do throws(PatternError) { return .jsonPath(try JSONPath(text)) } catch {
            complaints.add("in the path `\(text)` \(error)", at: position)
            return nil
        }
    }

    /// Warns of a text with `{query.state}` or the like in it, which is sent with its braces: texts are not templates.
    func warnOfBraces(_ node: Node) {
        guard let text = node.scalar, let braces = text.firstMatch(of: #/\{[A-Za-z_][A-Za-z0-9_.:-]*\}/#) else { return }
        loader.complaints.warn(
            "found `\(braces.output)` inside a text, which is sent unchanged, expected a directive as the whole value, such as "
                + "{query: state} (or `{literal: …}`, for literal braces)", at: node.position)
    }
}

/// Values that a movement of money gives.
extension TemplateReader {
    /// A property of an event, or values by its kind.
    func event(_ node: Node) -> ValueSource.EventField? {
        guard case .mapping = node.content else { return node.choice(of: BankEvent.Property.self, complaints).map { .property($0) } }
        let kinds = Fields(node, of: "the kinds of events", complaints).all.compactMap { _, keyNode, value in
            keyNode.choice(of: BankEvent.Kind.self, complaints).map { ($0, value.json) }
        }
        return .byKind(Dictionary(kinds) { $1 })
    }

    /// The properties of one side of a movement.
    func side(_ node: Node) -> ValueSource.SideField? {
        if let text = node.scalar {
            if text == "account" { return .account }
            for (prefix, field) in TemplateReader.otherSides where text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count {
                return field(String(text.dropFirst(prefix.count)))
            }
            return node.wrong(
                complaints,
                "`account`, `other.`, `payer.` or `payee.` and a field of the other side's row, {debit: …, credit: …} or {other: {TABLE: …}}"
            )
        }
        let fields = Fields(node, of: "a side", complaints)
        if let other = fields["other"] {
            let tables = Fields(other, of: "the tables of the other side", complaints).all
            for (table, keyNode, _) in tables where table != Movement.Account.outside { loader.require(table: table, at: keyNode.position) }
            fields.finish()
            return .otherTable(Dictionary(tables.map { ($0.key, fixed($0.value)) }) { $1 })
        }
        let (debit, credit) = (fields.required("debit"), fields.required("credit"))
        fields.finish()
        guard let debit, let credit else { return nil }
        return .direction(debit: fixed(debit), credit: fixed(credit))
    }

    /// Fields of the other side's row: always, only if it pays, only if it is paid.
    private static let otherSides: [(prefix: String, field: @Sendable (String) -> ValueSource.SideField)] = [
        ("other.", { .other($0) }), ("payer.", { .payer($0) }), ("payee.", { .payee($0) }),
    ]

    /// A value that is sent as it is written: a directive there would reach the client.
    private func fixed(_ node: Node) -> JSON {
        if case .mapping(let members) = node.content, let directive = directive(members) {
            complaints.add(
                found: "{\(directive): …}", expected: "a fixed value; {move: signed} is an amount with a sign", at: node.position)
        }
        return node.json
    }
}

extension TemplateReader {
    /// Rows by their tables and keys.
    func parents(_ node: Node) -> [Operation.Parent] {
        Fields(node, of: "a list of tables", complaints).all.compactMap { table, keyNode, value in
            loader.require(table: table, at: keyNode.position)
            return source(value).map { Operation.Parent(table: table, key: $0) }
        }
    }

    /// One row, by its table and key.
    func parent(_ node: Node) -> Operation.Parent? {
        guard case .mapping(let members) = node.content, members.count != 1 else { return parents(node).first }
        return node.wrong(complaints, "one table and its row's key")
    }

    /// How a list is divided into pages.
    func paging(_ node: Node) -> Paging? {
        let fields = Fields(node, of: PageKeys.schema, complaints)
        let style = fields[PageKeys.style]
        let cursor = fields[PageKeys.cursor]
        let limit = fields[PageKeys.limit]
        let part = fields[PageKeys.part] ?? .query
        let sizeNode = fields[PageKeys.size]
        let given = sizeNode?.int(in: PageKeys.sizes, complaints)
        let size = given ?? 30
        // `largest` is not reported if the size itself is wrong.
        let largest =
            fields[PageKeys.largest]?.int(in: (sizeNode != nil && given == nil ? 1 : size)...PageKeys.sizes.upperBound, complaints)
            ?? max(size, 100)
        fields.finish()
        guard let style, let cursor else { return nil }
        if part == .body {
            requireBody(.json, for: cursor, at: node.position)
            if style == .linkHeader {
                complaints.add(found: "link-header", expected: "another style: an address has no body", at: node.position)
            }
        }
        var paging = Paging(style: style, cursor: cursor, limit: limit, size: size, largest: largest)
        paging.isInBody = part == .body
        return paging
    }
}
