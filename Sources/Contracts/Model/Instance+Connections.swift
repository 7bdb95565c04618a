import BankModel
import DriverProtocol
import Faults

extension Instance {
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
