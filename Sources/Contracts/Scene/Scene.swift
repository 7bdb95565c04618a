package import BankModel
import DriverProtocol

/// What is known of a client: the journal of its requests, and, for a run that a harness drove, the case and the rest of the evidence.
///
/// The same rules look at both. What differs are the order of requests (``order(of:after:)``), the requests of one payment order, and
/// what the scene ``knows``.
package struct Scene: Sendable {
    /// The case as it was run; nil for recorded traffic.
    let instance: Instance?
    /// The evidence: of recorded traffic the journal alone. Outside of the suite `errors`, an error that the client received and did not
    /// show counts as shown.
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
    package init(journal: [JournalEntry], dropped: Int = 0, isSequential: Bool = false, isOfOneClient: Bool = false) {
        self.init(
            nil, Evidence(journal: journal, dropped: dropped), IntentMap(), isSequential: isSequential,
            isOfOneClient: isSequential || isOfOneClient)
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

/// Which exchange belongs to which intent.
///
/// An exchange belongs to the intent whose step was open when its key was first seen; without a key, when it arrived. While a page of the
/// bank is opened or returns, it is that of the order before.
/// Several open intents are distinguished by their amounts. One that has the amount of none of them is of the last that failed shortly before
/// with that amount: the bank may read a request of which the client has given up waiting for the response, even while the next step runs.
/// If none failed so shortly before, it is of one that ended without a result and of which no request has come: a client may store an order
/// and send it later.
struct IntentMap: Sendable {
    private var byKey: [String: String] = [:]
    private var bySequence: [Int: String] = [:]

    init() {}

    init(_ instance: Instance, _ evidence: Evidence) {
        let steps = instance.allSteps.filter { $0.action.intent != nil }
        let pages = instance.allSteps.filter { [.authorizeBegin, .authorizeFinish].contains($0.action.asked) }
        // The intents of which a payment has come.
        var begun: Set<String> = []
        for exchange in evidence.journal.sorted(by: { $0.monoNanoseconds < $1.monoNanoseconds }) {
            if let key = exchange.key, byKey[key] != nil { continue }
            let time = exchange.monoNanoseconds
            func isOpen(_ step: NumberedStep) -> Bool {
                evidence.steps[step.n]?.span.contains(time) ?? false
            }
            func hasAmount(of step: NumberedStep) -> Bool { IntentMap.body(of: exchange, names: step.action.argument("amount")) }
            let running = steps.filter(isOpen)
            // A request without the amount of any running order may be a late one of the order before.
            let isOfRunning = running.contains { hasAmount(of: $0) || $0.action.argument("amount") == nil }
            let waiting = IntentMap.unsent(steps, before: time, evidence).filter { !begun.contains($0.action.intent ?? "") }
            let order: NumberedStep?
            if isOfRunning {
                let own = running.first(where: hasAmount) ?? running.first
                let isOwnAmount = steps.contains { $0.action.intent == own?.action.intent && hasAmount(of: $0) }
                // A round-up names no amount; and of two orders with one amount the running one has a request already.
                let isOther = !isOwnAmount || begun.contains(own?.action.intent ?? "")
                let other = exchange.key != nil && isOther ? waiting.last(where: hasAmount) : nil
                order = other.flatMap { IntentMap.shows(own, exchange, evidence) ? nil : $0 } ?? own
            } else if running.isEmpty, pages.contains(where: isOpen) {
                // A client may send the payment by itself when the customer comes back from the page.
                let before = steps.filter { (evidence.steps[$0.n]?.started ?? .max) <= time }
                order = before.last(where: hasAmount) ?? before.last
            } else {
                let late = IntentMap.givenUp(steps, at: time, evidence)
                order =
                    late.last(where: hasAmount) ?? waiting.last(where: hasAmount) ?? running.first
                    ?? late.last { $0.action.argument("amount") == nil }
            }
            guard let intent = order?.action.intent else { continue }
            if let key = exchange.key { byKey[key] = intent } else { bySequence[exchange.seq] = intent }
            if exchange.key != nil || exchange.has(.pay) { begun.insert(intent) }
        }
    }

    /// Whether the result of a step shows the payment, whose id is its key or stands in a response under its key.
    private static func shows(_ step: NumberedStep?, _ payment: JournalEntry, _ evidence: Evidence) -> Bool {
        guard let step, case .ok(let view)? = evidence.steps[step.n]?.outcome, let id = view["payment"]?.string, !id.isEmpty else {
            return false
        }
        if payment.key?.lowercased() == id.lowercased() { return true }
        return evidence.journal.contains { $0.key == payment.key && $0.responseText.contains("\"\(id)\"") }
    }

    /// The payments that ended before that time without a result, neither rejected nor cancelled: a client with an outbox may send them at any
    /// time later.
    private static func unsent(_ steps: [NumberedStep], before time: Int64, _ evidence: Evidence) -> [NumberedStep] {
        let isOver: Set<String> = [ClientError.rejected, .cancelled, .nothingToDo].reduce(into: []) { $0.insert($1.rawValue) }
        return steps.filter { step in
            guard let report = evidence.steps[step.n], report.ended <= time else { return false }
            switch report.outcome {
            case .error(let name, _): return !isOver.contains(name)
            case .killed: return true
            default: return false
            }
        }
    }

    /// The steps that ended without a result so shortly before that a request of theirs may still have been on its way, in the order in which
    /// they ended.
    private static func givenUp(_ steps: [NumberedStep], at time: Int64, _ evidence: Evidence) -> [NumberedStep] {
        let late = steps.compactMap { step -> (step: NumberedStep, ended: Int64)? in
            guard let report = evidence.steps[step.n], report.ended <= time, time <= report.ended + Scene.onItsWay else { return nil }
            if case .ok = report.outcome { return nil }
            return (step, report.ended)
        }
        return late.sorted { $0.ended < $1.ended }.map { $0.step }
    }

    func intent(of exchange: JournalEntry) -> String? { exchange.key.map { byKey[$0] } ?? bySequence[exchange.seq] }

    func intent(ofKey key: String) -> String? { byKey[key] }

    /// Whether a number in the body is the amount, in major or in minor units.
    static func body(of exchange: JournalEntry, names amount: String?) -> Bool {
        guard !exchange.requestBody.isEmpty, let amount, let wanted = JSONNumber(amount) else { return false }
        let minor = amount.filter { $0 != "." }.drop { $0 == "0" }
        // By value: a client may escape any letter of its JSON.
        let body = (try? JSON(parsing: exchange.requestBody))?.text ?? exchange.requestText
        let numbers = body.split { !($0.isASCII && $0.isNumber) && $0 != "." }
        return numbers.contains { $0 == minor || JSONNumber(String($0)) == wanted }
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
