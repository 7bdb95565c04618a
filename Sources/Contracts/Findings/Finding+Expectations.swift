import BankModel
import DriverProtocol

/// What a case expects of payments, tokens, requests and steps, and what rules and expectations both forbid.
extension Finding {
    // MARK: payments and their keys

    /// `allowed` is such as `exactly 1 payment`, `list` has the payments, each with its key.
    static func payments(_ count: Int, for intent: String, _ list: String, allowed: String, mistake: Mistake?) -> Finding {
        let seen: Phrase =
            count == 0
            ? "the bank did not execute payment order \(intent)"
            : "the bank executed \(fixed: count == 1 ? "a payment" : "payments") for payment order \(intent): \(list)"
        return Finding(seen, "the case allows \(allowed) for it", mistake: mistake)
    }

    /// - Parameter candidates: the payment orders of which some payments may be.
    static func paymentsOfUnknownOrder(_ list: String, of intent: String, candidates: [String]) -> Finding {
        Finding(
            "the bank executed payments that may be of payment order \(candidates.joined(separator: " or ")): \(list)",
            "the payments of payment order \(intent) can be counted only if amounts, times or results tell it from the others")
    }

    static func attemptsOfUnknownOrder(_ attempts: [JournalEntry], intent: String) -> Finding {
        Finding(
            "of the requests that may be of payment order \(intent), some may be of another one",
            "they can be compared only if amounts, times or results tell the payment orders apart", in: attempts.prefix(2).map { $0 })
    }

    static func paymentsForNoIntent(_ list: String) -> Finding {
        Finding("the bank executed payments that the case did not ask for: \(list)", "money moves only when the user asks for it")
    }

    /// - Parameter values: each with the first exchange that had it.
    static func fieldsDiffer(_ field: ExchangeField, _ values: [(value: String, exchange: JournalEntry)], intent: String) -> Finding {
        let list = values.map { "\(clipped($0.value, to: 40)) in exchange \($0.exchange.seq)" }.joined(separator: ", ")
        return Finding(
            "the client sent payment order \(intent) with \(values.count) different \(fixed: field.plural): \(list)",
            "every attempt of a payment order has the same \(fixed: field.rawValue)",
            in: values.prefix(2).map(\.exchange), mistake: field == .key ? .newKey : nil)
    }

    static func fieldMissing(_ field: ExchangeField, _ exchange: JournalEntry) -> Finding {
        Finding(
            "\(exchange.named) had no \(fixed: field.rawValue)", "every payment order has its own \(fixed: field.rawValue)",
            in: [exchange])
    }

    static func fieldShared(_ field: ExchangeField, _ value: String, by intents: [String], at exchange: JournalEntry?) -> Finding {
        Finding(
            "the client sent the payment orders \(intents.joined(separator: " and ")) with the same \(fixed: field.rawValue), \(clipped(value, to: 60))",
            "every payment order has its own \(fixed: field.rawValue)", in: [exchange])
    }

    static func keyMissing(_ exchange: JournalEntry, rule: Phrase) -> Finding {
        Finding("\(exchange.named) had no idempotency key", "the bank requires \(rule)", in: [exchange])
    }

    static func keyMalformed(_ exchange: JournalEntry, _ key: String, rule: Phrase) -> Finding {
        Finding("\(exchange.named) had the key \"\(clipped(key, to: 80))\"", "the bank requires \(rule)", in: [exchange])
    }

    // MARK: tokens and secrets

    /// - Parameter rejection: the request that the bank rejected; nil if that is not known.
    static func rejectedToken(_ token: String, _ again: JournalEntry, after rejection: JournalEntry?) -> Finding {
        let when: Phrase = rejection.map { " after the bank rejected it in \($0.named)" } ?? ""
        return Finding(
            "\(again.named) sent \(token) again\(when)", "a rejected token must not be sent again", source: "RFC 6750 §3.1",
            in: [rejection, again],
            mistake: .rejectedToken)
    }

