import BankModel

/// A sender that prepares each payment at the bank before another sends it. The other sender follows all rules about keys and outcomes.
protocol PreparingSender: PaymentSending {
    var base: any PaymentSending { get }
    var caller: BankCaller { get }
    var outbox: any Outbox { get }
}

extension PreparingSender {
    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        if try await entry(intent) != nil { return try await base.pay(intent, workedOut: order) }
        let workedOut = try await order()
        return PaidOrder(order: workedOut, receipt: try await pay(intent, workedOut))
    }

    /// The signed-in customer's stored payment of an intent.
    func entry(_ intent: String) async throws(ClientFailure) -> OutboxEntry? {
        guard let token = try await caller.keeper.current() else {
            throw ClientFailure(.unauthorized, "nobody is signed in", mayHaveLeft: false)
        }
        do throws(StorageError) { return try await outbox.entry(intent, of: token.customer) } catch {
            throw ClientFailure(.unavailable, "stored payments cannot be read: \(error)", mayHaveLeft: false)
        }
    }
}

extension OutboxEntry {
    /// Whether the next attempt is prepared again: the payment was not sent, or the bank rejected it.
    var isUnmade: Bool {
        switch state {
        case .done: false
        case .open: !mayHaveLeft
        case .rejected: true
        }
    }
}
