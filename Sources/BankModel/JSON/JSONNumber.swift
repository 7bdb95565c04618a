/// A JSON number exactly as written, digit for digit (`12.00`, `1e2`, `-0`).
public struct JSONNumber: Sendable {
    /// The number's text; it matches the grammar of RFC 8259 §6.
    public let digits: String

    /// The number of that text; nil if it is not a JSON number.
    public init?(_ digits: String) {
        var parser = JSONParser(bytes: Array(digits.utf8))
        guard (try? parser.number()) != nil, parser.index == parser.bytes.count else { return nil }
        self.digits = digits
    }

    /// A whole number.
    public init(_ value: some BinaryInteger) { digits = String(value) }

    /// A text that the parser has already validated.
    init(checked digits: String) { self.digits = digits }

    /// The value as a 64-bit integer, if it is whole and fits (`100`, `100.0` and `1e2` are one hundred).
    public var int64: Int64? { Int64(digits) ?? int64(shifted: 0) }

    /// The value times ten to the power of `places`, if that is whole and fits 64 bits.
    func int64(shifted places: Int) -> Int64? {
        guard let (significand, exponent) = decimal else { return nil }
        // 64 bits have at most 19 digits.
        guard significand != "0", (0..<19).contains(exponent + places) else { return significand == "0" ? 0 : nil }
        return Int64(significand + String(repeating: "0", count: exponent + places))
    }

    /// The value as `significand · 10^exponent` with the fewest digits: `-12.50` is -125 and -1, `1200` is 12 and 2, `0.0` is 0 and 0.
    /// nil if the written exponent has more than six digits.
    public var decimal: (significand: String, exponent: Int)? {
        let parts = digits.split { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".")
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        guard let written = parts.count > 1 ? Int(parts[1]) : 0, written.magnitude < 1_000_000 else { return nil }
        var significand = (mantissa[0] + fraction).drop { $0 == "-" || $0 == "0" }
        guard !significand.isEmpty else { return ("0", 0) }
        var exponent = written - fraction.utf8.count
        while significand.last == "0" {
            significand.removeLast()
            exponent += 1
        }
        return ((digits.hasPrefix("-") ? "-" : "") + significand, exponent)
    }

    /// The value in binary floating point: for coordinates and the like, never for money.
    public var double: Double { Double(digits) ?? .nan }
}

extension JSONNumber: Hashable {
    /// Numbers are equal if their values are, however written (`12.0`, `12.00`); with an exponent of over six digits, if their texts are.
    public static func == (a: JSONNumber, b: JSONNumber) -> Bool {
        if a.digits == b.digits { return true }
        guard let a = a.decimal, let b = b.decimal else { return false }
        return a == b
    }

    public func hash(into hasher: inout Hasher) {
        let decimal = decimal
        hasher.combine(decimal?.significand ?? digits)
        hasher.combine(decimal?.exponent)
    }
}