    static func emptyBearer(_ exchange: JournalEntry, _ sent: String) -> Finding {
        Finding(
            "\(exchange.named) sent the header Authorization with `\(sent)`, which has no token",
            "a client without a token sends no Authorization header", source: "RFC 6750 §2.1", in: [exchange], mistake: .emptyBearer)
    }

    /// - Parameter what: `a token`.
    static func sent(_ what: Phrase, _ exchange: JournalEntry, rule: Phrase) -> Finding {
        Finding("\(exchange.named) sent \(what)", rule, in: [exchange])
    }

    /// - Parameter secret: `no token`; the kind that must not be found.
    static func secretStored(_ location: String, _ secret: SecretChoice, step: Int?) -> Finding {
        Finding(
            "\(location)",
            "a client keeps \(fixed: secret.name) \(fixed: step == nil ? "in its log" : "on disk")\(step.map { " after step \($0)" } ?? "")"
        )
    }

    static func secretInAddress(_ location: String, _ secret: Phrase) -> Finding {
        Finding("\(location)", "a URL contains \(secret): URLs are stored in logs and histories", source: "RFC 6750 §5.3")
    }

    static func secretInAddress(_ exchange: JournalEntry, _ what: String) -> Finding {
        Finding(
            "\(exchange.named) had \(what) in its URL", "a URL contains no secret: URLs are stored in logs and histories",
            source: "RFC 6750 §5.3",
            in: [exchange])
    }

    static func modeTooWide(_ path: String, _ mode: String, most: String) -> Finding {
        Finding(
            "the file \(path), which holds a secret, has the mode \(mode)", "only its owner may read a file with a secret (mode \(most))")
    }

    static func notSearched(_ files: Phrase, _ reason: String) -> Finding {
        Finding("\(files) was not searched for secrets: \(reason)", "without it nobody can tell whether a secret was stored")
    }

    static func otherHost(_ exchange: JournalEntry, _ what: String, host: String, own: String) -> Finding {
        let note: Phrase = ["localhost", "127.0.0.1"].contains(host) && host != own ? ", which stands for another host here" : ""
        return Finding(
            "\(exchange.named) sent \(what) to \(host)\(note)", "only the bank's host, \(own), may receive it", source: "RFC 9110 §15.4",
            in: [exchange])
    }

    /// - Parameter issue: the request whose response had over TLS what was sent.
    static func clearText(_ exchange: JournalEntry, _ what: Phrase, after issue: JournalEntry? = nil) -> Finding {
        Finding(
            "\(exchange.named) sent \(what) in clear text", "a client of an https address sends nothing in clear text",
            in: [issue, exchange])
    }

    // MARK: requests

    /// `scope` is such as ` of role pay after step 4`, `allowed` such as `at most 2 requests`; a minimum allows any more.
    static func requests(_ count: Int, _ scope: Phrase, allowed: String, isMinimum: Bool, last: JournalEntry?) -> Finding {
        let seen: Phrase =
            count == 0 ? "the client sent no request\(scope)" : "the client sent \(counted(count, "request"))\(scope)"
        return Finding(seen, "the case \(fixed: isMinimum ? "requires" : "allows") \(allowed)", in: [last])
    }

    static func otherOrder(_ seen: [String], expected: [String]) -> Finding {
        Finding(
            "the client sent requests in the order \(clipped(seen.joined(separator: ", "), to: 300))",
            "the order must be \(fixed: expected.joined(separator: ", "))")
    }

    /// - Parameter bounds: `at least 990ms`.
    static func pause(_ wait: Duration, before later: JournalEntry, after earlier: JournalEntry, bounds: String) -> Finding {
        let answer: Phrase = earlier.status.map { ", which was answered \($0)" } ?? ", which had no response"
        let pause: Phrase = earlier.responseHeader("retry-after").map { " with Retry-After: \(clipped($0, to: 40))" } ?? ""
        return Finding(
            "\(later.named) came \(wait.shortText) after the end of \(earlier.named)\(answer)\(pause)",
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
            "at most \(percent) % of them may lie within a tenth of their average: clients that wait equally long retry at the same time",
            isAboutTime: true)
    }

