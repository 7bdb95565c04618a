import BankModel
import DriverProtocol

/// The payment that an intent asks for.
private struct OrderedPayment {
    var intent: String
    var amount: Money?
    var from: String?
    var to: String?
    /// The amount as the user typed it; nil if the step has only the amount.
    var typed: String?

    var text: String {
        "\(amount.map { "\($0)" } ?? "some money")" + (typed.map { " (typed \"\($0)\")" } ?? "")
            + (from.map { " from \($0)" } ?? "")
            + (to.map { " to \($0)" } ?? "") + " (payment order \(intent))"
    }

    func isMet(by movement: Movement) -> Bool {
        (amount ?? movement.amount) == movement.amount && (from ?? movement.from.id) == movement.from.id
            && (to ?? movement.to.id) == movement.to.id
    }
}

extension ClientRule {
    /// Money moves as the user ordered, and only then.
    static let paymentRules = [
        ClientRule("invariant.pays-what-was-wished", .money, needs: [.steps, .ledger]) { $0.paysWhatWasOrdered(&$1) },
        ClientRule("invariant.no-unrequested-payments", .money, needs: [.steps, .ledger]) { $0.noUnrequestedPayments(&$1) },
        ClientRule("invariant.result-shown-as-received", .money, needs: [.steps, .ledger]) { $0.resultShownAsReceived(&$1) },
    ]
}

extension Scene {
    /// Every movement equals the last form of its order in amount, currency, source and payee; a round-up's the sum that was reported. An
    /// attempt whose outcome was unknown when the user corrected the order may have an earlier form.
    fileprivate func paysWhatWasOrdered(_ result: inout RuleResult) {
        for (movement, exchange) in committed {
            guard let exchange, let intent = intent(of: exchange),
                let order = paymentOrder(of: intent, by: movement.customer, at: exchange.monoNanoseconds)
            else { continue }
            let moved = "\(movement.amount) from \(movement.from.id) to \(movement.to.id)"
            let isAmount = order.amount.map { $0 != movement.amount } ?? false
            let message = Finding.otherPayment(exchange, moved: moved, wanted: order.text, isAmount: isAmount)
            let isOfOther = candidates(of: exchange).subtracting([intent]).contains { other in
                paymentOrder(of: other, by: movement.customer, at: exchange.monoNanoseconds)?.isMet(by: movement) ?? false
            }
            let isMet =
                order.isMet(by: movement) || isOfOther
                || openForm(of: intent, by: movement.customer, in: exchange)?.isMet(by: movement) ?? false
            result.add(isMet ? nil : message)
        }
    }

    /// The order as it was when the exchange's key was first sent, if that step had reported no outcome by then, or an unknown one: a
    /// client finishes what may have been paid.
    private func openForm(of intent: String, by customer: String?, in exchange: JournalEntry) -> OrderedPayment? {
        let attempts = payments.filter { attempt in
            attempt.key == exchange.key && !attempt.isOfAnotherPerson(than: exchange) && self.intent(of: attempt) == intent
        }
        guard exchange.key != nil, let first = attempts.first,
            let step = orderingStep(of: intent, by: customer, at: first.monoNanoseconds), let report = evidence.steps[step.n]
        else { return nil }
        let isUnknown = if case .error(ClientError.outcomeUnknown.rawValue, _) = report.outcome { true } else { false }
        guard isUnknown || report.ended > exchange.monoNanoseconds else { return nil }
        return paymentOrder(of: intent, by: customer, at: first.monoNanoseconds)
    }

