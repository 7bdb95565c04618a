/// Amounts of money as texts, such as `-12.30`.
enum AmountText {
    /// A regular expression that each of them fits (ECMA-262).
    static let pattern = #"^-?[0-9]+(\.[0-9]+)?$"#

    /// Whether a text is taken for an amount: one with a point. `70010001` may be an account's number.
    static func isAmount(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }
}
