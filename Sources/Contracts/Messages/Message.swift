import BankModel

/// One requirement that was not met, after the event that shows it. Every report words it by the same template.
package struct Message: Sendable, Hashable {
    /// The event and its place, with a subject: `exchange 4 (GET /v1/accounts) sent token#1 again`.
    package var seen: Phrase
    /// The requirement: `a rejected token must not be sent again (RFC 6750 §3.1)`.
    package var expected: Phrase
    /// The first exchange that shows it; nil if none does.
    package var exchange: Int?
    /// The mistake behind it, where it is known; nil if what happened names it well enough.
    package var mistake: Mistake?
    /// Whether the evidence is how long something took: on a machine with too much to do it may be the machine's fault.
    package var isAboutTime: Bool

    package init(_ seen: Phrase, _ expected: Phrase, exchange: Int? = nil, mistake: Mistake? = nil, isAboutTime: Bool = false) {
        self.seen = seen
        self.expected = expected
        self.exchange = exchange
        self.mistake = mistake
        self.isAboutTime = isAboutTime
    }

    /// Both as sentences in one line.
    package var text: String { Message.text(seen: seen.text, expected: expected.text) }

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

extension Message {
    /// A mistake of a client that shows in several requirements, and is one cause of them.
    package enum Mistake: String, Sendable, Hashable, CaseIterable {
        case newKey = "the client sends a payment order again under a new idempotency key"
        case paidTwice = "the client sends a payment order more than once without an idempotency key that says so"
        case amount = "the client pays or shows an amount other than the one agreed"
        case rejectedToken = "the client sends a token again after the bank rejected it"
        case emptyBearer = "the client sends an Authorization header without a token"
        case hang = "the client does not end a step in time"
        case crash = "the client crashes"
        case firstPage = "the client shows the first page only"

        var topic: Cause.Topic {
            switch self {
            case .newKey, .paidTwice, .amount: .money
            case .rejectedToken, .emptyBearer: .tokens
            case .hang, .crash, .firstPage: .other
            }
        }
    }
}

/// The cause of results, of one case or several, that went wrong in the same way.
package struct Cause: Sendable, Hashable {
    package var topic: Topic
    /// The mistake; or else the event and the requirement, without what differs from run to run.
    package var title: String

    /// The subject, in the order in which users look at causes.
    package enum Topic: String, Sendable, Hashable, CaseIterable {
        case money
        case tokens
        case other
    }

    package init(_ topic: Topic, _ title: String) {
        self.topic = topic
        self.title = title
    }

    /// The cause behind a message in a case.
    init(of message: Message, in caseID: String) {
        if let mistake = message.mistake {
            self.init(mistake.topic, mistake.rawValue)
        } else {
            let parts = [message.seen.shape, message.expected.shape].filter { !$0.isEmpty }
            self.init(Topic(of: caseID), parts.joined(separator: "; ").inOneLine)
        }
    }
}

extension [InstanceResult] {
    /// The cause of each result; nil for one without a reason.
    ///
    /// The results of one run that begin with the same exchange have one cause: the first mistake that is known by name, else the gravest.
    var causes: [Cause?] {
        var byRun: [String: [Int]] = [:]
        for (index, result) in enumerated() where result.judgement.verdict == .fail {
            byRun["\(result.instance.filterName) \(result.repetition)", default: []].append(index)
        }
        var causes = map { $0.ownCause }
        for indices in byRun.values {
            let roots = Dictionary(grouping: indices) { self[$0].judgement.reasons.first?.message.exchange }
            for (exchange, same) in roots where exchange != nil && same.count > 1 {
                let root = same.min { first, second in self[first].rank < self[second].rank }
                for index in same { causes[index] = root.flatMap { self[$0].ownCause } }
            }
        }
        return causes
    }
}

extension InstanceResult {
    /// A mistake that is known by name before others, then what decided.
    fileprivate var ownCause: Cause? {
        let root = judgement.reasons.first { $0.message.mistake != nil } ?? judgement.reasons.first
        return root.map { Cause(of: $0.message, in: instance.caseID) }
    }

    fileprivate var rank: (Int, Int) {
        let isNamed = judgement.reasons.contains { $0.message.mistake != nil }
        let topic = ownCause.flatMap { Cause.Topic.allCases.firstIndex(of: $0.topic) } ?? Cause.Topic.allCases.count
        return (isNamed ? 0 : 1, topic)
    }
}

extension Cause.Topic {
    /// The subject of a case or an invariant by its id.
    init(of caseID: String) {
        let suite = caseID.prefix { $0 != "." }
        let money = [
            "invariant.pays-what-was-wished", "invariant.pays-only-wishes", "invariant.same-wish-same-body",
            "invariant.other-wish-other-key", "invariant.told-as-it-was",
        ]
        let tokens = [
            "invariant.own-token-only", "invariant.no-secret-in-address", "invariant.no-secret-on-disk-in-clear",
            "invariant.no-secret-in-log", "invariant.files-private", "invariant.no-foreign-host", "invariant.tls-stays-tls",
        ]
        if suite == "pay" || suite == "roundup" || money.contains(caseID) {
            self = .money
        } else if suite == "auth" || suite == "signin" || suite == "secrets" || tokens.contains(caseID) {
            self = .tokens
        } else {
            self = .other
        }
    }
}
