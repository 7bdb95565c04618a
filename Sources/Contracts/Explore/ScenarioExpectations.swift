import BankModel
import DriverProtocol
import Faults

/// What must be so after the steps of a random scenario, besides the invariants: only what is certain whatever the client does.
///
/// - Money moves at most once for each payment order.
/// - What a read displays is the bank's expected result or marked as old, unless the user sees an error. Of this nothing is expected after a
///   step that may have changed the data: a payment, a jump of the clock, or a rule whose response a client may take for other data.
struct ScenarioExpectations {
    private(set) var all: [JSON] = []

    /// `views` are the operations whose expected results the bank declares for every customer.
    init(_ steps: [NumberedStep], _ facts: BankFacts, _ views: Set<DriverOperation>) {
        let flat = steps.flatMap(\.flattened)
        let ledger = ScenarioExpectations.orders(flat).map { (key: $0, value: JSON.string("0..1")) }
        if !ledger.isEmpty { all.append(["ledger": .object(JSONObject(ledger))]) }
        var isChanged = false
        for step in steps {
            let members = step.flattened
            if members.contains(where: { ScenarioExpectations.mayChangeData($0.action) }) { isChanged = true }
            guard !isChanged else { break }
            for member in members {
                guard case .operation(let operation, let arguments) = member.action, views.contains(operation), arguments.isEmpty else {
                    continue
                }
                all.append([
                    "step": .int(member.n),
                    "any": [
                        ["view": "expected"], ["stale": true], ["view": ["complete": false]], ["outcome": "error"], ["outcome": "silent"],
                    ],
                ])
            }
        }
        if all.isEmpty, let step = flat.first(where: { $0.action.operation != nil }) {
            all.append(["step": .int(step.n), "any": [["outcome": "ok"], ["outcome": "error"], ["outcome": "silent"]]])
        }
    }

    /// The payment orders that one customer has given: those that no other signs in between belong to one.
    private static func orders(_ steps: [NumberedStep]) -> [String] {
        let intents = distinct(steps.compactMap { [.pay, .roundUp].contains($0.action.asked) ? $0.action.intent : nil })
        return intents.filter { intent in
            let own = steps.filter { $0.action.intent == intent }.map(\.n)
            guard let first = own.min(), let last = own.max() else { return false }
            // All sign-ins that name nobody are of one customer.
            let user = steps.last { $0.n < first && $0.action.asked == .login }?.action.argument("user")
            return !steps.contains { step in
                let isOther = step.action.asked == .login && step.action.argument("user") != user
                return (first...last).contains(step.n) && (isOther || step.action.isVisit)
            }
        }
    }

    /// Whether data that is read after it may be other than the bank's expected results.
    private static func mayChangeData(_ action: StepAction) -> Bool {
        switch action {
        case .happen, .advance, .outage, .browser: true
        case .fault(let rule): !keepsContent(rule)
        default: [.pay, .resume, .roundUp, .logout].contains(action.asked)
        }
    }

    /// Whether no client can take the response for data other than the bank's: it is the bank's, cut, or an error by its status.
    private static func keepsContent(_ rule: Rule) -> Bool {
        if !FaultKinds.effects(of: rule.kind).contains(.changesContent) { return true }
        switch rule.kind {
        case "truncate", "longer-length", "reset-body", "stall-body": return true
        case "dialect":
            let name = (rule.setting.fault as? DialectFault)?.name
            return name.map { [.rateLimited, .maintenance, .internalError, .tokenRejected, .tokenExpired].contains($0) } ?? false
        case "status":
            guard let status = rule.setting.fault.settings["status"]?.int else { return false }
            return status >= 500 || [401, 403, 408, 429].contains(status)
        default: return false
        }
    }
}
