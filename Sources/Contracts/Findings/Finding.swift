package import BankModel

/// One requirement that was not met, with the event that shows it. Every report words it by the same template.
package struct Finding: Sendable, Hashable {
    /// The event and its location, with a subject: `exchange 4 (GET /v1/accounts) sent token#1 again`.
    package var seen: Phrase
    /// The requirement: `a rejected token must not be sent again`.
    package var requirement: Phrase
    /// The document that it comes from, such as `RFC 6750 §3.1`; nil if the requirement is the case's or the harness's own.
    package var source: String?
    /// The requests that show it: that which made the requirement apply first, that which broke it last; none if no request does.
    package var requests: [RequestRef]
    /// The mistake behind it, if it is known; nil if the event describes it well enough.
    package var mistake: Mistake?
    /// Whether the evidence is how long something took, or how soon it came: on an overloaded machine, the machine may be the cause.
    package var isAboutTime: Bool

    package init(
        _ seen: Phrase, _ requirement: Phrase, source: String? = nil, requests: [RequestRef] = [], mistake: Mistake? = nil,
        isAboutTime: Bool = false
    ) {
        self.seen = seen
        self.requirement = requirement
        self.source = source
        self.requests = requests
        self.mistake = mistake
        self.isAboutTime = isAboutTime
    }

    /// What a reader of JSON fills in, member by member.
    static let blank = Finding("", "")

    /// - Parameter entries: those of the requests that are known.
    init(
        _ seen: Phrase, _ requirement: Phrase, source: String? = nil, in entries: [JournalEntry?], mistake: Mistake? = nil,
        isAboutTime: Bool = false
    ) {
        self.init(
            seen, requirement, source: source, requests: entries.compactMap(\.self).map(RequestRef.init), mistake: mistake,
            isAboutTime: isAboutTime)
    }

    /// The requirement with its source: `a rejected token must not be sent again (RFC 6750 §3.1)`.
    package var expected: Phrase { source.map { "\(requirement) (\(fixed: $0))" } ?? requirement }

    /// The number of the exchange that broke the requirement; nil if none did.
    package var exchange: Int? { requests.last?.number }

    /// The same; about time if that holds.
    func aboutTime(if isAboutTime: Bool) -> Finding {
        var finding = self
        finding.isAboutTime = self.isAboutTime || isAboutTime
        return finding
    }

    /// Both as sentences in one line.
    package var text: String { Finding.text(seen: seen.text, expected: expected.text) }

    /// The template: what happened, then the requirement.
    static func text(seen: String, expected: String) -> String {
        [seen, expected].filter { !$0.isEmpty }.map { sentence($0.inOneLine) }.joined(separator: " ")
    }

    private static func sentence(_ text: String) -> String {
        let word = text.prefix { $0.isLetter || $0 == "'" }
        let isWord = word.allSatisfy(\.isLowercase) && (text.dropFirst(word.count).first.map { " ,.!?".contains($0) } ?? true)
        let capital = isWord ? text.prefix(1).uppercased() + text.dropFirst() : text
        return capital + (capital.last.map { ".?!…".contains($0) } ?? true ? "" : ".")
    }

    /// A mistake of a client that shows in several requirements, and is one cause of them.
    package enum Mistake: String, Sendable, Hashable, CaseIterable {
        case newKey = "the client sends a payment order again under a new idempotency key"
        case paidTwice = "the client pays a payment order more than once"
        case amount = "the client pays or shows an amount other than the one agreed"
        case digits = "the client shows an amount without the digits of its currency"
        case rejectedToken = "the client sends a token again after the bank rejected it"
        case emptyBearer = "the client sends an Authorization header without a token"
        case hang = "the client does not end a step in time"
        case crash = "the client crashes"
        case firstPage = "the client shows the first page only"
        case silence = "the client shows nothing when a request fails"

        var topic: Cause.Topic {
            switch self {
            case .newKey, .paidTwice, .amount, .digits: .money
            case .rejectedToken, .emptyBearer: .tokens
            case .hang, .crash, .firstPage, .silence: .other
            }
        }
    }
}

