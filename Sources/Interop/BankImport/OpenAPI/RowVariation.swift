import BankModel

/// Makes further rows of one: the same row under another key of the same form.
enum RowVariation {
    /// A key of the same form: its last run of digits is counted up, or else its last letter; a number that cannot be,
    /// down.
    static func key(_ key: JSON, _ number: Int) -> JSON {
        switch key {
        case .string(let text): return .string(text.counted(up: number))
        case .number(let digits):
            // Above the largest number of 64 bits there is none.
            return digits.int64.map { .int($0 > .max - Int64(number) ? $0 - Int64(number) : $0 + Int64(number)) } ?? key
        default: return key
        }
    }

    /// The row with another key; texts that contain the old one, such as addresses, have the new one too.
    static func row(_ row: JSONObject, _ field: String, _ number: Int) -> JSONObject {
        row[field].map { replaced(row, $0, with: key($0, number), field) } ?? row
    }

    /// The row with a value in place of another: wherever it is the value of a member of that name, and inside longer texts.
    static func replaced(_ row: JSONObject, _ old: JSON, with new: JSON, _ field: String) -> JSONObject {
        row.compactMapValues { replaced($1, old, with: new, isNamed: $0 == field) }
    }

    private static func replaced(_ value: JSON, _ old: JSON, with new: JSON, isNamed: Bool) -> JSON {
        switch value {
        case .object(let object):
            return .object(object.compactMapValues { replaced($1, old, with: new, isNamed: isNamed) })
        case .array(let elements): return .array(elements.map { replaced($0, old, with: new, isNamed: isNamed) })
        case .string(let text):
            guard let before = old.string, let after = new.string else { return value }
            if text == before { return new }
            return before.utf8.count >= shortest ? .string(text.replacing(before, with: after)) : value
        case .number: return isNamed && value == old ? new : value
        case .null, .bool: return value
        }
    }

    /// Shorter keys occur in other texts by chance.
    private static let shortest = 4
}

extension String {
    /// The text with its last run of digits counted up, in as many digits; without digits, with its last letter counted up.
    fileprivate func counted(up number: Int) -> String {
        var bytes = Array(utf8)
        // The digits of a hexadecimal text such as a UUID are counted too: the carry stops before a letter.
        guard var position = bytes.lastIndex(where: \.isDigit) else { return letterCounted(up: number) }
        var rest = number
        while rest > 0, bytes[position].isDigit {
            let sum = Int(bytes[position] - 0x30) + rest
            bytes[position] = UInt8(0x30 + sum % 10)
            rest = sum / 10
            guard position > 0 else { break }
            position -= 1
        }
        // A run of few digits that overflows would repeat an earlier key.
        return rest == 0 ? String(decoding: bytes, as: UTF8.self) : letterCounted(up: number)
    }

    private func letterCounted(up number: Int) -> String {
        var bytes = Array(utf8)
        guard
            let position = bytes.lastIndex(where: { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) })
        else { return self + String(number) }
        let isHexadecimal = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
        let base = bytes[position] >= 0x61 ? 0x61 : 0x41
        let letters = isHexadecimal ? 6 : 26
        bytes[position] = UInt8(base + (Int(bytes[position]) - base + number) % letters)
        let text = String(decoding: bytes, as: UTF8.self)
        return number < letters ? text : text + String(number)
    }
}
