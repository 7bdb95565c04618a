package import BankModel

/// What an import decided for a role and an operation: bound, proposed or not taken, and why.
package struct RoleChoice: Sendable, Hashable {
    package enum State: String, Sendable {
        /// The operation has the role in the bank's file.
        case bound
        /// It would have it, if the user confirms.
        case proposed
        /// It looked like a candidate and is none.
        case declined
    }

    /// A role that is bound only if the user confirms it.
    package enum Confirmation: String, Sendable, CaseIterable {
        case login, pay, key
    }

    package var state: State
    /// `accounts`, `pay`, `key`, …
    package var role: String
    /// `POST /transfers`
    package var operation: String
    /// The evidence, what it would do, or what is missing.
    package var reason: String

    package var description: String {
        switch state {
        case .bound: "\(role): \(operation): \(reason)"
        case .proposed: "\(role): \(operation): proposed, not yet in the bank: \(reason); confirm with --confirm-\(role)"
        case .declined: "\(role): \(operation): not used: \(reason)"
        }
    }

    package var json: JSON {
        ["state": .string(state.rawValue), "role": .string(role), "operation": .string(operation), "reason": .string(reason)]
    }
}
