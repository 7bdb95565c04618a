package import BankModel

/// The kind of a JSON value, and the format of a string; reports contain these, never the value itself.
package enum ValueKind: Sendable, Hashable {
    case null
    case truthValue
    case wholeNumber
    /// A number with a decimal point or an exponent.
    case fraction
    case text(TextForm)
    case array
    case object

    package init(_ value: JSON) {
        self =
            switch value {
            case .null: .null
            case .bool: .truthValue
            case .number(let number): number.digits.contains { ".eE".contains($0) } ? .fraction : .wholeNumber
            case .string(let text): .text(TextForm(text))
            case .array: .array
            case .object: .object
            }
    }

    /// Whether a client that reads this kind also reads the other: any text covers every text, a fraction every number.
    package func covers(_ other: ValueKind) -> Bool {
        switch (self, other) {
        case (.fraction, .wholeNumber), (.text(.any), .text), (.text(.amount), .text(.digits)): true
        default: self == other
        }
    }
}

extension ValueKind: CustomStringConvertible, Comparable {
    package var description: String {
        switch self {
        case .null: "null"
        case .truthValue: "true or false"
        case .wholeNumber: "a whole number"
        case .fraction: "a number with a fraction"
        case .text(let form): form.rawValue
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The order in which several are printed: null last.
    package static func < (a: ValueKind, b: ValueKind) -> Bool {
        if (a == .null) != (b == .null) { return b == .null }
        return a.description < b.description
    }
}
