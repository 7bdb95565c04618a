import BankModel
import DriverProtocol
import Faults

/// What a client may do by its own design instead of what a case tests.
///
/// Each habit is a guess at why a step or a payment is not as expected. It is checked only where the case would fail, and makes the case *not
/// exercised* or inconclusive: one that applies too often hides a mistake, one that applies too seldom fails a conforming client. In doubt a
/// habit applies: each of its conditions must hold for every client that has it.
extension Scene {
    /// Why a step does not show what its case tests, if it ended otherwise than expected and the client is not required to do better; nil if
    /// nothing explains it.
    ///
    /// - Parameters:
    ///   - differences: in what the step differs from the nearest ending of its outcome; nil if the case has no ending of that outcome.
    ///   - mayBeSignedOut: whether the case accepts `unauthorized`, which reports that nobody is signed in.
    func explanation(
        of outcome: StepOutcome, of operation: DriverOperation, in n: Int, named: Phrase, differences: [StepEnding.Difference]?,
        mayBeSignedOut: Bool
    ) -> UnmetExpectation? {
        let view: JSON? = if case .ok(let shown) = outcome { shown } else { nil }
        // While nobody is signed in, a client shows no data, old or not.
        if view != nil, mayBeSignedOut { return nil }
        if let view, showsListReadAgain(view, operation, in: n) { return UnmetExpectation(.absent, .listReadAgain(named)) }
        // Wrong data is the client's mistake, whatever explains another outcome or another age.
        if let differences, differences.allSatisfy({ $0.inView != nil }) { return nil }
        let hasOtherData = differences?.contains { $0.inView != nil } ?? false
        if let reason = reasonForNoPayment(in: n, named: named) { return UnmetExpectation(.absent, reason) }
        if !hasOtherData, pauses(n, operation) {
            return UnmetExpectation(.absent, .paused(named, view == nil ? outcome.kind : "ok and old data"))
        }
        if !hasOtherData, sharesRequest(operation, in: n) { return UnmetExpectation(.absent, .sharedRequest(named)) }
        if let view, showsReadAhead(view, operation, in: n) { return UnmetExpectation(.absent, .readAhead(named)) }
        if view != nil, readsOnOlderConnection(operation, in: n) { return UnmetExpectation(.absent, .olderConnection(named)) }
        if case .error = outcome, missesConnectionRule(in: n) { return UnmetExpectation(.undecided, .noNewConnection(named, outcome.kind)) }
        return nil
    }

    /// Whether a step that is the first to ask for something shows what the client had read ahead and stored, marked as old: a client may show
    /// stored data in place of any error.
    ///
    /// Example: the client reads the accounts as it signs in. The step `accounts`, which the bank answers 503, shows them with `stale: true`.
    private func showsReadAhead(_ view: JSON, _ operation: DriverOperation, in n: Int) -> Bool {
        guard Scene.reads.contains(operation), view["stale"]?.bool == true, let began = evidence.steps[n]?.started,
            !steps.contains(where: { $0.n < n && $0.action.asked == operation && evidence.steps[$0.n] != nil })
        else { return false }
        let hasRead = exchanges.contains { exchange in
            exchange.succeeded && exchange.monoNanoseconds < began && Scene.reads.contains { exchange.roles.contains($0.rawValue) }
        }
        // Without the bank's expected view, what was read ahead cannot be told from wrong data.
        return hasRead && (expectedView(operation, at: n).map { shows(view, $0, operation) } ?? true)
    }

    /// Whether a view has the expected data, whatever its age.
    private func shows(_ view: JSON, _ expected: JSON, _ operation: DriverOperation) -> Bool {
        let hasCurrency = ViewDifference.isCurrencyStated(in: evidence.expected)
        return ViewDifference.all(
            expected: expected, seen: view, optional: ViewDifference.optional(in: operation), hasCurrency: hasCurrency
        ).isEmpty
    }

