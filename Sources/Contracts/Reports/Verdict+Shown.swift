extension Verdict {
    /// A character that distinguishes it without colours.
    var sign: String {
        switch self {
        case .pass: "✓"
        case .fail: "✗"
        case .inconclusive: "?"
        case .unsupported: "–"
        case .notExercised: "○"
        case .harnessError: "!"
        }
    }

    /// The verdict in words, such as `not exercised`.
    var words: String {
        switch self {
        case .pass: "passed"
        case .fail: "failed"
        case .inconclusive: "inconclusive"
        case .unsupported: "unsupported"
        case .notExercised: "not exercised"
        case .harnessError: "harness error"
        }
    }
}

extension ReportDocument.Result {
    /// The class of its marks on the HTML page.
    var look: String { isKnownFailure ? "known" : verdict.rawValue }
    var sign: String { isKnownFailure ? "✗" : verdict.sign }
    var words: String { !isKnownFailure ? verdict.words : known != nil ? "failed (known)" : "failed (so did the baseline)" }
    /// `pay.a@toy: failed (run 2)`
    var label: String { "\(name): \(words)" + (repetition > 1 ? " (run \(repetition))" : "") }
}
