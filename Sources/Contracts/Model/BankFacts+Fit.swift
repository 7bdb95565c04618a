import DriverProtocol
import Faults

extension BankFacts {
    /// Whether the bank has what a case's world and steps name: its customers, and what its faults need. On any other bank the
    /// case would say nothing of the client.
    func canTell(_ given: Given, _ steps: [NumberedStep]) -> Bool {
        let named =
            [given.customer].compactMap(\.self) + steps.filter { $0.action.operation == .login }.compactMap { $0.action.argument("user") }
        let logins = locked.union(customers.map(\.login))
        // Facts without customers are those of no bank in particular.
        guard !hasTokens || customers.isEmpty || logins.isSuperset(of: named) else { return false }
        return !steps.contains { step in
            guard case .fault(let rule) = step.action, let need = rule.setting.fault.need else { return false }
            return unmet.contains(need)
        }
    }
}
