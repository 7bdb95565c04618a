import BankModel
import DriverProtocol

/// Which exchange belongs to which intent, the name of a payment order in a case.
///
/// A request does not name its order. All requests with one key belong to one intent; for the first of them, and for one without a key,
/// ``OrderGuess`` guesses it.
struct IntentMap: Sendable {
    private var byKey: [String: String] = [:]
    private var bySequence: [Int: String] = [:]

    init() {}

    init(_ instance: Instance, _ evidence: Evidence) {
        let orders = instance.allSteps.filter { $0.action.intent != nil }
        let pages = instance.allSteps.filter { [.authorizeBegin, .authorizeFinish].contains($0.action.asked) }
        // The intents of which a payment has come.
        var begun: Set<String> = []
        for exchange in evidence.journal.sorted(by: { $0.monoNanoseconds < $1.monoNanoseconds }) {
            if let key = exchange.key, byKey[key] != nil { continue }
            let guess = OrderGuess(exchange: exchange, orders: orders, pages: pages, begun: begun, evidence: evidence)
            guard let intent = guess.order?.action.intent else { continue }
            if let key = exchange.key { byKey[key] = intent } else { bySequence[exchange.seq] = intent }
            if exchange.key != nil || exchange.has(.pay) { begun.insert(intent) }
        }
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

/// The guess of which order a request is of, by its time, its amount and the order's outcome.
///
/// A guess cannot be *cannot tell*: a payment of no order is reported as one that was not requested, and one of the wrong order as a second
/// payment of that. So each heuristic gives a request to an order that may still lack it, and amounts distinguish orders that overlap: a case
/// has to give such orders different ones.
private struct OrderGuess {
    let exchange: JournalEntry
    /// The steps that name an order.
    let orders: [NumberedStep]
    /// The steps that open a page of the bank, or return from it.
    let pages: [NumberedStep]
    /// The intents of which a payment has come before.
    let begun: Set<String>
    let evidence: Evidence

    /// The step of the order; nil if the request is of none. The first heuristic that applies decides.
    var order: NumberedStep? {
        let running = orders.filter(isOpen)
        // A request without the amount of any running order may be a late one of the order before.
        if running.contains(where: { hasAmount(of: $0) || $0.action.argument("amount") == nil }) { return firstToFit(among: running) }
        if running.isEmpty, pages.contains(where: isOpen) { return orderOfPage }
        let late = givenUp
        return late.last(where: hasAmount) ?? unsent.last(where: hasAmount) ?? running.first
            ?? late.last { $0.action.argument("amount") == nil }
    }

    /// The running order: that with the request's amount, else the first.
    ///
    /// A client with an outbox may send a stored order meanwhile, under its own key. So a waiting order with this amount comes first, if the
    /// running one does not name the amount or has its request already, and does not show this payment as its own.
    ///
    /// Example: A ended with `offline`, and R, a round-up, runs. A request with A's amount is of A, unless R shows its payment.
    private func firstToFit(among running: [NumberedStep]) -> NumberedStep? {
        let own = running.first(where: hasAmount) ?? running.first
        let isOwnAmount = orders.contains { $0.action.intent == own?.action.intent && hasAmount(of: $0) }
        guard exchange.key != nil, !isOwnAmount || begun.contains(own?.action.intent ?? ""),
            let waiting = unsent.last(where: hasAmount), !isShown(by: own)
        else { return own }
        return waiting
    }

    /// The order before a page of the bank that is open or returns: a client may send the payment by itself when the customer comes back.
    ///
    /// Example: A, then `authorize_begin`, then a request while `authorize_finish` runs: it is of A.
    private var orderOfPage: NumberedStep? {
        let before = orders.filter { (evidence.steps[$0.n]?.started ?? .max) <= time }
        return before.last(where: hasAmount) ?? before.last
    }

    /// The orders that ended without a result so shortly before that a request of theirs may have been on its way, in the order of their
    /// ends: the bank may read a request of which the client has given up waiting for the response.
    ///
    /// Example: A ended with `timeout`, and B began 5 ms later. A request with A's amount 20 ms later is of A.
    private var givenUp: [NumberedStep] {
        let late = orders.compactMap { step -> (step: NumberedStep, ended: Int64)? in
            guard let report = evidence.steps[step.n], report.ended <= time, time <= report.ended + Scene.onItsWay else { return nil }
            if case .ok = report.outcome { return nil }
            return (step, report.ended)
        }
        return late.sorted { $0.ended < $1.ended }.map { $0.step }
    }

    /// The orders that ended without a result, neither rejected nor cancelled, and of which no request has come: a client with an outbox
    /// may send them at any time later.
    ///
    /// Example: A ended with `offline` while the port was closed. A request with A's amount comes minutes later: it is of A.
    private var unsent: [NumberedStep] {
        let isOver: Set<String> = [ClientError.rejected, .cancelled, .nothingToDo].reduce(into: []) { $0.insert($1.rawValue) }
        return orders.filter { step in
            guard let report = evidence.steps[step.n], report.ended <= time, !begun.contains(step.action.intent ?? "") else { return false }
            switch report.outcome {
            case .error(let name, _): return !isOver.contains(name)
            case .killed: return true
            default: return false
            }
        }
    }

    /// Whether the result of a step shows the payment, whose id is its key or stands in a response under its key.
    private func isShown(by step: NumberedStep?) -> Bool {
        guard let step, case .ok(let view)? = evidence.steps[step.n]?.outcome, let id = view["payment"]?.string, !id.isEmpty else {
            return false
        }
        if exchange.key?.lowercased() == id.lowercased() { return true }
        return evidence.journal.contains { $0.key == exchange.key && $0.responseText.contains("\"\(id)\"") }
    }

    private var time: Int64 { exchange.monoNanoseconds }

    private func isOpen(_ step: NumberedStep) -> Bool { evidence.steps[step.n]?.span.contains(time) ?? false }

    private func hasAmount(of step: NumberedStep) -> Bool { IntentMap.body(of: exchange, names: step.action.argument("amount")) }
}
