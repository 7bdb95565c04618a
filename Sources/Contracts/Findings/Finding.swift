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
    /// Whether the evidence is how long something took: on an overloaded machine, the machine may be the cause.
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
}

extension Finding {
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
