import BankModel
import DriverProtocol
import Faults

extension ClientRule {
    /// How a client ends its operations.
    static let answerRules = [
        ClientRule("case.success-after-response", needs: .steps) { $0.successAfterResponse(&$1) },
        ClientRule("invariant.never-hangs", needs: .steps, survivesDroppedEntries: true) { $0.never(&$1, .hung) },
        ClientRule("invariant.never-dies", needs: .steps, survivesDroppedEntries: true) { $0.never(&$1, .crashed) },
    ]
}

extension Scene {
    /// No success is reported without a request behind it.
    ///
    /// A view that is marked as `stale` or `from_cache` needs none, nor do `status`, `logout`, `authorize_begin`, `events`, `watch`, a `login`
    /// with a token handed over, an expired challenge, and an `authorize_finish` after a payment order that is authorised on the page, or where
    /// requests are confirmed there. A cacheable view (`atms`, `image`), the state of a payment or a completed intent needs one at any time before,
    /// and a quote one since the quote that was shown last.
    fileprivate func successAfterResponse(_ result: inout RuleResult) {
        for step in steps {
            guard let operation = step.action.operation, case .ok(let view) = outcome(of: step.n) else { continue }
            result.add(unfounded(operation, view, in: step))
        }
    }

    private func unfounded(_ operation: DriverOperation, _ view: JSON, in step: NumberedStep) -> Finding? {
        switch operation {
        case .status, .logout, .authorizeBegin, .events, .watch: return nil
        case .login where !(instance?.bank.hasLoginCall ?? false): return nil
        // The page may have been that of an order, or of the challenge of an order or a read, about which the client asks the bank later.
        case .authorizeFinish where instance?.given.challenges == .redirect: return nil
        case .authorizeFinish
        where instance?.bank.authorisesPayments == true && steps.contains(where: { $0.n < step.n && $0.action.intent != nil }):
            return nil
        default: break
        }
        if view["stale"]?.bool == true || view["from_cache"]?.bool == true { return nil }
        // The end of a challenge by time needs no request: the bank has named that time.
        if operation == .challengeAnswer, view["challenge"]?.string == "expired" { return nil }
        // A connection that ended before any head was read was not a request.
        if exchanges(during: step.n).contains(where: { $0.method != nil }) { return nil }
        let ended = evidence.steps[step.n]?.ended ?? 0
        let earlier = exchanges.filter { $0.monoNanoseconds <= ended }
        switch operation {
        case .atms, .image, .paymentStatus:
            // The client need not ask again for a payment that has ended.
            if earlier.contains(where: { $0.roles.contains(operation.rawValue) }) { return nil }
        case .quote:
            // The client may have requested it when the one before had expired, and shows it now.
            if hasQuoteToShow(step, in: earlier) { return nil }
        case .pay, .resume, .roundUp:
            if let intent = step.action.intent, earlier.contains(where: { candidates(of: $0).contains(intent) }) { return nil }
        default: break
        }
        if joinsReadAhead(operation, step) { return nil }
        // A client that takes the rest of an earlier response for the answer reports ok before the bank has read the request.
        if let late = firstRequest(after: step, for: operation) {
            let microseconds = (late.monoNanoseconds - ended) / 1000
            return .successBeforeRequest(step.named, late, microseconds: microseconds)
        }
        return .successWithoutRequest(step.named)
    }

    /// Whether the bank has sent a quote since the last step that showed one for the same payment order.
    private func hasQuoteToShow(_ step: NumberedStep, in earlier: [JournalEntry]) -> Bool {
        let shown = steps.filter { $0.n < step.n && $0.action.asked == .quote && $0.action.intent == step.action.intent }
        let since = shown.compactMap { evidence.steps[$0.n]?.ended }.max() ?? .min
        return earlier.contains { $0.has(.quote) && $0.succeeded && $0.monoNanoseconds > since }
    }

    /// Whether the response to a request that no step had asked for was on its way when the step began: the client had read ahead.
    private func joinsReadAhead(_ operation: DriverOperation, _ step: NumberedStep) -> Bool {
        guard let started = evidence.steps[step.n]?.started else { return false }
        return exchanges.contains { exchange in
            guard exchange.roles.contains(operation.rawValue), exchange.monoNanoseconds < started,
                exchange.endNanoseconds ?? .max >= started - Scene.onItsWay
            else { return false }
            return !steps.contains { other in
                guard other.action.mayAsk(for: operation), let report = evidence.steps[other.n] else { return false }
                let duration = report.span
                return duration.contains(exchange.monoNanoseconds) && !repeatsAnswered(exchange, in: duration)
            }
        }
    }

    /// Whether the client sent the same request in that time and had its response before it sent this one, which then was for something else.
    private func repeatsAnswered(_ exchange: JournalEntry, in duration: ClosedRange<Int64>) -> Bool {
        exchanges.contains { other in
            other.succeeded && duration.contains(other.monoNanoseconds) && (other.endNanoseconds ?? .max) <= exchange.monoNanoseconds
                && other.seq != exchange.seq && other.method == exchange.method && other.path == exchange.path
                && other.query == exchange.query
        }
    }

    /// The first request for an operation that was read after a step had ended and before the client was asked for anything else.
    private func firstRequest(after step: NumberedStep, for operation: DriverOperation) -> JournalEntry? {
        let next = steps.filter { $0.n > step.n && $0.action.asked != nil }.compactMap { evidence.steps[$0.n]?.started }.min() ?? .max
        return exchanges(after: step.n).first { $0.roles.contains(operation.rawValue) && $0.monoNanoseconds < next }
    }

    /// The client never ends a step in this way.
    fileprivate func never(_ result: inout RuleResult, _ end: StepOutcome) {
        for step in steps where step.action.asked != nil {
            guard let outcome = outcome(of: step.n) else { continue }
            result.add(outcome == end ? .stepUnanswered(step.named, isHang: end == .hung) : nil)
        }
    }
}

extension StepAction {
    /// Whether the step asks the client for the operation, or for the bank's read, which may be that one.
    fileprivate func mayAsk(for operation: DriverOperation) -> Bool {
        if case .connections(.warm) = self { return true }
        return asked == operation
    }
}

extension Finding {
    static func successBeforeRequest(_ step: Phrase, _ late: JournalEntry, microseconds: Int64) -> Finding {
        Finding(
            "\(step) reported ok \(microseconds) µs before its request, \(late.named), reached the bank",
            "a client reports success after the response to its request", in: [late])
    }

    static func successWithoutRequest(_ step: Phrase) -> Finding {
        Finding("\(step) reported ok, but the bank received no request", "a client reports success after the response to its request")
    }
}
