import BankModel
import DriverProtocol

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
