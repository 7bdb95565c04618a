import BankModel

extension Schema {
    /// A text that may be empty.
    static func words(_ phrase: String) -> Schema { .text(TextSchema(phrase, pattern: "[\\s\\S]*")) }

    /// A text of at least one character.
    static func text(_ phrase: String = "a text") -> Schema { .text(TextSchema(phrase)) }

    /// One of a closed list.
    static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable & SendableMetatype>(of type: Word.Type) -> Schema {
        Format<Word>.choice(of: type).schema
    }
}

extension Format<Node> {
    /// One value: fixed, or from a directive.
    static var source: Format { .node(TemplateKeys.source) }

    /// The shape of a body or a row, with directives anywhere in it.
    static var template: Format { .node(TemplateKeys.template) }

    /// A row by its table and its key.
    static var oneRow: Format { .node(.map(keys: "one table", TemplateKeys.source)) }
}
