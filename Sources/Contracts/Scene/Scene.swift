package import BankModel
import DriverProtocol

/// What is known of a client: the journal of its requests, and, for a run that a harness drove, the case and the rest of the evidence.
///
/// The same rules look at both. What differs are the order of requests (``order(of:after:)``), the requests of one payment order, and
/// what the scene ``knows``.
package struct Scene: Sendable {
    /// The case as it was run; nil for recorded traffic.
    let instance: Instance?
    /// The evidence: of recorded traffic the journal and the deliveries alone. Outside of the suite `errors`, an error that the client received
    /// and did not show counts as shown.
    let evidence: Evidence
    /// The exchanges in the order in which their heads were read, without those whose request did not come whole, and without those of
    /// the browser on the sign-in page.
    let exchanges: [JournalEntry]
    /// The requests by which the browser opened addresses that the client had made for it.
    let pages: [JournalEntry]
    /// Those of them that are requests: a connection that ended before a head was read is none.
    let requests: [JournalEntry]
    /// Where the requests of one key, operation, token or body are.
    let index: RequestIndex
    /// The order of the requests, as far as the journal shows it.
    let timing: Timing
    /// Whether one client has sent all requests. The journal of a session may hold those of several devices.
    let isOfOneClient: Bool
    /// The intent of each idempotency key, and of each exchange without one.
    private let intents: IntentMap

    /// A run that a harness drove.
    package init(_ instance: Instance, _ evidence: Evidence) {
        self.init(
            instance, instance.suite == Scene.aboutErrors ? evidence : evidence.showingErrors, IntentMap(instance, evidence),
            isSequential: false, isOfOneClient: true)
    }

    /// Recorded traffic: sequential if the client sent each request after it had read the response before; of one client if it sent all.
    package init(
        journal: [JournalEntry], dropped: Int = 0, deliveries: [WebhookAttempt] = [], isSequential: Bool = false,
        isOfOneClient: Bool = false
    ) {
        var evidence = Evidence(journal: journal, dropped: dropped)
        evidence.deliveries = deliveries
        self.init(nil, evidence, IntentMap(), isSequential: isSequential, isOfOneClient: isSequential || isOfOneClient)
    }

    private init(_ instance: Instance?, _ evidence: Evidence, _ intents: IntentMap, isSequential: Bool, isOfOneClient: Bool) {
        self.instance = instance
        self.evidence = evidence
        self.intents = intents
        self.isOfOneClient = isOfOneClient
        let browsed = Set(evidence.visits.flatMap(\.exchanges))
        let opened = Set(evidence.visits.compactMap { $0.exchanges.min() })
        let whole = evidence.journal.filter { !$0.isIncomplete }.sorted { ($0.monoNanoseconds, $0.seq) < ($1.monoNanoseconds, $1.seq) }
        exchanges = browsed.isEmpty ? whole : whole.filter { !browsed.contains($0.seq) }
        pages = whole.filter { opened.contains($0.seq) }
        requests = exchanges.filter { $0.method != nil }
        index = RequestIndex(requests)
        timing = Timing(requests, of: evidence.journal, dropped: evidence.dropped, isSequential: isSequential)
    }

    /// What is known besides the requests: of a run all there is, of recorded traffic nothing.
    var knows: Knowledge { instance == nil ? [] : .ofRuns }

    /// The suite that asks what the user sees of an error.
    private static let aboutErrors = "errors"

    /// The case's steps; none for recorded traffic.
    var steps: [NumberedStep] { instance?.allSteps ?? [] }

    /// The numbers of the steps that run at once with this one, and its own.
    func group(of step: Int) -> [Int] { instance?.group(of: step) ?? [step] }

    package func outcome(of step: Int) -> StepOutcome? { evidence.steps[step]?.outcome }

    func isOK(_ step: Int) -> Bool { if case .ok? = outcome(of: step) { true } else { false } }

    /// The exchanges whose heads were read after the result of that step was; all if there is no step.
    package func exchanges(after step: Int?) -> [JournalEntry] {
        guard let step else { return exchanges }
        guard let ended = evidence.steps[step]?.ended else { return [] }
        return exchanges.filter { $0.monoNanoseconds > ended }
    }

    /// The exchanges whose heads were read while any step that runs at once with this one was open.
    package func exchanges(during step: Int) -> [JournalEntry] {
        let reports = group(of: step).compactMap { evidence.steps[$0] }
        guard let started = reports.map(\.started).min(), let ended = evidence.steps[step]?.ended else { return [] }
        return exchanges.filter { (started...max(started, ended)).contains($0.monoNanoseconds) }
    }

    /// Whether the client must have read the response: one that came as the time ran out it may have missed.
    func cameInTime(_ exchange: JournalEntry) -> Bool {
        exchange.durationMicroseconds ?? .max < Int64(instance?.given.timeouts.totalMilliseconds ?? 0) * 500
    }

    /// The exchanges that the bank rejected because of their token, by state or by fault.
    package var rejections: [JournalEntry] {
        exchanges.filter {
            $0.response == DialectResponseName.tokenRejected.rawValue || $0.response == DialectResponseName.tokenExpired.rawValue
        }
    }

    /// `$rejected`: the id of the first token the bank rejected.
    package var rejectedToken: String? {
        rejections.lazy.compactMap(\.token).first { $0 != "empty" && $0 != "unknown" }
    }

    package func intent(of exchange: JournalEntry) -> String? { intents.intent(of: exchange) }

    /// The intent that a key was first used for.
    func intent(ofKey key: String) -> String? { intents.intent(ofKey: key) }

    /// All intents that an exchange may be of: several if the guess is not sure, none if it is of no intent.
    func candidates(of exchange: JournalEntry) -> Set<String> { intents.candidates(of: exchange) }

    func candidates(ofKey key: String) -> Set<String> { intents.candidates(ofKey: key) }

    /// All intents that a movement of money may belong to.
    func candidates(of movement: Movement) -> Set<String> {
        if let key = movement.key { return intents.candidates(ofKey: key) }
        return intent(of: movement).map { [$0] } ?? []
    }

    /// The intent that a movement of money belongs to.
    package func intent(of movement: Movement) -> String? {
        if let key = movement.key { return intents.intent(ofKey: key) }
        guard let visit = visit(of: movement) else { return nil }
        if let intent = initiation(of: visit).flatMap(intent(of:)) { return intent }
        // What the customer has authorised is the order that the case has.
        let ordered = distinct(steps.compactMap(\.action.intent))
        return ordered.count == 1 ? ordered.first : nil
    }
}

