import BankModel

extension SessionState {
    /// The amount that a request asks to move; nil if it states none in the move's unit.
    mutating func amount(_ move: Operation.Move, _ currency: Currency, _ scope: Scope) -> Money? {
        guard var written = value(move.amount, scope) else { return nil }
        // A form has texts only: `amount=1230` is a number there.
        if move.amount.isForm, move.unit != .major, let number = written.string.flatMap({ JSONNumber($0) }) { written = .number(number) }
        if bank.dialect.moreDigits == .refused, move.unit != .minor, written.digitsAfterPoint > currency.digits { return nil }
        return move.unit.amount(written, currency)
    }
}

extension JSON {
    /// The number of digits after the point of a number, or of a text that spells one; 0 for anything else.
    fileprivate var digitsAfterPoint: Int {
        guard let text = number?.digits ?? string, let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
        return text.utf8[point...].dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    }
}

extension ValueSource {
    /// Whether it reads a field of a form body.
    fileprivate var isForm: Bool {
        switch self {
        case .form: true
        case .or(let first, _): first.isForm
        default: false
        }
    }
}
