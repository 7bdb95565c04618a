import BankModel

extension SessionState {
    /// The amount that a request asks to move; nil if it writes none in the move's unit.
    mutating func amount(_ move: Operation.Move, _ currency: Currency, _ scope: borrowing Scope) -> Money? {
        guard var written = value(move.amount, scope) else { return nil }
        // A form has texts only: `amount=1230` is a number there.
        if move.amount.isForm, move.unit != .major, let number = written.string.flatMap({ JSONNumber($0) }) { written = .number(number) }
        return move.unit.amount(written, currency)
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
