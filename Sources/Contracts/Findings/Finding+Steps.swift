import BankModel
import DriverProtocol

/// The results that a client reports and shows in a step.
extension Finding {
    /// - Parameter endings: `error decode`, `ok and the view of step 2`.
    static func neverStarted(_ step: Phrase, endings: Phrase) -> Finding { Finding("\(step) never started", "it must end with \(endings)") }

    /// - Parameter outcome: `ok`, `error decode (…)`.
    static func endedOtherwise(_ step: Phrase, _ outcome: Phrase, endings: Phrase, isSilent: Bool = false) -> Finding {
        Finding("\(step) ended with \(outcome)", "it must end with \(endings)", mistake: isSilent ? .silence : nil)
    }

    /// - Parameter differences: `transactions[3].amount "-2.2" instead of "-2.20"`.
    static func showedOtherwise(_ step: Phrase, _ differences: [StepEnding.Difference], endings: Phrase) -> Finding {
        let most = 8
        let shown = differences.prefix(most).map(\.text.text).joined(separator: "; ")
        let more = differences.count > most ? "; and \(differences.count - most) more" : ""
        // The first difference names the kind: the same mistake shows in one row or in forty.
        let list = Phrase(text: shown + more, shape: differences.first?.text.shape ?? "")
        let inViews = differences.compactMap(\.inView)
        let mistake = inViews.count == differences.count ? ViewComparison.mistake(behind: inViews) : nil
        return Finding("\(step) ended with ok and showed \(list)", "it must end with \(endings)", mistake: mistake)
    }

    static func firstPageOnly(_ step: Phrase, missing: Int) -> Finding {
        Finding(
            "\(step) showed the first page only, without the \(missing) rows of the pages after it, which the client did not ask for",
            "it must show every row of the list", mistake: .firstPage)
    }

    static func rowsMissingElsewhere(_ step: Phrase, aboutPages: String) -> Finding {
        Finding(
            "\(step) showed the first rows, and the client did not ask for the next page",
            "the case \(fixed: aboutPages) is about that; this one needs the whole list", mistake: .firstPage)
    }

    static func late(_ step: Phrase, _ outcome: String, after taken: Duration, limit: Duration) -> Finding {
        Finding("\(step) ended with \(outcome) after \(taken.shortText)", "it must end within \(limit.shortText)", isAboutTime: true)
    }

    /// - Parameters:
    ///   - trouble: what the harness saw: `the client hung in step 4 (pay): no response within 20s`.
    ///   - last: the last request of the step whose response has `Retry-After`; nil if there is none.
    static func clientEnded(_ trouble: String, isHang: Bool, mayWaitFor last: JournalEntry? = nil) -> Finding {
        let why: Phrase =
            last.map { ", after \($0.named) was answered with Retry-After: \(clipped($0.replyHeader("retry-after") ?? "", to: 40))" } ?? ""
        return Finding(
            "\(trouble)\(why)",
            last == nil
                ? "a client ends every step with a result or an error"
                : "a client ends every step with a result or an error: it reports the failure and does not keep the user waiting so long",
            mistake: isHang ? .hang : .crash)
    }

    static func stepUnanswered(_ step: Phrase, isHang: Bool) -> Finding {
        Finding(
            "the client \(fixed: isHang ? "hung" : "crashed") in \(step)", "a client ends every step with a result or an error",
            mistake: isHang ? .hang : .crash)
    }
}
