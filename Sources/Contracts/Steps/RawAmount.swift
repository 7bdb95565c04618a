import BankModel

/// The argument `raw_amount`: an amount as a user types it, beside the `amount` that it means.
///
/// A client that ignores it pays `amount`, so both must mean the same; only then is one judged like the other.
enum RawAmount {
    static let argument = "raw_amount"

    /// Complains of a typed amount in a case without a locale, and of one whose digits are not those of `amount`.
    static func check(_ outline: StepOutline, _ given: Given, _ complaints: Complaints) {
        for step in outline.all {
            guard let raw = step.action.argument(argument), let amount = step.action.argument("amount") else { continue }
            if given.locale == nil {
                complaints.add(
                    found: "`\(argument)` without a locale", expected: "`given: {locale: …}`, in whose format the amount is typed",
                    at: step.position)
            }
            if !hasDigits(raw, of: amount) {
                complaints.add(
                    found: "the \(argument) \"\(raw)\" beside the amount \"\(amount)\"", expected: "the same digits in both",
                    at: step.position
                )
            }
        }
    }

    /// Whether both texts have the same digits, in any script; zeros at the end of either do not count.
    static func hasDigits(_ raw: String, of amount: String) -> Bool {
        let (typed, meant) = (digits(raw), digits(amount))
        return !typed.isEmpty && withoutZeros(typed) == withoutZeros(meant)
    }

    private static func digits(_ text: String) -> [Int] {
        text.unicodeScalars.compactMap { scalar in
            scalar.properties.numericType == .decimal ? scalar.properties.numericValue.map { Int($0) } : nil
        }
    }

    private static func withoutZeros(_ digits: [Int]) -> [Int] { Array(digits.reversed().drop { $0 == 0 }.reversed()) }
}
