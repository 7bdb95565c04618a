import BankModel
package import DriverProtocol
import Faults

/// A case applied to one bank, with one combination of its matrix: the unit that is run and tested.
package struct Instance: Sendable {
    package var caseID: String
    package var why: String
    package var level: ContractCase.Level
    package var bank: BankFacts
    package var parameters: [Parameter]
    /// The operations a client must have.
    package var needs: [DriverOperation]
    package var features: [DriverFeature]
    package var given: Given
    package var steps: [NumberedStep]
    package var expectations: [any Predicate]
    /// The public threads of the bugs that the case is to find.
    package var bugs: [BugAddress] = []
    /// The invariants that do not apply here, each with the reason.
    package var exempt: [ContractCase.Exemption] = []
    /// The same case for a client that lacks the operation by which this one moves money, or signs in.
    package var otherwise: [Instance] = []
    /// The case in which an invariant was broken, in a result about the invariant itself.
    package var brokenIn: BrokenIn?

    /// The location of a broken invariant.
    package struct BrokenIn: Sendable, Hashable {
        /// The instance, as it is named: `pay.double-tap-pays-once@roundup[by=close]`.
        package var instance: String
        package var caseID: String
    }

    /// `auth.no-empty-bearer@roundup[by=close,protocol=h1]`
    ///
    /// An invariant that was broken there is named after it: `invariant.bounded@roundup in auth.no-empty-bearer[by=close]`.
    package var name: String {
        let combination = parameters.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        let suffix = combination.isEmpty ? "" : "[\(combination)]"
        if let brokenIn { return "\(caseID)@\(bank.name) in \(brokenIn.caseID)\(suffix)" }
        return "\(caseID)@\(bank.name)\(suffix)"
    }

    /// The name by which it is chosen to be run again: for an invariant, that of the instance that broke it.
    package var filterName: String { brokenIn?.instance ?? name }

    /// Whether a filter chooses it: a glob over names, or the id or the suite of its case.
    package func isChosen(by filter: String) -> Bool { globMatches(filter, name) || filter == caseID || filter == suite }

    /// This, or the same case with the other operation that moves money, or without a sign-in, if the client has only that.
    package func fitting(_ client: DriverHello) -> Instance {
        guard unsupported(by: client) != nil else { return self }
        return otherwise.first { $0.unsupported(by: client) == nil } ?? self
    }

    package var suite: String { String(caseID.prefix { $0 != "." }) }

    /// The plans that it names, each with its position in the file.
    package var plans: [WrittenName] {
        let steps = allSteps.compactMap { step -> WrittenName? in
            guard case .outage(let name?) = step.action else { return nil }
            return WrittenName(name: name, position: step.position)
        }
        return [given.plan].compactMap(\.self) + steps
    }

    /// The customer who signs in; nil if the bank has none of that name.
    package var customer: BankFacts.Customer? {
        guard let wanted = given.customer else { return bank.customers.first }
        return bank.customers.first { $0.login == wanted }
    }

    /// The customers besides the case's whom its steps sign in, each once.
    package var otherCustomers: [BankFacts.Customer] {
        let named = allSteps.filter { $0.action.asked == .login }.compactMap { $0.action.argument("user") }
        return distinct(named).filter { $0 != customer?.login }.compactMap { login in bank.customers.first { $0.login == login } }
    }

    /// The steps one by one, members of `together` among them.
    package var allSteps: [NumberedStep] { steps.flatMap(\.flattened) }

    /// The largest number of requests that an expectation of the case allows; 0 if none bounds it.
    package var mostRequests: Int {
        expectations.compactMap { ($0 as? RequestsPredicate)?.allowed.upperBound }.filter { $0 < .max }.max() ?? 0
    }

    package func step(_ n: Int) -> NumberedStep? { allSteps.first { $0.n == n } }

    /// The numbers of the steps that run at once with this one, itself among them.
    package func group(of n: Int) -> [Int] {
        steps.first { $0.flattened.contains { $0.n == n } }?.flattened.map(\.n) ?? [n]
    }

    /// Whether it needs a process that no other case uses: for a kill, failing files, a second process, its output, or a locale.
    package var needsOwnProcess: Bool {
        given.locale != nil || allSteps.contains { $0.action.needsOwnProcess || $0.process > 1 }
            || expectations.contains { $0.needs.contains(.log) }
    }

    /// Whether it depends on how long the client waits by itself between attempts.
    package var measuresPauses: Bool { expectations.contains { $0.measuresPauses } }

    /// How long it takes, roughly: its steps and what they wait for.
    package var length: Duration { allSteps.reduce(.zero) { $0 + $1.action.length(isRepeated: measuresPauses) } }

    /// Whether the client meets a certificate of the run's own authority.
    package var speaksTLS: Bool { given.wireProtocol != .h1 || suite == "tls" }

    /// Why a client cannot run it; nil if it can.
    package func unsupported(by client: DriverHello) -> String? {
        if let banks = client.banks, !banks.contains(bank.name) { return "the client does not support the bank \(bank.name)" }
        if let operation = needs.first(where: { !client.operations.contains($0.rawValue) }) {
            return "the client does not support the operation `\(operation.rawValue)`"
        }
        if let feature = features.first(where: { !client.features.contains($0.rawValue) }) {
            return "the client does not support the feature `\(feature.rawValue)`"
        }
        if let lack { return lack }
        if speaksTLS, !client.features.contains(DriverFeature.ca.rawValue) {
            return "the client does not support the feature `ca`: it ignores `ca_file` and trusts no certificate of this run"
        }
        return nil
    }

    /// The reason why a customer cannot move money as the case asks; nil if there is none. The client could only do what the bank rejects.
    private var lack: String? {
        var signedIn = customer?.login
        for action in allSteps.map(\.action) {
            if action.asked == .login { signedIn = action.argument("user") ?? customer?.login }
            if case .browser(let browser) = action { signedIn = browser.user ?? customer?.login }
            guard let asked = action.asked,
                let missing = bank.unfilled.first(where: {
                    $0.login == signedIn && $0.operation == asked && action.argument($0.argument) == nil
                }), action.argument("account") == nil
            else { continue }
            return "the customer \(missing.login) of the bank \(bank.name) has no second account or payee: "
                + "nothing to fill in as `\(missing.argument)` of `\(asked.rawValue)`"
        }
        return nil
    }

    /// Warns of rules for cold connections that a client with a kept connection never meets, so that the case exercises nothing.
    func warnOfColdRules(_ complaints: Complaints) {
        var keeping: NumberedStep?
        for step in allSteps {
            switch step.action {
            case .operation(let operation, _) where operation != .status: keeping = keeping ?? step
            case .connections(.cold), .restart, .kill, .damageDisk: keeping = nil
            case .fault(let rule) where rule.on.connection == .cold:
                guard let keeping else { continue }
                complaints.warn(
                    "found a rule for `connection: cold` while the client may keep the connection of step \(keeping.n), "
                        + "expected a step `connections: cold` before it: without one, the rule may match no request",
                    at: step.position)
            default: continue
            }
        }
    }
}

extension StepAction {
    /// How long a step takes, roughly; longer if the client is expected to repeat what fails.
    fileprivate func length(isRepeated: Bool) -> Duration {
        switch self {
        case .wait(let time): time
        // A payment is repeated until the client gives up.
        case .fault(let rule) where rule.on.role == .pay && rule.on.attempt == nil && rule.count == RuleCounter(): .seconds(1)
        case .operation: .milliseconds(isRepeated ? 100 : 20)
        default: .milliseconds(10)
        }
    }
}