    /// Whether a step of a case about pages shows the bank's own list, because the client read it again from its first page after a rule had
    /// changed a page: a read in the background may have got the changed page. A list that is read again because the bank rejected a page is not
    /// meant.
    ///
    /// Example: a rule repeats a row on page 2, the client then reads from page 1 without the fault, and shows each row once.
    private func showsListReadAgain(_ view: JSON, _ operation: DriverOperation, in n: Int) -> Bool {
        guard instance?.suite == "pages", let expected = expectedView(operation, at: n) else { return false }
        let pages = exchanges.filter { $0.roles.contains(operation.rawValue) }
        guard let changed = pages.last(where: { $0.faults.contains(where: \.applied) }), !pages.contains(where: { $0.isStatus(4) }),
            pages.contains(where: { $0.seq > changed.seq && $0.succeeded && !($0.query ?? "").contains("cursor=") })
        else { return false }
        return shows(view, expected, operation)
    }

    /// Whether a step that reads waited for a request that was under way when it began, such as one of a step that the user had cancelled,
    /// and sent none of its own. A client may let all who ask for the same at once share one request; two requests under way show that it
    /// does not.
    ///
    /// Example: the user cancels step 2 and asks again. Step 3 sends nothing and gets the 404 that the request of step 2 was answered with.
    private func sharesRequest(_ operation: DriverOperation, in n: Int) -> Bool {
        guard Scene.reads.contains(operation), let began = evidence.steps[n]?.started else { return false }
        let all = exchanges.filter { $0.roles.contains(operation.rawValue) }
        let underWay = all.filter { $0.monoNanoseconds < began && ($0.endNanoseconds ?? .max) >= began }
        guard let shared = underWay.first, underWay.count == 1, !shared.succeeded, !isGivenUp(shared, by: operation) else { return false }
        // The bank may read a step's request after the step has ended with the response to another one. So requests are counted to the end.
        let own = all.count { $0.monoNanoseconds >= began }
        let asking = steps.count { $0.n >= n && $0.action.asked == operation && evidence.steps[$0.n] != nil }
        return own < asking
    }

    /// Whether a step of that operation has ended that waited for the request: nobody else gets its response. A step that the user cancelled
    /// does not wait.
    private func isGivenUp(_ request: JournalEntry, by operation: DriverOperation) -> Bool {
        steps.contains { step in
            guard step.action.asked == operation, let report = evidence.steps[step.n] else { return false }
            if case .error(ClientError.cancelled.rawValue, _) = report.outcome { return false }
            return report.span.contains(request.monoNanoseconds)
        }
    }

    /// Why no payment of an order came in the last step that has run and asks for it; nil if no habit of clients explains it.
    func reasonForNoPayment(of intent: String) -> Finding? {
        let last = steps.last { $0.action.intent == intent && evidence.steps[$0.n] != nil }
        return last.flatMap { reasonForNoPayment(in: $0.n, named: "the last step of payment order \(intent)") }
    }

    private func reasonForNoPayment(in n: Int, named: Phrase) -> Finding? {
        if leavesOpen(n) { return .leftOpen(named) }
        if holdsBack(n) { return .heldBack(named) }
        return pausesPayment(n) ? .paused(named, outcome(of: n)?.kind ?? "") : nil
    }

    /// Whether the client sent nothing of a payment order in a step, and reports that its outcome is still unknown: it may look for the payment
    /// in the bank's list, and no client need send a payment again. If a response has shown how the order ended, this does not apply.
    ///
    /// Example: the response to A was lost. The second step `pay` of A reads the bank's list and ends with `outcome_unknown`.
    private func leavesOpen(_ n: Int) -> Bool {
        guard let intent = instance?.step(n)?.action.intent, let report = evidence.steps[n], case .error(let name, _) = report.outcome,
            name == ClientError.outcomeUnknown.rawValue
        else { return false }
        let attempts = attempts(of: intent, by: customer(at: n))
        let isSent = attempts.contains { report.span.contains($0.monoNanoseconds) }
        let earlier = attempts.filter { $0.monoNanoseconds < report.started }
        let isOver = earlier.contains { attempt in
            attempt.isFinalRejection || (attempt.succeeded && !attempt.faults.contains(where: \.applied))
        }
        // The bank executes no payment that it answers with 401 or 429: its outcome is known.
        let isOpen = earlier.contains { !($0.isDelivered && [401, 429].contains($0.status ?? 0)) || $0.committed }
        return isOpen && !isSent && !isOver
    }

