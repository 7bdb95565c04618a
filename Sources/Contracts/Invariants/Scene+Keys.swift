import BankModel
import DriverProtocol

/// A key stands for one wish, and for one wish only.
extension Scene {
    /// All attempts under one key ask for the same: path and body, JSON by value.
    func sameWishSameBody() -> Findings {
        var findings = Findings()
        let attempts = Dictionary(grouping: keyedPayments) { $0.key ?? "" }
        for (key, attempts) in attempts.sorted(by: { $0.key < $1.key }) {
            let first = attempts.first
            let other = attempts.first { $0.wish != first?.wish || $0.method != first?.method || $0.bodyValue != first?.bodyValue }
            guard let first, let other else {
                findings.add()
                continue
            }
            findings.add(Unmet(.breach, .contentChanged(first, other, key: key)))
        }
        return findings
    }

    /// No wish is carried out under a key that was another's, and no key is sent by two customers.
    func otherWishOtherKey() -> Findings {
        var findings = Findings()
        let byKey = Dictionary(grouping: keyedPayments) { $0.key ?? "" }
        for (key, attempts) in byKey.sorted(by: { $0.key < $1.key }) {
            let customers = distinct(attempts.compactMap(\.customer))
            let second = attempts.first { $0.customer != nil && $0.customer != customers.first }
            findings.add(customers.count < 2 ? nil : Unmet(.breach, .keyOfTwoCustomers(customers, key: key, second)))
        }
        for step in steps {
            guard let intent = step.action.intent, step.action.operation == .pay, case .ok = outcome(of: step.n),
                group(of: step.n).count == 1
            else { continue }
            // A client may finish an open payment before a new one: the new one has some key of its own all the same.
            let during = Set(exchanges(during: step.n).map(\.seq))
            let payments = keyedPayments.filter { during.contains($0.seq) }
            let keys = distinct(payments.compactMap(\.key))
            let owners = keys.compactMap(self.intent(ofKey:))
            guard let key = keys.first, let owner = owners.first, !owners.contains(intent) else { continue }
            findings.add(Unmet(.breach, .keyOfAnotherIntent(intent, key: key, owner: owner, payments.first)))
        }
        return findings
    }

    private var keyedPayments: [JournalEntry] { exchanges.filter { $0.key != nil && $0.roles.contains(Role.pay.rawValue) } }
}
