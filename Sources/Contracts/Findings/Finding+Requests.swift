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

    static func tooMany(_ step: Phrase, _ count: Int, most: Int, isSame: Bool) -> Finding {
        let what: Phrase = isSame ? "the same request" : ""
        return isSame
            ? Finding("the client sent \(what) \(count) times in \(step)", "a step may send the same request at most \(most) times")
            : Finding("the client sent \(count) requests in \(step)", "a step may cause at most \(counted(most, "request"))")
    }

    static func strayRequest(_ exchange: JournalEntry) -> Finding {
        Finding(
            "\(exchange.named) came after the client had reported the result of every step",
            "a client sends requests only while a step runs",
            in: [exchange], isAboutTime: true)
    }

    /// - Parameter run: the attempts, the last one too many.
    static func tooManyAttempts(_ run: [JournalEntry], _ last: JournalEntry, most: Int) -> Finding {
        Finding(
            "\(last.named) was attempt \(run.count) within 10 s of a request that fails each time",
            "at most \(most) attempts may follow each other",
            in: run)
    }

    static func tooManyRedirects(_ earlier: [JournalEntry], _ last: JournalEntry, most: Int) -> Finding {
        Finding(
            "\(last.named) was redirect \(earlier.count + 1) in a row", "a client follows at most \(most) redirects in a row",
            in: earlier + [last])
    }

    /// - Parameter earlier: the first two.
    static func rejectedRequestAgain(_ third: JournalEntry, _ earlier: [JournalEntry]) -> Finding {
        Finding(
            "\(third.named) sent the same request for the third time within 1 s of being rejected with \(earlier.last?.status ?? 0)",
            "a request that the bank rejected stays invalid: send it at most twice", source: "RFC 9110 §15.5", in: earlier + [third])
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

    static func earlyRequest(_ later: JournalEntry, after told: JournalEntry, milliseconds: Int64, pause: String) -> Finding {
        Finding(
            "\(later.named) came \(milliseconds) ms after \(told.named), which was answered \(told.status ?? 0) with Retry-After: \(pause)",
            "the client must wait as long as Retry-After says", source: "RFC 9110 §10.2.3", in: [told, later])
    }
}
