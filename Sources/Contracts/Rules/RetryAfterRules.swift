import BankModel
import Faults

extension ClientRule {
    /// A client that received `Retry-After` must wait at least that long. The user need not: what comes later than a program's
    /// repeat, or asks for something else, the user may have asked for.
    static let retryAfterRules = [
        wait(
            "retry.after-429-seconds", 429, isDate: false,
            "A client waits at least as long as Retry-After specifies (RFC 6585 §4, RFC 9110 §10.2.3)."),
        wait(
            "retry.after-429-http-date", 429, isDate: true,
            "Retry-After may be a date instead of seconds, with the same meaning (RFC 9110 §10.2.3)."),
        wait("retry.maintenance-honoured", 503, "A client waits out a maintenance window given by Retry-After (RFC 9110 §15.6.4)."),
        wait(
            "retry.payment-after-429-seconds", 429, isDate: false, isPayment: true,
            "A client retries a payment no earlier than Retry-After specifies (RFC 6585 §4)."),
        wait(
            "retry.payment-after-429-http-date", 429, isDate: true, isPayment: true,
            "A client retries a payment no earlier than the date in Retry-After, with a tolerance of 1 s (RFC 9110 §10.2.3)."),
        wait(
            "retry.payment-maintenance-honoured", 503, isPayment: true,
            "A client retries a payment no earlier than the end of a maintenance window (RFC 9110 §15.6.4)."),
    ]

    /// - Parameter isDate: the header's form; nil: either (RFC 9110 §10.2.3).
    private static func wait(_ id: String, _ status: Int, isDate: Bool? = nil, isPayment: Bool = false, _ why: String) -> ClientRule {
        let form = isDate.map { $0 ? " as a date" : " in seconds" } ?? ""
        let what = isPayment ? "a payment" : "a request other than a payment"
        let trigger = "\(what) was answered \(status) with Retry-After\(form)"
        // Which payments are one order shows in their keys and bodies.
        let facts: [RecordedFact] = [.responseRead, .oneTab, .onePageLoad, .pause] + (isPayment ? [.payment] : [])
        return ClientRule(id, why: why, trigger: trigger, restsOn: facts) { scene, result in
            let drift = ClockDrift(scene.requests)
            for limited in scene.requests where limited.has(.pay) == isPayment && limited.status == status {
                guard limited.isDelivered, let operation = limited.operation, let pause = limited.retryAfter,
                    isDate ?? pause.isDate == pause.isDate, !pause.isDate || drift.isReliable(limited)
                else { continue }
                let least = min(pause.least, limited.pauseByItsDate ?? .max)
                let key = isPayment ? limited.key : nil
                let alike = key.flatMap { scene.index.byKey[$0] } ?? scene.index.byOperation[operation]
                let early = scene.unaskedSuccessors(of: limited, among: alike, until: limited.monoNanoseconds + least) { later in
                    guard later.operation == operation, !later.isOfAnotherPerson(than: limited) else { return false }
                    // By the machine's clock or by the session's, whichever has gone further: the session's may be advanced.
                    let waited = max(later.monoNanoseconds - limited.monoNanoseconds, (later.at - limited.at).nanoseconds)
                    guard waited < least else { return false }
                    // Another payment is another order, to which the pause does not apply.
                    return !isPayment || (later.key == limited.key && (later.key != nil || later.hasBody(of: limited) == true))
                } isRepeat: {
                    $0.saysTheSame(as: limited) && !scene.mayBeOfAnotherDevice($0, than: limited)
                        && !scene.mayBeOfAnotherSignIn($0, than: limited)
                }
                result.add(limited, early) {
                    let waited = ($0.monoNanoseconds - limited.monoNanoseconds) / 1_000_000
                    return Finding.earlyRequest($0, after: limited, milliseconds: waited, pause: pause.text)
                }
            }
        }
    }
}

/// How far the session's clock moved against the machine's, in nanoseconds from where it was at the first request.
private struct ClockDrift {
    private let first: Int64
    private let least: Int64
    private let most: Int64

    init(_ requests: [JournalEntry]) {
        let first = requests.first.map(ClockDrift.offset) ?? 0
        let all = requests.map { ClockDrift.offset($0) &- first }
        self.first = first
        least = all.min() ?? 0
        most = all.max() ?? 0
    }

    /// A session's clock may stand at either end of time: sums wrap, and differences of seconds are right all the same.
    private static func offset(_ request: JournalEntry) -> Int64 { request.at.nanoseconds &- request.monoNanoseconds }

    /// Whether a client can be held to a date of that response: the session's clock runs as the machine's does, and the header
    /// `Date` was correct. A client may use either.
    func isReliable(_ response: JournalEntry) -> Bool {
        let limit: Int64 = 2_000_000_000
        // The first one's is 0, so none is further away than twice the limit.
        guard !response.hasFault(.movesDate), least > -2 * limit, most < 2 * limit else { return false }
        let own = ClockDrift.offset(response) &- first
        return most - own < limit && own - least < limit
    }
}

/// The value of a response's `Retry-After`.
struct AskedPause {
    /// From the request's head, in nanoseconds; a tolerance is already taken off.
    let least: Int64
    let isDate: Bool
    let text: String

    /// The upper limit: an app shows an absurd wait to its user, and does not block requests until it is over.
    static let longest: Int64 = 3_600_000_000_000
}

extension JournalEntry {
    /// Nil if the response has none, or one that cannot be read.
    var retryAfter: AskedPause? {
        guard let text = responseHeader("retry-after") else { return nil }
        if !text.isEmpty, text.allSatisfy({ ("0"..."9").contains($0) }) {
            let wait = Int64(text).map { $0.multipliedReportingOverflow(by: 1_000_000_000) }
            let nanoseconds = wait.map { $0.overflow ? .max : $0.partialValue } ?? .max
            // No clock involved is exact: the tolerance is 50 ms.
            let least = min(nanoseconds, AskedPause.longest) - 50_000_000
            return nanoseconds == 0 ? nil : AskedPause(least: least, isDate: false, text: "\(text) s")
        }
        guard let date = Instant(httpDate: text) else { return nil }
        return AskedPause(least: JournalEntry.pause(until: date, from: at), isDate: true, text: text)
    }

    /// The pause from the response's `Date` to the date in its `Retry-After`, in nanoseconds; nil without both. A client may compute it so
    /// (RFC 9110 §6.6.1): the times of traffic that was forwarded or recorded are another machine's, whose clock may be behind the bank's.
    fileprivate var pauseByItsDate: Int64? {
        guard let end = responseHeader("retry-after").flatMap({ Instant(httpDate: $0) }),
            let sent = responseHeader("date").flatMap({ Instant(httpDate: $0) })
        else { return nil }
        return JournalEntry.pause(until: end, from: sent)
    }

    /// A date is in whole seconds, so the tolerance is one second.
    private static func pause(until date: Instant, from start: Instant) -> Int64 {
        let wait = min(max(date - start, .zero), .nanoseconds(AskedPause.longest))
        return wait.nanoseconds - 1_000_000_000
    }
}

extension Finding {
    static func earlyRequest(_ later: JournalEntry, after limited: JournalEntry, milliseconds: Int64, pause: String) -> Finding {
        Finding(
            "\(later.named) came \(milliseconds) ms after \(limited.named), which was answered \(limited.status ?? 0) with Retry-After: \(pause)",
            "the client must wait as long as Retry-After specifies", source: "RFC 9110 §10.2.3", in: [limited, later])
    }
}
