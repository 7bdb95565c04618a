import BankModel

/// Random values and spellings of them.
enum RandomJSON {
    static func value(_ generator: inout SeededGenerator, depth: Int = 3) -> JSON {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 8), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2, 3: return number(&generator)
        case 4: return .string(word(&generator))
        case 5: return .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(&generator, depth: depth - 1) })
        default:
            let members = (0..<Int.random(in: 0...5, using: &generator)).map { index in
                (key: word(&generator) + "\(index)", value: value(&generator, depth: depth - 1))
            }
            return .object(JSONObject(members))
        }
    }

    /// A spelling of the value: members in any order, any white space, any escapes, numbers with zeros or a power of ten.
    static func text(_ value: JSON, _ generator: inout SeededGenerator) -> String {
        let text =
            switch value {
            case .null, .bool: value.text
            case .number(let number): spelling(of: number, &generator)
            case .string(let word): quoted(word, &generator)
            case .array(let elements): "[" + list(elements.map { self.text($0, &generator) }, &generator) + "]"
            case .object(let object):
                "{"
                    + list(
                        object.members.shuffled(using: &generator).map {
                            quoted($0.key, &generator) + space(&generator) + ":" + self.text($0.value, &generator)
                        }, &generator) + "}"
            }
        return space(&generator) + text + space(&generator)
    }

    private static func number(_ generator: inout SeededGenerator) -> JSON {
        let digits = ["0", "-0.00", "1", "12.30", "-100", "0.05", "9007199254740993", "1e30", "-2.5E-7"]
        return (try? JSON(parsing: digits.randomElement(using: &generator) ?? "0")) ?? .null
    }

    private static func word(_ generator: inout SeededGenerator) -> String {
        ["", "amount", "a/b", "é", "\"q\"", "🏦", "line\nbreak", "back\\slash"].randomElement(using: &generator) ?? ""
    }

    private static func space(_ generator: inout SeededGenerator) -> String {
        ["", "", "", " ", "\n", "\r\n\t"].randomElement(using: &generator) ?? ""
    }

    private static func list(_ parts: [String], _ generator: inout SeededGenerator) -> String {
        parts.joined(separator: space(&generator) + "," + space(&generator))
    }

    /// The number with one more zero, or with its point moved.
    private static func spelling(of number: JSONNumber, _ generator: inout SeededGenerator) -> String {
        guard let decimal = number.decimal, decimal.significand != "0" else { return number.digits }
        return switch Int.random(in: 0..<3, using: &generator) {
        case 0: number.digits
        case 1: "\(decimal.significand)0.0e\(decimal.exponent - 1)"
        default: "\(decimal.significand)E\(decimal.exponent < 0 ? "" : "+")\(decimal.exponent)"
        }
    }

    /// The text with each of its scalars as it is or escaped in one of the ways there are.
    private static func quoted(_ text: String, _ generator: inout SeededGenerator) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || Int.random(in: 0..<4, using: &generator) == 0 {
                out +=
                    scalar == "/"
                    ? "\\/" : Character(scalar).utf16.map { "\\u" + hex($0, isUpper: .random(using: &generator)) }.joined()
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func hex(_ unit: UInt16, isUpper: Bool) -> String {
        let digits = String(unit, radix: 16, uppercase: isUpper)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