/// A request that a finding is about, with its text in reports.
package struct RequestRef: Sendable, Hashable {
    /// Its number in the journal.
    package var number: Int
    /// Nil if no head was read.
    package var method: String?
    package var path: String
    /// The bank's operation; nil if it is not known.
    package var operation: String?

    package init(number: Int, method: String? = nil, path: String = "", operation: String? = nil) {
        self.number = number
        self.method = method
        self.path = path
        self.operation = operation
    }

    package init(_ entry: JournalEntry) {
        self.init(number: entry.seq, method: entry.method, path: entry.path, operation: entry.operation)
    }
}

/// Why a run does not show whether the client conforms.
extension Finding {
    static func noRun(_ trouble: String) -> Finding {
        Finding(Phrase(fixed: trouble), "without a complete run there is no verdict on the client")
    }

    static func beyondMachine(_ reason: String) -> Finding {
        Finding(Phrase(fixed: reason), "the case needs a machine that can do every step")
    }

    package static func unsupported(_ reason: String) -> Finding {
        Finding(Phrase(fixed: reason), "the case needs a client that supports it")
    }

    static func stepUnsupported(_ step: Phrase) -> Finding {
        Finding("the client reported \(step) as unsupported", "the case needs that step")
    }

    static func dropped(_ entries: Int) -> Finding {
        Finding(
            "the journal dropped \(entries) \(fixed: entries == 1 ? "entry" : "entries") (journal limit reached)",
            "a verdict needs the complete journal of the case")
    }

    static func limited(_ exchange: JournalEntry) -> Finding {
        Finding("\(exchange.named) was beyond the bank's own rate limit", "the case needs a bank with a higher limit", in: [exchange])
    }

    static func clockWasSet(by duration: Duration) -> Finding {
        let seconds = (duration + .milliseconds(500)).components.seconds
        return Finding(
            "the machine's clock was set by about \(seconds) s while the case ran",
            "a failure counts only if nothing sets the clock that the client reads")
    }

    static func unrepeated() -> Finding {
        Finding(
            "the run was interrupted before the case was repeated alone",
            "a failure that an overloaded machine may have caused counts once it is repeated")
    }

    static func noKill(_ step: Phrase, point: String, outcome: String) -> Finding {
        Finding(
            "\(step) ended by itself with \(outcome): the bank held no request",
            "the case kills the client while the bank holds its request at \(fixed: point)")
    }

    static func noEvent(_ step: Phrase, _ reason: String) -> Finding {
        Finding("\(step) did not happen at the bank: \(reason)", "the case is about what the client shows after it")
    }

    /// - Parameter trigger: the event that a rule for deliveries applies to.
    static func noDelivery(_ trigger: String) -> Finding {
        Finding("the receiver got no delivery of this kind", "the rule is about \(fixed: trigger)")
    }

    static func noFile(_ step: Phrase, _ purpose: Phrase) -> Finding {
        Finding("the client had no file in \(step)", "\(purpose)")
    }

    static func staleControl(_ step: Phrase) -> Finding {
        Finding("\(step) showed old data", "it must show current data, because no fault is active yet")
    }

    static func failedControl(_ step: Phrase, _ outcome: String) -> Finding {
        Finding("\(step) ended with \(outcome)", "it must succeed, because no fault is active yet")
    }

    /// - Parameter path: the path of keys that the view does not have.
    static func notShown(_ step: Phrase, _ path: String) -> Finding {
        Finding("\(step) showed no \(fixed: path)", "the case is about clients that show it")
    }

    /// - Parameter why: what the client did not do; nil if it is not known.
    static func notApplied(_ times: Int, needed: Int, why: String?) -> Finding {
        Finding(
            "the fault was applied \(counted(times, "time"))\(fixed: why.map { ": \($0)" } ?? "")",
            "the case needs it applied at least \(fixed: needed == 1 ? "once" : "\(needed) times")")
    }

