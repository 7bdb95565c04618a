import BankModel

/// A sentence about one run: an interpolated value differs from run to run, unless it is a phrase or marked as `fixed`.
package struct Phrase: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The sentence as users read it.
    package private(set) var text: String
    /// The sentence with `…` in place of each value: equal for runs that differ only in values.
    package private(set) var shape: String

    package init(stringLiteral value: String) {
        text = value
        shape = value
    }

    package init(stringInterpolation: Parts) { self = stringInterpolation.phrase }

    init(text: String, shape: String) {
        self.text = text
        self.shape = shape
    }

    /// A text that, as a whole, distinguishes one kind of sentence from another.
    init(fixed text: String) { self.init(stringLiteral: text) }

    package var description: String { text }

    var isEmpty: Bool { text.isEmpty }

    /// The parts of a literal, one after the other.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var phrase = Phrase(stringLiteral: "")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            phrase.text += literal
            phrase.shape += literal
        }

        /// A value that differs from run to run.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            phrase.text += "\(value)"
            phrase.shape += "…"
        }

        package mutating func appendInterpolation(_ part: Phrase) {
            phrase.text += part.text
            phrase.shape += part.shape
        }

        /// A word that distinguishes one kind of sentence from another, such as the name of an operation.
        package mutating func appendInterpolation(fixed word: String) { appendLiteral(word) }
    }

    static func + (first: Phrase, second: Phrase) -> Phrase { "\(first)\(second)" }
}

extension [Phrase] {
    /// The phrases in one, with this between them.
    func joined(separator: Phrase) -> Phrase {
        guard let first else { return "" }
        return dropFirst().reduce(first) { $0 + separator + $1 }
    }
}
