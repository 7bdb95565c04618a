import BankModel

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
    init(of message: Finding, in caseID: String) {
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
            let roots = Dictionary(grouping: indices) { self[$0].judgement.reasons.first?.finding.exchange }
            for (exchange, same) in roots where exchange != nil && same.count > 1 {
                let root = same.min { first, second in self[first].rank < self[second].rank }
                for index in same { causes[index] = root.flatMap { self[$0].ownCause } }
            }
        }
        return causes
    }
}

extension InstanceResult {
    /// A mistake that is known by name, else the decisive reason.
    fileprivate var ownCause: Cause? {
        let named = deciding.filter { $0.mistake != nil }
        // A client that shows nothing hides no other mistake.
        let root = named.first { $0.mistake != .silence } ?? deciding.first { $0.mistake == nil } ?? deciding.first
        return root.map { Cause(of: $0, in: instance.caseID) }
    }

    /// The messages that decide the verdict: a mistake among the others does not explain it. All of them if there was no complete run.
    private var deciding: [Finding] {
        let decisive = judgement.reasons.filter { $0.weight.verdict == judgement.verdict }
        return (decisive.isEmpty ? judgement.reasons : decisive).map(\.finding)
    }

    fileprivate var rank: (Int, Int) {
        let isNamed = deciding.contains { $0.mistake != nil && $0.mistake != .silence }
        let topic = ownCause.flatMap { Cause.Topic.allCases.firstIndex(of: $0.topic) } ?? Cause.Topic.allCases.count
        return (isNamed ? 0 : 1, topic)
    }
}

extension Cause.Topic {
    /// The subject of a case or an invariant by its id.
    init(of caseID: String) {
        self = ClientRule.invariants.first { $0.id == caseID }?.topic ?? Cause.Topic(ofSuite: ClientRule.suite(of: caseID))
    }

    init(ofSuite suite: String) {
        switch suite {
        case "pay", "roundup": self = .money
        case "auth", "signin", "store": self = .tokens
        default: self = .other
        }
    }
}