    /// The attempts of a payment order. Another customer's order of that name is another payment.
    private func attempts(of intent: String, by customer: String?) -> [JournalEntry] {
        exchanges.filter { attempt in
            attempt.has(.pay) && self.intent(of: attempt) == intent
                && (customer == nil || attempt.customer == nil || attempt.customer == customer)
        }
    }

    /// Whether the client rejected a new payment order without sending it, while the outcome of an earlier one of the customer is unknown: it may
    /// want to know that outcome first.
    ///
    /// Example: A ended with `outcome_unknown`. The step of B sends nothing and ends with `rejected`.
    private func holdsBack(_ n: Int) -> Bool {
        guard let action = instance?.step(n)?.action, let intent = action.intent, [.pay, .roundUp].contains(action.asked),
            case .error(let name, _)? = outcome(of: n), Scene.errorsOfHeldBack.contains(name),
            !exchanges.contains(where: { $0.has(.pay) && self.intent(of: $0) == intent })
        else { return false }
        let customer = customer(at: n)
        let earlier = steps.filter { $0.n < n && self.customer(at: $0.n) == customer }.compactMap(\.action.intent)
        return isInDoubt(Set(earlier).subtracting([intent]), before: n)
    }

    /// Whether the client paused in a step that reads, and reported a passing error or showed old data.
    ///
    /// Example: step 2 got 503 three times. Step 3 sends nothing and ends with `unavailable`.
    private func pauses(_ n: Int, _ operation: DriverOperation) -> Bool {
        guard Scene.reads.contains(operation), mayHavePaused(in: n) else { return false }
        switch outcome(of: n) {
        case .error(let name, _)?: return Scene.passingErrors.contains(name)
        case .ok(let view)?: return view["stale"]?.bool == true
        default: return false
        }
    }

    /// Whether the client paused in a step that pays. It reports a passing error of an order of which it has sent nothing before, and that the
    /// outcome of another one is unknown.
    ///
    /// Example: A got 503 three times. The step of B sends nothing and ends with `unavailable`; one of A again ends with `outcome_unknown`.
    private func pausesPayment(_ n: Int) -> Bool {
        guard let action = instance?.step(n)?.action, let intent = action.intent, [.pay, .resume, .roundUp].contains(action.asked),
            case .error(let name, _)? = outcome(of: n), mayHavePaused(in: n)
        else { return false }
        let isSent = !attempts(of: intent, by: customer(at: n)).isEmpty
        return isSent ? name == ClientError.outcomeUnknown.rawValue : Scene.passingErrors.contains(name)
    }

    /// Whether the client sent nothing of what a step asks for, because its circuit breaker may be open or the bank has asked it to wait.
    private func mayHavePaused(in n: Int) -> Bool {
        exchanges(during: n).allSatisfy(\.isPreparation) && (mayHaveOpenCircuit(at: n) || isAskedToWait(at: n))
    }

    /// Whether the pause that a `Retry-After` asked for is not over when a step begins. A restart of the client ends it, and so does a step that
    /// advances the clock far enough.
    ///
    /// Example: a response says `Retry-After: 120`. A step within the next two minutes may send nothing, one after `advance: 2m` may not.
    private func isAskedToWait(at n: Int) -> Bool {
        guard let began = evidence.steps[n]?.started else { return false }
        return requests.contains { request in
            guard request.isDelivered, let pause = request.retryAfter, request.monoNanoseconds < began else { return false }
            var waited = began - request.monoNanoseconds
            for step in steps where step.n < n && (evidence.steps[step.n]?.started ?? .min) > request.monoNanoseconds {
                switch step.action {
                case .restart, .kill: return false
                case .advance(let duration): waited += min(duration.nanoseconds, AskedPause.longest)
                default: break
                }
            }
            return waited < pause.least
        }
    }

