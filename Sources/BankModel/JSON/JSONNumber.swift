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
    public var int64: Int64? {
        guard var (significand, exponent) = decimal else { return nil }
        while exponent < 0, significand != 0 {
            let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: 10)
            guard remainder == 0 else { return nil }
            (significand, exponent) = (quotient, exponent + 1)
        }
        while exponent > 0, significand != 0 {
            let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            (significand, exponent) = (product, exponent - 1)
        }
        return Int64(exactly: significand)
    }

    /// The value as `significand · 10^exponent`; nil if it does not fit 128 bits.
    public var decimal: (significand: Int128, exponent: Int)? {
        var significand: Int128 = 0
        var exponent = 0
        var negative = false
        var inFraction = false
        var text = digits.utf8[...]
        if let mark = text.firstIndex(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) {
            guard let written = Int(Substring(text[text.index(after: mark)...])), written.magnitude < 1_000_000 else { return nil }
            exponent = written
            text = text[..<mark]
        }
        for character in text {
            switch character {
            case UInt8(ascii: "-"): negative = true
            case UInt8(ascii: "."): inFraction = true
            default:
                let (shifted, overflow) = significand.multipliedReportingOverflow(by: 10)
                let (sum, carried) = shifted.addingReportingOverflow(Int128(character - UInt8(ascii: "0")))
                guard !overflow, !carried else { return nil }
                significand = sum
                if inFraction { exponent -= 1 }
            }
        }
        return (negative ? -significand : significand, exponent)
    }

    /// The value in binary floating point: for coordinates and the like, never for money.
    public var double: Double { Double(digits) ?? .nan }
}

extension JSONNumber: Hashable {
    /// Numbers are equal if their values are, however written (`12.0`, `12.00`); beyond 128 bits, if their texts are.
    public static func == (a: JSONNumber, b: JSONNumber) -> Bool {
        if a.digits == b.digits { return true }
        guard let a = a.normalised, let b = b.normalised else { return false }
        return a == b
    }

    public func hash(into hasher: inout Hasher) {
        if let normalised {
            hasher.combine(normalised.0)
            hasher.combine(normalised.1)
        } else {
            hasher.combine(digits)
        }
    }

    private var normalised: (Int128, Int)? {
        guard var (significand, exponent) = decimal else { return nil }
        if significand == 0 { return (0, 0) }
        while significand.isMultiple(of: 10) { (significand, exponent) = (significand / 10, exponent + 1) }
        return (significand, exponent)
    }
}
