import BankModel

/// The result of a rule in a scene: each time it applied, it was broken or not, or the journal cannot decide.
package struct Findings: Sendable, Hashable {
    /// How often the rule applied.
    package private(set) var met = 0
    /// What shows that it was broken, each once.
    package private(set) var broken: [Finding] = []
    package private(set) var openFindings: [OpenFinding] = []
    /// The exchanges that belong to a trigger in doubt. A burst is one trigger: that no request follows its last
    /// exchange does not show that the rule was not broken.
    private var bursts: Set<Int> = []

    package init() {}

    /// Counts one time that the rule applied, and records what shows it broken, if anything does.
    mutating func add(_ finding: Finding?) {
        met += 1
        if let finding, !broken.contains(finding) { broken.append(finding) }
    }

    /// Counts one time that the rule applied, where the journal cannot decide whether it was broken.
    mutating func add(_ finding: Finding, unless doubt: InconclusiveReason) {
        met += 1
        openFindings.append(OpenFinding(finding, doubt))
    }

    /// Counts one time that the rule applied, where nothing can decide whether it was broken.
    mutating func add(_ finding: Finding, reason: String, advice: String) {
        met += 1
        openFindings.append(OpenFinding(finding, reason: reason, advice: advice))
    }

    /// Counts a trigger by what followed it.
    ///
    /// - Parameter finding: what the request that followed is, if it was sent in knowledge of the trigger's response.
    mutating func add(_ trigger: JournalEntry, _ successors: Scene.Successors, _ finding: (JournalEntry) -> Finding) {
        if let certain = successors.certain { return add(finding(certain)) }
        let isInBurst = bursts.contains(trigger.seq)
        if let (request, cause) = successors.uncertain.first {
            var suspect = finding(request)
            suspect.requests = ([trigger] + successors.uncertain.map(\.request)).map(RequestRef.init)
            bursts.formUnion(suspect.requests.map(\.number))
            if !isInBurst { add(suspect, unless: cause) }
        } else if !isInBurst {
            add()
        }
    }

    /// Counts one time that the rule applied and was not broken.
    mutating func add() { met += 1 }
}

/// A rule that may have been broken; the journal cannot decide.
package struct OpenFinding: Sendable, Hashable {
    package var finding: Finding
    /// Why the journal cannot decide.
    package var reason: String
    /// The change to the test that lets the journal decide.
    package var advice: String

    init(_ finding: Finding, _ doubt: InconclusiveReason) { self.init(finding, reason: doubt.reason, advice: doubt.advice) }

    init(_ finding: Finding, reason: String, advice: String) {
        self.finding = finding
        self.reason = reason
        self.advice = advice
    }
}
