package import BankModel
package import DriverProtocol
package import Faults

extension StepAction {
    /// A kill of the client in the middle of an operation.
    package struct Kill: Sendable, Hashable {
        /// The operation of the client, which changes something at the bank.
        package var operation: DriverOperation
        package var arguments: [Argument]
        package var at: Moment

        /// The point of the exchange at which the client is killed.
        package enum Moment: String, Sendable, CaseIterable {
            /// Connected, and nothing of the request read.
            case connect
            /// Read, and never executed.
            case request
            /// Executed and durable, and never answered.
            case commit
        }

        package init(_ operation: DriverOperation, _ arguments: [Argument] = [], at: Moment) {
            self.operation = operation
            self.arguments = arguments
            self.at = at
        }

        /// The operations in which a client can be killed, each with the role of the request that is held. Reads leave nothing half done.
        /// The end of a visit to the bank's page has no fixed role: it sends that of a sign-in, or nothing after a payment is authorised.
        package static let roles: [(operation: DriverOperation, role: Role)] = [
            (.login, .login), (.logout, .logout), (.pay, .pay), (.resume, .pay), (.roundUp, .pay),
        ]

        /// The rule by which the bank holds the request.
        package var rule: Rule? {
            guard at != .connect else { return Rule(Node(["fault": ["blackhole": [:]], "times": 1]), Complaints()) }
            let role = Kill.roles.first { $0.operation == operation }?.role
            let fault: JSON = at == .request ? ["hang": [:]] : ["lose-reply": ["by": "hang"]]
            return Rule(Node(["fault": fault, "on": ["role": .string(role?.rawValue ?? "")], "times": 1]), Complaints())
        }
    }
}
