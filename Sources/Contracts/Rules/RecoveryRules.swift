import BankModel
import DriverProtocol

extension ClientRule {
    /// A client works again when the bank does.
    static let recoveryRules = [
        ClientRule("invariant.recovers", needs: [.steps, .ledger]) { $0.recovers(&$1) }
    ]
}

extension Scene {
    /// How many tries a client has.
    private static let tries = 3
    /// The errors with which a client may end a try although the bank works: the order itself is the reason.
    private static let byRight = Set([ClientError.rejected, .nothingToDo, .cancelled, .consentExpired, .forbidden].map(\.rawValue))

    /// After the last fault has ended, signing in and the next payment order succeed within three tries, without a restart.
    ///
    /// It applies only where nothing else explains a failure: steps have ended all faults, the bank answered every try without a fault
    /// and rejected none, nothing asked the client to wait, and no earlier order is in doubt.
    fileprivate func recovers(_ result: inout RuleResult) {
        guard let instance, instance.given.address == .session, let calm = endOfTrouble(instance) else { return }
        let later = instance.steps.filter { $0.n > calm }.flatMap(\.flattened)
        let signIns = Array(later.filter { $0.action.operation == .login && $0.action.argument("password") == nil }.prefix(Scene.tries))
        let isOneCustomer = Set(signIns.map { $0.action.argument("user") }).count == 1
        if instance.bank.hasTokens, isOneCustomer { recovered(signIns, after: calm, as: .login, &result) }
        guard !instance.bank.hasTokens || signIns.contains(where: { isOK($0.n) }) else { return }
        let known = Set(instance.allSteps.filter { $0.n < calm }.compactMap(\.action.intent))
        let orders = later.filter { [.pay, .roundUp, .resume].contains($0.action.operation) && !known.contains($0.action.intent ?? "") }
        guard let order = orders.first?.action.intent, !isInDoubt(known, before: .max) else { return }
        let tries = Array(orders.filter { $0.action.intent == order }.prefix(Scene.tries))
        guard !evidence.movements.contains(where: { candidates(of: $0).contains(order) }) || tries.contains(where: { isOK($0.n) }) else {
            return
        }
        recovered(tries, after: calm, as: .pay, &result)
    }

    /// Counts tries of one operation: one success is enough; three failures that only the client explains are a breach.
    private func recovered(_ tries: [NumberedStep], after calm: Int, as role: Role, _ result: inout RuleResult) {
        if tries.contains(where: { isOK($0.n) }) { return result.add() }
        guard tries.count == Scene.tries, let first = tries.first, let operation = first.action.operation else { return }
        let outcomes = tries.compactMap { step -> String? in
            guard case .error(let name, _)? = outcome(of: step.n), !Scene.byRight.contains(name) else { return nil }
            return name
        }
        let own = tries.flatMap { exchanges(during: $0.n) }
        guard outcomes.count == tries.count, !wasToldToWait(before: tries), own.allSatisfy(isOrdinary),
            !own.allSatisfy(\.isPreparation) || !(maySuspend(role, before: tries) || (role != .login && mayHaveOpenCircuit(at: first.n)))
        else { return }
        result.add(.notRecovered(tries.map(\.n), operation, outcomes, since: calm, in: own.last))
    }

    /// Whether the bank answered it without a fault and soon, and did not reject it but for its token.
    private func isOrdinary(_ exchange: JournalEntry) -> Bool {
        let isRejected = exchange.isStatus(4) && (exchange.status != 401 || exchange.has(.login))
        return cameInTime(exchange) && !exchange.faults.contains(where: \.applied) && !exchange.isStatus(5) && !isRejected
    }

    /// Whether an earlier response asked the client to wait: it may still do so.
    private func wasToldToWait(before tries: [NumberedStep]) -> Bool {
        let began = tries.first.flatMap { evidence.steps[$0.n]?.started } ?? .max
        return exchanges.contains { $0.monoNanoseconds < began && $0.responseHeader("retry-after") != nil }
    }

    /// Whether the client may have stopped sending such requests for a while, as one with a circuit breaker does after several failures.
    private func maySuspend(_ role: Role, before tries: [NumberedStep]) -> Bool {
        guard instance?.bank.hasTokens == true, role != .login, let first = tries.first else { return true }
        let operations: [DriverOperation] = [.pay, .resume, .roundUp]
        let failures = steps.count { step in
            guard step.n < first.n, step.action.asked.map(operations.contains) ?? false else { return false }
            return !isOK(step.n)
        }
        let began = evidence.steps[first.n]?.started ?? .max
        let requests = exchanges.count { $0.monoNanoseconds < began && $0.has(role) && !$0.succeeded }
        return failures + requests >= Scene.tries
    }

    /// Whether an order may have been paid without the client's knowledge when a step begins: it may want to know that first.
    func isInDoubt(_ intents: Set<String>, before n: Int) -> Bool {
        let isClear: Set<String> = [ClientError.rejected, .cancelled, .offline, .unauthorized].reduce(into: []) { $0.insert($1.rawValue) }
        return intents.contains { intent in
            let last = steps.last { step in
                step.n < n && step.action.intent == intent && [.pay, .resume, .roundUp].contains(step.action.asked)
                    && evidence.steps[step.n] != nil
            }
            guard let last else { return false }
            if case .error(let name, _)? = outcome(of: last.n) { return !isClear.contains(name) }
            return !isOK(last.n)
        }
    }

    /// The number of the step after which all that was wrong has ended; nil if nothing was wrong, or something still is.
    private func endOfTrouble(_ instance: Instance) -> Int? {
        guard instance.given.challenges == nil else { return nil }
        var hadFault = false, rules = false, outage = instance.given.plan != nil, files = false, clock = false
        var last: Int?
        for step in instance.allSteps {
            switch step.action {
            case .fault: (rules, hadFault) = (true, true)
            case .endFaults: rules = false
            case .outage(let name): (outage, hadFault) = (name != nil, true)
            case .disk(let refusal):
                files = refusal.what != .nothing
                hadFault = hadFault || files
            case .deviceClock(let ahead): clock = ahead != .zero
            // A client that has lost its stored data may stop until its user decides.
            case .damageDisk: return nil
            case .tokens, .happen, .webhook, .restart, .kill, .cancel, .advance, .browser, .redirect, .held, .together: break
            // A challenged payment may be waiting for its customer.
            case .challenge: return nil
            case .operation, .release, .connections, .wait: continue
            }
            last = step.n
        }
        return hadFault && !rules && !outage && !files && !clock ? last : nil
    }
}

extension Finding {
    static func notRecovered(
        _ steps: [Int], _ operation: DriverOperation, _ outcomes: [String], since calm: Int, in exchange: JournalEntry?
    ) -> Finding {
        let names = distinct(outcomes).joined(separator: ", ")
        return Finding(
            "steps \(steps.map(String.init).joined(separator: ", ")) (\(fixed: operation.rawValue)) ended with \(names), although step \(calm) "
                + "had ended the last fault",
            "\(fixed: operation == .login ? "a sign-in" : "a payment order") succeeds within three tries after the last fault, without a restart",
            in: [exchange], isAboutTime: true)
    }
}
