/// The fields of a query, or of a body of type `application/x-www-form-urlencoded`, in their order (WHATWG URL §5).
package struct FormFields: Sendable, Hashable {
    package var all: [Field]
    /// The name of the first field with broken escapes, for messages: cut if it is long, as written if it is broken itself.
    package private(set) var firstBroken: String?

    /// Whether the escapes of a field are broken.
    package var isBroken: Bool { firstBroken != nil }

    /// A name and its value, with their escapes removed.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What becomes of a field whose escapes are broken.
    package enum BrokenFields: Sendable {
        case keptAsWritten
        case leftOut
    }

    /// Reads a text without a question mark in front; `broken` says what becomes of fields whose escapes are broken.
    package init(_ text: some StringProtocol, broken: BrokenFields = .keptAsWritten) {
        all = []
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (parts[0], parts.count > 1 ? parts[1] : "")
            let decoded = (percentDecoded(name, plusIsSpace: true), percentDecoded(value, plusIsSpace: true))
            if decoded.0 == nil || decoded.1 == nil {
                firstBroken = firstBroken ?? (decoded.0 ?? String(name)).echoed
                if broken == .leftOut { continue }
            }
            all.append(Field(decoded.0 ?? String(name), decoded.1 ?? String(value)))
        }
    }

    /// The query's fields of an address; what follows a `#` is not among them.
    package init(ofAddress address: String) {
        let withoutFragment = address.prefix { $0 != "#" }
        self.init(withoutFragment.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? "")
    }

    /// The first value of that name.
    package subscript(_ name: String) -> String? { all.first { $0.name == name }?.value }

    package func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// Every name once.
    package var names: Set<String> { Set(all.map(\.name)) }

    /// The names that two or more fields have.
    package var repeated: Set<String> {
        var known: Set<String> = []
        return Set(all.map(\.name).filter { !known.insert($0).inserted })
    }

    /// As a query is written.
    package var text: String { formEncoded(all.map { (name: $0.name, value: $0.value) }) }
}