    /// No movement is without an order, and no order moves money twice.
    fileprivate func noUnrequestedPayments(_ result: inout RuleResult) {
        var paid: [[String]: [(movement: Movement, exchange: JournalEntry?)]] = [:]
        for (movement, exchange) in committed {
            guard let intent = exchange.flatMap(intent(of:)) ?? intent(of: movement) else {
                result.add(.paymentForNoIntent(movement.amount, to: movement.to.id, in: exchange))
                continue
            }
            // Two customers may have an order of one name.
            if !movement.state.isReversed { paid[[intent, movement.customer ?? ""], default: []].append((movement, exchange)) }
            result.add()
        }
        for (order, payments) in paid.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) where payments.count > 1 {
            if mayBeOfSeveral(payments, order, paid) { continue }
            let keys = distinct(payments.compactMap(\.movement.key))
            result.add(.paidSeveralTimes(payments.count, for: order[0], keys: keys, in: payments[1].exchange))
        }
    }

    /// Whether the payments of an order may be of several, with one payment each: nothing tells which payment is of which of them.
    private func mayBeOfSeveral(
        _ payments: [(movement: Movement, exchange: JournalEntry?)], _ order: [String],
        _ paid: [[String]: [(movement: Movement, exchange: JournalEntry?)]]
    ) -> Bool {
        let unsure = payments.map { orders(of: $0.movement, $0.exchange) }.filter { $0.count > 1 }
        guard payments.count - unsure.count < 2 else { return false }
        let candidates = unsure.reduce(into: Set<String>()) { $0.formUnion($1) }
        let all = paid.filter { candidates.contains($0.key[0]) && $0.key[1] == order[1] }.map(\.value.count).reduce(0, +)
        return all <= candidates.count
    }

    /// A payment is reported as it went: `ok` with a movement behind it, `rejected` and `cancelled` with none, and `outcome_unknown`
    /// only if no final answer came.
    fileprivate func resultShownAsReceived(_ result: inout RuleResult) {
        let committed = self.committed
        for step in steps {
            guard let operation = step.action.operation, [.pay, .resume, .roundUp].contains(operation), let intent = step.action.intent,
                let report = evidence.steps[step.n]
            else { continue }
            let named: Phrase = "step \(step.n) (\(fixed: operation.rawValue) \(intent))"
            let customer = customer(at: step.n)
            let behind = committed.filter { movement, exchange in
                (customer == nil || movement.customer == nil || customer == movement.customer)
                    && time(of: movement, exchange) <= report.ended
                    && orders(of: movement, exchange).contains(intent)
            }
            switch report.outcome {
            case .ok:
                result.add(behind.isEmpty ? .successWithoutPayment(named, intent: intent) : nil)
            case .error(let name, _):
                let sure = behind.filter { orders(of: $0.movement, $0.exchange) == [intent] }
                let order = paymentOrder(of: intent, by: customer, at: report.ended)
                let others = behind.filter { order?.isMet(by: $0.movement) == false }.compactMap { $0.exchange?.seq }
                let mismatch = falseReport(name, named, report, order, sure)
                result.add(mismatch ?? (isCancelled(step) ? nil : needlessDoubt(name, named, report, intent, others)))
            default: continue
            }
        }
    }

    /// A payment that the client reports as rejected, cancelled or never sent although the bank made it.
    private func falseReport(
        _ error: String, _ named: Phrase, _ report: StepReport, _ order: OrderedPayment?, _ behind: [(Movement, JournalEntry?)]
    ) -> Finding? {
        let isFinal = ["rejected", "cancelled"].contains(error)
        let carried = behind.first { movement, exchange in
            // What no request is known to have made, such as a standing order, is not what the client reports about.
            guard let exchange, !movement.state.isReversed, order?.isMet(by: movement) ?? true else { return false }
            return isFinal || (["offline", "tls"].contains(error) && exchange.monoNanoseconds >= report.started)
        }
        guard let (movement, exchange) = carried else { return nil }
        return .failureWithPayment(named, error: error, movement.amount, in: exchange)
    }

    /// Whether the user cancels the step: its response may come too late to be read.
    private func isCancelled(_ cancelled: NumberedStep) -> Bool {
        steps.contains { step in
            if case .cancel(cancelled.n) = step.action { true } else { false }
        }
    }

    /// A payment that is reported as unknown though its final answer came whole, with no fault near it.
    ///
    /// - Parameter others: the exchanges that made another payment than the step asks for: the order in an earlier form.
    private func needlessDoubt(_ error: String, _ named: Phrase, _ report: StepReport, _ intent: String, _ others: [Int]) -> Finding? {
        // A client need not know each state that a bank may report: the case says which.
        guard error == "outcome_unknown", !optionalFailures.contains(where: { $0.action.intent == intent }), !filesFail(during: report)
        else { return nil }
        let attempts = exchanges.filter { exchange in
            exchange.roles.contains(Role.pay.rawValue) && candidates(of: exchange) == [intent]
                && report.span.contains(exchange.monoNanoseconds)
        }
        guard let last = attempts.last, last.isDelivered, !others.contains(last.seq),
            !attempts.contains(where: { $0.faults.contains(where: \.applied) }),
            last.isFinalRejection || (last.succeeded && last.committed && !isInitiation(last)),
            // A client that has not waited, such as one with an outbox, does not know the response.
            last.endNanoseconds ?? .max <= report.ended,
            // There are clients that lose a response before which the bank announces the end of its connection.
            last.receipt.end != .goaway, cameInTime(last)
        else { return nil }
        return .needlessDoubt(named, last)
    }

    /// Whether the case makes the client's files fail during the step: one that writes a response to a file before it reads it, as a shell
    /// script does, then loses it.
    private func filesFail(during report: StepReport) -> Bool {
        var fails = false
        for step in steps {
            guard case .disk(let failure) = step.action, let disk = evidence.steps[step.n], disk.started <= report.ended else { continue }
            if failure.what != .nothing { fails = true } else if disk.ended <= report.started { fails = false }
        }
        return fails
    }

    /// Whether the bank makes the payment of this request later, on its page: a success is not its final answer.
    private func isInitiation(_ exchange: JournalEntry) -> Bool { instance?.bank.authorisesPayments == true && exchange.key == nil }

    /// All orders that a movement may belong to, by the exchange that made it if that is known.
    private func orders(of movement: Movement, _ exchange: JournalEntry?) -> Set<String> {
        let own = exchange.map { candidates(of: $0) } ?? []
        return own.isEmpty ? candidates(of: movement) : own
    }

    /// Each movement with the exchange that made it, or that asked for what the customer then authorised on the bank's page.
    private var committed: [(movement: Movement, exchange: JournalEntry?)] {
        let payments = exchanges.filter { $0.committed && !$0.replayed && $0.roles.contains(Role.pay.rawValue) }
        var bare = payments.filter { $0.key == nil }[...]
        let byKey = Dictionary(grouping: payments) { $0.key }
        return evidence.movements.map { movement in
            if let visit = visit(of: movement) { return (movement, initiation(of: visit)) }
            guard let key = movement.key else { return (movement, bare.popFirst()) }
            // A key is one customer's: another's payment under the same key is another payment.
            let own = (byKey[key] ?? []).first { $0.customer == nil || movement.customer == nil || $0.customer == movement.customer }
            return (movement, own)
        }
    }

    /// When the money moved, as far as it is known: with the request for it, or when the customer opened the page.
    private func time(of movement: Movement, _ exchange: JournalEntry?) -> Int64 {
        if let visit = visit(of: movement) { return evidence.steps[visit.step]?.started ?? .min }
        return exchange?.monoNanoseconds ?? .min
    }

    /// The order as a customer last gave it before that time; for a round-up, with the sum that was shown. Two customers may have an order
    /// of one name.
    private func paymentOrder(of intent: String, by customer: String?, at time: Int64) -> OrderedPayment? {
        guard let step = orderingStep(of: intent, by: customer, at: time) else { return nil }
        let arguments = evidence.arguments[step.n]
        func text(_ name: String) -> String? { arguments?[name]?.string ?? step.action.argument(name) }
        if step.action.asked == .roundUp {
            let shown = orderSteps(of: intent, by: customer).compactMap { step -> Money? in
                guard case .ok(let view) = outcome(of: step.n) else { return nil }
                return money(view["amount"]?.string, view["currency"]?.string)
            }
            return OrderedPayment(intent: intent, amount: shown.first, from: text("account"), to: text("goal"))
        }
        return OrderedPayment(
            intent: intent, amount: money(text("amount"), text("currency")), from: text("from"), to: text("to"),
            typed: text(RawAmount.argument))
    }

    /// The step in which the customer last gave the order before that time.
    private func orderingStep(of intent: String, by customer: String?, at time: Int64) -> NumberedStep? {
        orderSteps(of: intent, by: customer).last { step in
            [.pay, .roundUp].contains(step.action.asked) && (evidence.steps[step.n]?.started ?? .max) <= time
        }
    }

    private func orderSteps(of intent: String, by customer: String?) -> [NumberedStep] {
        steps.filter { step in
            guard step.action.intent == intent else { return false }
            guard let customer, let other = self.customer(at: step.n) else { return true }
            return other == customer
        }
    }

    private func money(_ amount: String?, _ currency: String?) -> Money? {
        guard let amount, let currency = currency.flatMap({ Currency($0) }) else { return nil }
        return try? Money(major: amount, currency: currency)
    }
}