/// The signed-in customer at a time.
extension Scene {
    /// One stretch of time with one customer.
    struct SignedIn {
        /// Nil: nobody.
        var customer: String?
        /// When the result of the sign-in or sign-out was read, by the monotonic clock.
        var since: Int64
        /// The step that reported it; 0: before the first.
        var step: Int
    }

    /// The stretches in the order of time, nobody first. A sign-in that failed changes nothing.
    var signIns: [SignedIn] {
        var stretches = [SignedIn(customer: nil, since: .min, step: 0)]
        for step in steps.sorted(by: { ended($0.n) < ended($1.n) }) {
            guard case .ok = outcome(of: step.n), let report = evidence.steps[step.n] else { continue }
            switch step.action.operation {
            case .login, .authorizeFinish:
                stretches.append(SignedIn(customer: customer(in: step), since: report.ended, step: step.n))
            case .logout: stretches.append(SignedIn(customer: nil, since: report.ended, step: step.n))
            default: break
            }
        }
        return stretches
    }

    /// The customer signed in at the start of a step; nil if none was, or on a bank without tokens.
    func customer(at step: Int) -> String? {
        guard let started = evidence.steps[step]?.started else { return nil }
        return signIns.last { $0.since <= started }?.customer
    }

    /// The customer whom a `login` step names, or who has approved what an `authorize_finish` brought; else the case's.
    func customer(in step: NumberedStep) -> String? {
        if step.action.asked == .authorizeFinish { return evidence.approvals[step.n] ?? instance?.customer?.login }
        return evidence.arguments[step.n]?["user"]?.string ?? step.action.argument("user")
            ?? instance?.customer?.login
    }

    /// The bank's own view of an operation for the customer who was signed in when the step began.
    func expectedView(_ operation: DriverOperation, at step: Int) -> JSON? {
        guard let customer = customer(at: step), customer != instance?.customer?.login, let views = evidence.othersViews[customer] else {
            return evidence.expected[operation]
        }
        return views[operation]
    }

    private func ended(_ step: Int) -> Int64 { evidence.steps[step]?.ended ?? .max }
}
