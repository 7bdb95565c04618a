import BankModel

/// How many requests a client sends, in which order and how soon.
extension Finding {
    /// - Parameters:
    ///   - scope: ` of role pay after step 4`.
    ///   - allowed: `at most 2 requests`.
    static func requests(_ count: Int, _ scope: Phrase, allowed: String, last: JournalEntry?) -> Finding {
        let seen: Phrase =
            count == 0 ? "the client sent no request\(scope)" : "the client sent \(counted(count, "request"))\(scope)"
        return Finding(seen, "the case allows \(allowed)", in: [last])
    }

    static func otherOrder(_ seen: [String], expected: [String]) -> Finding {
        Finding(
            "the client sent requests in the order \(clipped(seen.joined(separator: ", "), to: 300))",
            "the order must be \(fixed: expected.joined(separator: ", "))")
    }

    // MARK: pauses

    /// - Parameter bounds: `at least 990ms`.
    static func pause(_ wait: Duration, before later: JournalEntry, after earlier: JournalEntry, bounds: String) -> Finding {
        let answer: Phrase = earlier.status.map { ", which was answered \($0)" } ?? ", which had no response"
        let pause: Phrase = earlier.replyHeader("retry-after").map { " with Retry-After: \(clipped($0, to: 40))" } ?? ""
        return Finding(
            "\(later.named) came \(wait.shortText) after \(earlier.named)\(answer)\(pause)",
            "the client must wait \(bounds) between attempts",
            in: [earlier, later], isAboutTime: true)
    }

    static func pausesDoNotGrow(_ scope: Phrase, first: Duration, last: Duration) -> Finding {
        Finding(
            "the client waited \(first.shortText) before the second attempt\(scope) and \(last.shortText) before the last, on average",
            "waits must grow from attempt to attempt", isAboutTime: true)
    }

    static func pausesDoNotVary(_ scope: Phrase, _ number: String, from shortest: Duration, to longest: Duration) -> Finding {
        Finding(
            "the client waited between \(shortest.shortText) and \(longest.shortText) before the second attempt\(scope), in \(number) payment orders",
            "first waits must differ from one payment order to the next", isAboutTime: true)
    }

    static func pausesCrowd(_ scope: Phrase, _ crowd: Int, of all: Int, from first: Duration, to last: Duration, percent: Int) -> Finding {
        Finding(
            "\(crowd) of \(all) first waits\(scope) lie between \(first.shortText) and \(last.shortText)",
            "at most \(percent) % of them may lie within a tenth of their average: clients that wait equally long return together",
            isAboutTime: true)
    }

    static func tooFewAttempts(_ scope: Phrase, _ what: Phrase) -> Finding {
        Finding("the client made \(what)\(scope)", "pauses between attempts are tested only where there are attempts; retrying is optional")
    }
}
