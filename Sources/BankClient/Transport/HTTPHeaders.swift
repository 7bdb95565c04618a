import BankModel

/// Header lines in order; names compare without case (RFC 9110 §5.1).
package struct HTTPHeaders: Sendable, Hashable {
    /// One line of a head.
    package struct Line: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    package private(set) var lines: [Line] = []

    package init() {}

    package var isEmpty: Bool { lines.isEmpty }

    package mutating func append(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }

    /// The first value of that name. Setting replaces all lines of the name; nil removes them.
    package subscript(_ name: String) -> String? {
        get { lines.first { $0.name.isHeaderName(name) }?.value }
        set {
            lines.removeAll { $0.name.isHeaderName(name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// All values of that name, in order.
    package func values(_ name: String) -> [String] { lines.filter { $0.name.isHeaderName(name) }.map(\.value) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { append(name, value) }
    }
}