extension Finding {
    static func paymentForNoIntent(_ amount: Money, to payee: String, in exchange: JournalEntry?) -> Finding {
        let location: Phrase = exchange.map { "\($0.named)" } ?? "the client"
        return Finding(
            "\(location) moved \(amount) to \(payee) without a payment order of the case", "money moves only when the user asks for it",
            in: [exchange])
    }

    static func paidSeveralTimes(_ times: Int, for intent: String, keys: [String], in exchange: JournalEntry?) -> Finding {
        let how: Phrase = keys.count > 1 ? ", under \(keys.count) keys" : ""
        return Finding(
            "the client paid payment order \(intent) \(times) times\(how)", "a payment order moves money once", in: [exchange],
            mistake: keys.count > 1 ? .newKey : .paidTwice)
    }

    static func otherPayment(_ exchange: JournalEntry, moved: String, wanted: String, isAmount: Bool) -> Finding {
        Finding("\(exchange.named) moved \(moved)", "the user asked for \(wanted)", in: [exchange], mistake: isAmount ? .amount : nil)
    }

    static func successWithoutPayment(_ step: Phrase, intent: String) -> Finding {
        Finding("\(step) reported success, but the bank did not execute payment order \(intent)", "a payment succeeds only if money moved")
    }

    static func failureWithPayment(_ step: Phrase, error: String, _ amount: Money, in exchange: JournalEntry?) -> Finding {
        Finding(
            "\(step) reported `\(fixed: error)`, but \(amount) moved\(exchange.map { " in \($0.named)" } ?? "")",
            "a client reports `\(fixed: error)` only if no money moved", in: [exchange])
    }

    static func needlessDoubt(_ step: Phrase, _ answered: JournalEntry) -> Finding {
        Finding(
            "\(step) reported `outcome_unknown`, although \(answered.named) was answered \(answered.status ?? 0)",
            "a payment is unknown only if the bank sent no final response", in: [answered])
    }
}