    static func tooFewAttempts(_ scope: Phrase, _ what: Phrase) -> Finding {
        Finding("the client made \(what)\(scope)", "pauses between attempts are tested only where there are attempts; retrying is optional")
    }

    // MARK: steps

    /// - Parameter endings: `error decode`, `ok and the view of step 2`.
    static func neverStarted(_ step: Phrase, endings: Phrase) -> Finding { Finding("\(step) never started", "it must end with \(endings)") }

    /// - Parameter outcome: `ok`, `error decode (…)`.
    static func endedOtherwise(_ step: Phrase, _ outcome: Phrase, endings: Phrase, isSilent: Bool = false) -> Finding {
        Finding("\(step) ended with \(outcome)", "it must end with \(endings)", mistake: isSilent ? .silence : nil)
    }

    /// `differences` is such as `transactions[3].amount "-2.2" instead of "-2.20"`; an incomplete list is one that is marked so.
    static func showedOtherwise(
        _ step: Phrase, _ differences: [StepEnding.Difference], endings: Phrase, isIncomplete: Bool = false
    ) -> Finding {
        let most = 8
        let shown = differences.prefix(most).map(\.text.text).joined(separator: "; ")
        let more = differences.count > most ? "; and \(differences.count - most) more" : ""
        // The first difference names the kind: the same mistake shows in one row or in forty.
        let list = Phrase(text: shown + more, shape: differences.first?.text.shape ?? "")
        let inViews = differences.compactMap(\.inView)
        let mistake = inViews.count == differences.count ? ViewComparison.mistake(behind: inViews) : nil
        let mark: Phrase = isIncomplete ? ", marked as incomplete (`complete`)" : ""
        return Finding("\(step) ended with ok and showed \(list)\(mark)", "it must end with \(endings)", mistake: mistake)
    }

    static func firstPageOnly(_ step: Phrase, missing: Int) -> Finding {
        Finding(
            "\(step) showed the first page only, without the \(missing) rows of the pages after it, which the client did not ask for",
            "it must show every row of the list", mistake: .firstPage)
    }

    static func markedIncomplete(_ step: Phrase) -> Finding {
        Finding(
            "\(step) showed the first rows, marked as incomplete (`complete`), and the client did not ask for the next page",
            "the case is about clients that show the whole list")
    }

    static func rowsMissingElsewhere(_ step: Phrase, aboutPages: String) -> Finding {
        Finding(
            "\(step) showed the first rows, and the client did not ask for the next page",
            "the case \(fixed: aboutPages) is about that; this one needs the whole list", mistake: .firstPage)
    }

    static func paymentExecuted(_ step: Phrase) -> Finding {
        Finding("\(step) ended with ok, because the bank executed the payment", "the case is about a payment that the bank rejects")
    }

    static func late(_ step: Phrase, _ outcome: String, after taken: Duration, limit: Duration) -> Finding {
        Finding("\(step) ended with \(outcome) after \(taken.shortText)", "it must end within \(limit.shortText)", isAboutTime: true)
    }

    /// `trouble` is what the harness saw; `last` is the last request of the step whose response has `Retry-After`.
    static func clientEnded(_ trouble: String, isHang: Bool, mayWaitFor last: JournalEntry? = nil) -> Finding {
        let why: Phrase =
            last.map { ", after \($0.named) was answered with Retry-After: \(clipped($0.responseHeader("retry-after") ?? "", to: 40))" }
            ?? ""
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

extension ExchangeField {
    fileprivate var plural: String {
        switch self {
        case .body: "bodies"
        case .bodySHA256: "values of body_sha256"
        case .key, .path, .token: "\(rawValue)s"
        }
    }
}
