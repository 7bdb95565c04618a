/// How a value is written in a file or a request: its schema, the reader that follows it, and the writer where there is one.
package struct Format<Value: Sendable>: Sendable {
    package let schema: Schema
    /// The value; nil and a complaint if something else stands there.
    package let read: @Sendable (Node, Complaints) -> Value?
    /// The value as it would be written; nil if nothing writes it.
    package let write: (@Sendable (Value) -> JSON)?

    package init(
        _ schema: Schema, read: @escaping @Sendable (Node, Complaints) -> Value?, write: (@Sendable (Value) -> JSON)? = nil
    ) {
        self.schema = schema
        self.read = read
        self.write = write
    }
}

extension Format<Node> {
    /// A value that its reader can read only together with others: the node itself, unless it is a list with too few elements.
    package static func node(_ schema: Schema) -> Format {
        Format(
            schema,
            read: { node, complaints in
                guard case .list(_, let fewest) = schema, case .list = node.content else { return node }
                return node.elements(atLeast: fewest, complaints).map { _ in node }
            }, write: { $0.json })
    }
}

extension Format<String> {
    /// Any scalar that is not empty.
    package static func text(_ expected: String = "a text") -> Format {
        Format(.text(TextSchema(expected)), read: { $0.text($1, expected: expected) }, write: { .string($0) })
    }

    /// One of a list of words that only the program knows.
    package static func choice(among words: [String]) -> Format {
        Format(.words(words), read: { $0.choice(among: words, $1) }, write: { .string($0) })
    }
}

extension Format<Int> {
    package static func int(in range: ClosedRange<Int>) -> Format {
        Format(.integer(range), read: { $0.int(in: range, $1) }, write: { .int($0) })
    }
}

extension Format<Double> {
    /// For probabilities and the like, never for money.
    package static func double(in range: ClosedRange<Double>) -> Format {
        Format(.number(range), read: { $0.double(in: range, $1) }, write: { .double($0) })
    }
}

extension Format<Bool> {
    package static var bool: Format { Format(.bool, read: { $0.bool($1) }, write: { .bool($0) }) }
}

extension Format<Duration> {
    package static var duration: Format {
        Format(
            .text(TextSchema("a duration such as `250ms`, `30s`, `5m`, `2h` or `1d`", pattern: Duration.pattern)),
            read: { $0.duration($1) }, write: { .string($0.shortText) })
    }

    /// With a minus in front where it may go back.
    package static var signedDuration: Format {
        Format(
            .text(TextSchema("a duration such as `30s` or `-5m`", pattern: "-?" + Duration.pattern)),
            read: { $0.signedDuration($1) }, write: { .string($0.shortText) })
    }
}

extension Duration {
    /// The texts that ``init(text:)`` reads, but for their limit.
    fileprivate static var pattern: String { "[0-9]+(ms|s|m|h|d)" }
}

extension Format<Instant> {
    package static var instant: Format {
        Format(.text(TextSchema("an instant such as `2026-01-12T09:15:00Z`")), read: { $0.instant($1) }, write: { .string($0.rfc3339()) })
    }
}

extension Format<[String]> {
    /// A list of texts; those that are none are complained of and left out.
    package static func texts(_ expected: String = "a text", atLeast: Int = 0) -> Format {
        Format(
            .list(.text(TextSchema(expected)), atLeast: atLeast),
            read: { node, complaints in node.elements(atLeast: atLeast, complaints)?.compactMap { $0.text(complaints) } },
            write: { .array($0.map(JSON.string)) })
    }
}

extension Format where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// One of a closed list of words.
    package static func choice(of type: Value.Type) -> Format {
        Format(
            .words(Value.allCases.map { $0.rawValue }), read: { $0.choice(of: Value.self, $1) }, write: { .string($0.rawValue) })
    }
}

extension Format {
    /// A mapping with known keys. The reader gets its fields and must ask for each of them; unknown keys are complained of.
    package static func object(
        _ schema: ObjectSchema, read: @escaping @Sendable (Fields, Complaints) -> Value?, write: (@Sendable (Value) -> JSON)? = nil
    ) -> Format {
        Format(
            .object(schema),
            read: { node, complaints in
                let fields = Fields(node, of: schema, complaints)
                let value = read(fields, complaints)
                fields.finish()
                return value
            }, write: write)
    }

    /// A list; nil if one of its elements is wrong.
    package static func list<Element>(of element: Format<Element>, atLeast: Int = 0) -> Format where Value == [Element] {
        Format(
            .list(element.schema, atLeast: atLeast),
            read: { node, complaints in
                guard let nodes = node.elements(atLeast: atLeast, complaints) else { return nil }
                let values = nodes.compactMap { element.read($0, complaints) }
                return values.count == nodes.count ? values : nil
            },
            write: element.write.map { (write: @escaping @Sendable (Element) -> JSON) in
                { @Sendable (values: Value) in .array(values.map(write)) }
            })
    }
}
