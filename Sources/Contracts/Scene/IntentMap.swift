import BankModel
import DriverProtocol

/// Which exchange belongs to which intent, the name of a payment order in a case.
///
/// A request does not name its order. All requests with one key belong to one intent; for the first of them, and for one without a key,
/// ``OrderGuess`` guesses it.
struct IntentMap: Sendable {
    /// The intent of a request, as far as it is known.
    fileprivate struct Owner {
        /// The likeliest.
        var intent: String
        /// All intents that it may be of; one if the guess is sure.
        var candidates: Set<String>
    }

    private var byKey: [String: Owner] = [:]
    private var bySequence: [Int: Owner] = [:]

    init() {}

    init(_ instance: Instance, _ evidence: Evidence) {
        let orders = instance.allSteps.filter { $0.action.intent != nil }
        let pages = instance.allSteps.filter { [.authorizeBegin, .authorizeFinish].contains($0.action.asked) }
        guard !orders.isEmpty else { return }
        // The intents of which a payment has come.
        var begun: Set<String> = []
        for exchange in evidence.journal.sorted(by: { $0.monoNanoseconds < $1.monoNanoseconds }) {
            if let key = exchange.key, byKey[key] != nil { continue }
            let guess = OrderGuess(exchange: exchange, orders: orders, pages: pages, begun: begun, evidence: evidence)
            guard let owner = guess.owner else { continue }
            if let key = exchange.key { byKey[key] = owner } else { bySequence[exchange.seq] = owner }
            if exchange.key != nil || exchange.has(.pay) { begun.insert(owner.intent) }
        }
    }

    func intent(of exchange: JournalEntry) -> String? { owner(of: exchange)?.intent }

    func intent(ofKey key: String) -> String? { byKey[key]?.intent }

    /// All intents that the exchange may be of; none if it is of no intent.
    func candidates(of exchange: JournalEntry) -> Set<String> { owner(of: exchange)?.candidates ?? [] }

    func candidates(ofKey key: String) -> Set<String> { byKey[key]?.candidates ?? [] }

    private func owner(of exchange: JournalEntry) -> Owner? {
        if let key = exchange.key { byKey[key] } else { bySequence[exchange.seq] }
    }
}

/// The guess of which order a request is of, by its time, its amount and the order's outcome.
///
/// A payment of no order is reported as one that nobody asked for, and one of the wrong order as a second payment of that. So each heuristic
/// gives a request to an order that may still lack it, and where several orders may, they are all candidates.
private struct OrderGuess {
    let exchange: JournalEntry
    /// The steps that name an order.
    let orders: [NumberedStep]
    /// The steps that open a page of the bank, or return from it.
    let pages: [NumberedStep]
    /// The intents of which a payment has come before.
    let begun: Set<String>
    let evidence: Evidence
    /// The amounts of orders that the request names.
    private let amounts: Set<String>

    init(exchange: JournalEntry, orders: [NumberedStep], pages: [NumberedStep], begun: Set<String>, evidence: Evidence) {
        self.exchange = exchange
        self.orders = orders
        self.pages = pages
        self.begun = begun
        self.evidence = evidence
        let ordered = Set(orders.compactMap { $0.action.argument("amount") })
        amounts = RequestAmounts(exchange).named(of: ordered, moved: OrderGuess.moved(by: exchange, evidence))
    }

    /// The amount that the bank has moved for the request's key; nil if it is not known.
    private static func moved(by exchange: JournalEntry, _ evidence: Evidence) -> Money? {
        guard let key = exchange.key else { return nil }
        return evidence.movements.first { movement in
            movement.key == key && (exchange.customer == nil || movement.customer == nil || exchange.customer == movement.customer)
        }?.amount
    }

    /// The order with all that the request may be of instead: others that run and fit, and others that wait and fit. The payment that a step
    /// shows leaves no doubt.
    var owner: IntentMap.Owner? {
        guard let intent = order?.action.intent else { return nil }
        let running = orders.filter(isOpen)
        let waiting = exchange.key == nil ? [] : unsent.filter(hasAmount)
        let fitting = amounts.isEmpty ? running : running.filter(mayHaveAmount) + waiting
        let candidates = Set(fitting.compactMap(\.action.intent) + [intent])
        if candidates.count > 1, exchange.key != nil, let shown = running.first(where: isShown)?.action.intent {
            return IntentMap.Owner(intent: shown, candidates: [shown])
        }
        return IntentMap.Owner(intent: intent, candidates: candidates)
    }

    /// The step of the order; nil if the request is of none. The first heuristic that applies decides.
    private var order: NumberedStep? {
        let running = orders.filter(isOpen)
        // A request without the amount of any running order may be a late one of the order before.
        if running.contains(where: { hasAmount(of: $0) || $0.action.argument("amount") == nil }) { return firstToFit(among: running) }
        if running.isEmpty, pages.contains(where: isOpen) { return orderOfPage }
        let late = givenUp
        return late.last(where: hasAmount) ?? unsent.last(where: hasAmount) ?? firstToBegin(among: running)
            ?? late.last { $0.action.argument("amount") == nil }
    }

    /// The running order: the first with the request's amount, else the first without an amount, as a round-up is.
    ///
    /// A client with an outbox may send a stored order meanwhile, under its own key. So a waiting order with this amount comes first, if the
    /// running one does not name the amount or has its request already, and does not show this payment as its own.
    ///
    /// Example: A ended with `offline`, and R, a round-up, runs. A request with A's amount is of A, unless R shows its payment.
    private func firstToFit(among running: [NumberedStep]) -> NumberedStep? {
        let own =
            firstToBegin(among: running.filter(hasAmount))
            ?? firstToBegin(among: running.filter { $0.action.argument("amount") == nil })
        let isOwnAmount = orders.contains { $0.action.intent == own?.action.intent && hasAmount(of: $0) }
        guard exchange.key != nil, !isOwnAmount || begun.contains(own?.action.intent ?? ""),
            let waiting = unsent.last(where: hasAmount), !(own.map(isShown) ?? false)
        else { return own }
        return waiting
    }

    /// The first of which no payment has come yet, else the first: orders that run at once begin one after the other, each with a request.
    private func firstToBegin(among running: [NumberedStep]) -> NumberedStep? {
        guard exchange.key != nil else { return running.first }
        return running.first { !begun.contains($0.action.intent ?? "") } ?? running.first
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
    private func isShown(by step: NumberedStep) -> Bool {
        guard case .ok(let view)? = evidence.steps[step.n]?.outcome, let id = view["payment"]?.string, !id.isEmpty else {
            return false
        }
        if exchange.key?.lowercased() == id.lowercased() { return true }
        return evidence.journal.contains { $0.key == exchange.key && $0.responseText.contains("\"\(id)\"") }
    }

    private var time: Int64 { exchange.monoNanoseconds }

    private func isOpen(_ step: NumberedStep) -> Bool { evidence.steps[step.n]?.span.contains(time) ?? false }

    private func hasAmount(of step: NumberedStep) -> Bool { step.action.argument("amount").map(amounts.contains) ?? false }

    /// Whether the request names the amount of the step's order, or no step gives that order an amount.
    private func mayHaveAmount(of step: NumberedStep) -> Bool {
        let own = orders.filter { $0.action.intent == step.action.intent && $0.action.argument("amount") != nil }
        return own.isEmpty || own.contains(where: hasAmount)
    }
}