    /// Whether a client with a circuit breaker may send nothing for a moment when a step begins: several requests of any kind have failed, or
    /// one at a closed port, where attempts leave no trace. If a step has let time pass since, or has restarted the client, it has waited.
    ///
    /// Example: three requests got 503, or one step ended with `offline` while the port was closed. After `wait: 1s` the client has no excuse.
    func mayHaveOpenCircuit(at n: Int) -> Bool {
        guard let began = evidence.steps[n]?.started else { return false }
        let failures = exchanges.filter { exchange in
            exchange.monoNanoseconds < began && exchange.isPassingFailure && !isOfCancelledStep(exchange)
                && (exchange.method != nil || exchange.faults.contains(where: \.applied))
        }
        // A request whose token the bank rejects fails with the renewal that it waits for.
        let hasFailedRenewal = failures.contains { $0.has(.refresh) }
        let waiting = exchanges.count { $0.monoNanoseconds < began && $0.status == 401 && !$0.has(.refresh) && !$0.has(.login) }
        let count = failures.count + (hasFailedRenewal ? waiting : 0)
        let last = count >= Scene.failuresToOpen ? failures.last?.monoNanoseconds : nil
        guard let failed = [last, failureAtClosedPort(before: n)].compactMap(\.self).max() else { return false }
        return !steps.contains { step in
            guard step.n < n, let waited = evidence.steps[step.n], waited.ended > failed else { return false }
            switch step.action {
            case .wait, .advance, .restart, .kill: return true
            default: return false
            }
        }
    }

    /// Whether the exchange came in a step that the user cancelled, and ended with it without a whole response: it then does not show that the
    /// bank failed. A request that the bank has answered, or that goes on, as one that several parts of a client share, fails as any other does.
    ///
    /// Example: three requests of a cancelled step ended without a response: the client has ended them itself, and its breaker has not opened.
    private func isOfCancelledStep(_ exchange: JournalEntry) -> Bool {
        guard !exchange.isDelivered else { return false }
        return evidence.steps.values.contains { report in
            guard case .error(ClientError.cancelled.rawValue, _) = report.outcome else { return false }
            return report.span.contains(exchange.monoNanoseconds)
                && (exchange.endNanoseconds ?? .max) <= report.ended + Scene.cancelling
        }
    }

    /// The time in which the bank notices that a request was cancelled, in nanoseconds.
    private static let cancelling: Int64 = 1_000_000_000

    /// When the last step before step `n` that failed at a closed port ended; nil if there is none.
    private func failureAtClosedPort(before n: Int) -> Int64? {
        let closing = evidence.rules.filter { $0.rule.kind == RefuseFault.kind }.map(\.step)
        let failed = steps.last { step in
            guard step.n < n, case .error? = outcome(of: step.n) else { return false }
            return closing.contains { closed in
                closed < step.n && !steps.contains { (closed..<step.n).contains($0.n) && $0.action.isEndOfFaults }
            }
        }
        return failed.flatMap { evidence.steps[$0.n]?.ended }
    }

    private static let reads: Set<DriverOperation> = [.accounts, .balance, .transactions, .atms, .goals, .image, .paymentStatus]
    private static let passingErrors = Set([ClientError.unavailable, .offline, .timeout, .rateLimited, .failed].map(\.rawValue))
    private static let failuresToOpen = 3
    private static let errorsOfHeldBack = Set([ClientError.rejected, .outcomeUnknown, .conflict, .failed].map(\.rawValue))

    /// Whether the bank answered the step's request on a connection to which no rule about connections applies: a client need not open another.
    ///
    /// Example: a rule holds each new connection, and the client reads the accounts on the one of its sign-in.
    private func readsOnOlderConnection(_ operation: DriverOperation, in n: Int) -> Bool {
        exchanges(during: n).contains { $0.roles.contains(operation.rawValue) && $0.succeeded && isOnOlderConnection($0) }
    }
}
