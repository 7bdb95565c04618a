import BankModel
import DriverProtocol

/// The signed-in customer at a time.
extension Scene {
    /// One stretch of time with one customer.
    struct SignedIn {
        /// Nil: nobody.
        var customer: String?
        /// When the result of the sign-in or sign-out was read, by the monotonic clock.
        var since: Int64
        /// The step that reported it; 0: before the first.
        var step: Int
    }

    /// The stretches in the order of time, nobody first. A sign-in that failed changes nothing.
    var signIns: [SignedIn] {
        var stretches = [SignedIn(customer: nil, since: .min, step: 0)]
        for step in steps.sorted(by: { ended($0.n) < ended($1.n) }) {
            guard case .ok = outcome(of: step.n), let report = evidence.steps[step.n] else { continue }
            switch step.action.operation {
            case .login, .authorizeFinish:
                stretches.append(SignedIn(customer: customer(in: step), since: report.ended, step: step.n))
            case .logout: stretches.append(SignedIn(customer: nil, since: report.ended, step: step.n))
            default: break
            }
        }
        return stretches
    }

    /// The customer signed in at the start of a step; nil if none was, or on a bank without tokens.
    func customer(at step: Int) -> String? {
        guard let started = evidence.steps[step]?.started else { return nil }
        return signIns.last { $0.since <= started }?.customer
    }

    /// The customer whom a `login` step names, or who has approved what an `authorize_finish` brought; else the case's.
    func customer(in step: NumberedStep) -> String? {
        if step.action.asked == .authorizeFinish { return evidence.approvals[step.n] ?? instance?.customer?.login }
        return evidence.arguments[step.n]?["user"]?.string ?? step.action.argument("user")
            ?? instance?.customer?.login
    }

    /// The bank's own view of an operation for the customer who was signed in when the step began.
    func expectedView(_ operation: DriverOperation, at step: Int) -> JSON? {
        guard let customer = customer(at: step), customer != instance?.customer?.login, let views = evidence.othersViews[customer] else {
            return evidence.expected[operation]
        }
        return views[operation]
    }

    private func ended(_ step: Int) -> Int64 { evidence.steps[step]?.ended ?? .max }
}
