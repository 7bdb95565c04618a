package import BankModel

/// The calls of a user-defined bank, by their roles.
package struct OwnCalls: Sendable {
    /// An operation's address.
    struct Address: Sendable {
        var method: String
        /// Absolute, with parameters as `{id}`.
        var path: String

        /// The path with every parameter replaced by one value.
        func path(filledWith value: String) -> String {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            return parts.map { $0.hasPrefix("{") ? percentEncoded(value) : String($0) }.joined(separator: "/")
        }

        var hasParameter: Bool { path.contains("{") }
    }

    private let addresses: [Role: Address]

    /// - Parameter roles: as a case is sent them: `{"accounts": [{"method": "GET", "path": "/api/accounts"}]}`. The first call of
    ///   a role counts. nil if no role has a call.
    package init?(_ roles: JSON) {
        let known = Role.allCases.compactMap { role -> (Role, Address)? in
            guard let call = roles[role.rawValue]?.array?.first, let method = call["method"]?.string, let path = call["path"]?.string else {
                return nil
            }
            return (role, Address(method: method, path: path))
        }
        guard !known.isEmpty else { return nil }
        addresses = Dictionary(known) { first, _ in first }
    }

    package func has(_ role: Role) -> Bool { addresses[role] != nil }

    subscript(_ role: Role) -> Address? { addresses[role] }

    /// The role's address.
    func address(_ role: Role) throws(ClientFailure) -> Address {
        if let address = addresses[role] { return address }
        throw ClientFailure(.nothingToDo, "the bank has no call of the role \(role.rawValue)", mayHaveLeft: false)
    }
}

/// `{"from","to","amount","currency"}` with the key in `Idempotency-Key`, as the bank has it that `counterfoil new bank` writes.
struct OwnPayments: PaymentCalls {
    /// nil for a bank that does not pay.
    let address: OwnCalls.Address?

    func body(for order: PaymentOrder) -> [UInt8] {
        JSON.object([
            "from": .string(order.from), "to": .string(order.to), "amount": .string(order.amount.major),
            "currency": .string(order.amount.currency.code),
        ]).bytes
    }

    func call(for entry: OutboxEntry) -> BankCall {
        .json(address?.method ?? "POST", address?.path ?? "/", entry.body, headers: ["Idempotency-Key": entry.key])
    }
}
