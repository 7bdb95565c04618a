/// A currency by its ISO 4217 code.
public struct Currency: Sendable, Hashable {
    /// Three capital letters, such as `GBP`.
    public let code: String

    /// The currency of that code; nil unless it is three capital ASCII letters.
    public init?(_ code: String) {
        guard code.utf8.count == 3, code.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else { return nil }
        self.code = code
    }

    /// The number of decimal digits of the minor unit (ISO 4217): 2 for most, 0 for JPY, 3 for BHD, 4 for CLF.
    public var digits: Int {
        switch code {
        // The most frequent ones first.
        case "GBP", "EUR", "USD": 2
        case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF",
            "XOF", "XPF":
            0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        case "CLF", "UYW": 4
        default: 2
        }
    }

    /// The number of minor units in one major unit: 100 for most.
    public var minorPerMajor: Int64 { (0..<digits).reduce(1) { power, _ in power * 10 } }
}

extension Currency: CustomStringConvertible {
    public var description: String { code }
}