    /// - Parameter why: a relative clause; empty if it is not known.
    static func appliedElsewhere(_ step: Int, to others: [String], meant: String, why: Phrase) -> Finding {
        Finding(
            "the fault of step \(step) was applied to a request for payment order \(others.joined(separator: ", "))\(why)",
            "the case is about payment order \(meant)", isAboutTime: true)
    }

    static func tooFewRejections(_ count: Int, needed: Int) -> Finding {
        Finding(
            "the bank rejected \(fixed: count == 0 ? "no request" : counted(count, "request")) for its token",
            "the case needs at least \(counted(needed, "rejection"))")
    }

    static func noExpectedView(_ step: Phrase, _ reason: String) -> Finding {
        Finding("the view of \(step) cannot be compared: \(reason)", "the case needs a view to compare with")
    }

    static func noSuchRequest(_ scope: Phrase) -> Finding {
        Finding("the client sent no request\(scope)", "the case is about such a request")
    }

    /// - Parameter trigger: the event that a rule for recorded traffic applies to, as a clause.
    static func noTrigger(_ trigger: String) -> Finding {
        Finding("the journal has no exchange in which \(trigger)", "the rule applies to such exchanges only")
    }
}

/// Sign-ins on the bank's page.
extension Finding {
    static func noPage(_ step: Phrase) -> Finding {
        Finding("\(step) had no address to open", "`authorize_begin` shows the address of the bank's sign-in page")
    }

    static func pageElsewhere(_ step: Phrase, _ address: String) -> Finding {
        Finding("\(step) got the address \(clipped(address, to: 100))", "`authorize_begin` shows an address at the bank")
    }

    static func pageFailed(_ step: Phrase, _ reason: String) -> Finding {
        Finding("\(step) did not finish: \(reason)", "the case needs a customer who can sign in on the bank's page")
    }

    static func pageWithoutClient(_ step: Phrase) -> Finding {
        Finding(
            "\(step) opened the page of a challenge without `client_id`, which has no form",
            "`authorize_begin` shows `challenge_url` with `client_id`, `redirect_uri` and `state`")
    }

    static func confidentialClient(_ client: String) -> Finding {
        Finding("the client signs in as \(client), which has a secret at the bank", "the case is about public clients, which have none")
    }

    static func usedCode(_ exchange: JournalEntry, _ earlier: JournalEntry?) -> Finding {
        let before: Phrase = earlier.map { "that it had sent in \($0.named)" } ?? "again"
        return Finding(
            "\(exchange.named) sent the authorization code \(before)", "a client uses a code once", source: "RFC 6749 §4.1.2",
            in: [earlier, exchange])
    }

    static func parameterNotSent(_ name: String, _ glob: String, _ page: JournalEntry) -> Finding {
        let value: Phrase = glob == "*" ? "" : " like \(fixed: glob)"
        return Finding("\(page.namedAsPage) had no `\(fixed: name)`\(value)", "the case is about clients that send one", in: [page])
    }

    static func parameterDiffers(_ name: String, _ value: String?, _ glob: String, _ page: JournalEntry) -> Finding {
        let seen: Phrase = value.map { "the `\(fixed: name)` \(clipped($0, to: 60))" } ?? "no `\(fixed: name)`"
        let wanted: Phrase = glob == "*" ? "a value for it" : "the value \(fixed: glob)"
        return Finding("\(page.namedAsPage) had \(seen)", "every request for the sign-in page has \(wanted)", in: [page])
    }

    static func parameterShared(_ name: String, _ first: JournalEntry, _ second: JournalEntry) -> Finding {
        Finding(
            "\(second.namedAsPage) had the same `\(fixed: name)` as \(first.named)", "each attempt to sign in has a new `\(fixed: name)`",
            in: [first, second])
    }
}
