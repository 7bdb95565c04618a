import BankCore
import BankModel

/// What a header must be, as Pact compares it: value by value, and for `Accept` and `Content-Type` parameter by parameter.
struct PactHeader {
    let name: String
    /// The values between the header's commas.
    let values: [String]

    init(_ name: String, _ texts: [String]) {
        self.name = name.lowercased()
        values = texts.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(\.trimmed)
    }

    /// Whether parameters after a `;` are compared apart: in any order, without regard to case, and others may be there too.
    var hasParameters: Bool { name == "accept" || name == "content-type" }

    /// The expressions that the header must fit if it comes in one line.
    var expressions: [String] {
        guard values.count == 1, hasParameters else {
            return [values.map { hasParameters ? PactHeader.ordered($0) : TextPattern.escaped($0) }.joined(separator: "\\s*,\\s*")]
        }
        let parts = PactHeader.parts(values[0])
        return [TextPattern.escaped(parts.type) + "\\s*(;[^,]*)?"] + parts.parameters.map { "[^,]*;\\s*\($0)\\s*(;[^,]*)?" }
    }

    /// Whether a value of several has parameters, whose order is compared then.
    var isOrdered: Bool { hasParameters && values.count > 1 && values.contains { PactHeader.parts($0).parameters.count > 1 } }

    /// A value whose parameters come in this order.
    private static func ordered(_ value: String) -> String {
        let parts = parts(value)
        return ([TextPattern.escaped(parts.type)] + parts.parameters).joined(separator: "\\s*;\\s*") + "\\s*(;[^,]*)?"
    }

    /// The value without its parameters, and the expressions of these.
    private static func parts(_ value: String) -> (type: String, parameters: [String]) {
        let parts = value.split(separator: ";").map(\.trimmed).filter { !$0.isEmpty }
        let parameters = parts.dropFirst().compactMap { part -> String? in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            return TextPattern.escaped(sides[0].trimmed) + "\\s*=\\s*" + caseless(sides[1].trimmed)
        }
        return (parts.first ?? "", parameters)
    }

    /// An expression for a text in upper and lower case.
    private static func caseless(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            let (upper, lower) = (letter.uppercased(), letter.lowercased())
            result += upper == lower ? TextPattern.escaped(String(letter)) : "[\(upper)\(lower)]"
        }
    }
}
