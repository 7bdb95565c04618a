import BankModel

extension Format<[String]> {
    /// A list of texts; those that are none are complained of and left out.
    static func texts(_ expected: String = "a text") -> Format {
        Format(.list(.text(TextSchema(expected)), atLeast: 0), read: { $0.texts($1) }, write: { .array($0.map(JSON.string)) })
    }
}

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
