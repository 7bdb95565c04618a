import BankClient
import BankModel
import Foundation
import Platform

/// Mistakes in what a payment is named by.
extension Mutant {
    static var keys: [Mutant] {
        [
            Mutant(
                "key-in-memory-only", "stores payments in memory only, and loses them when killed", killedBy: ["pay.key-survives-kill"]
            ) { parts, _ in
                parts.outbox = MemoryOutbox()
            },
            Mutant("key-per-tap", "creates a key at each tap: two taps pay twice", killedBy: ["pay.double-tap-pays-once"]) { parts, _ in
                let makeName = parts.makeKey
                return BankClient(parts, sender: parts.paymentSender().map { AlteredSender(base: $0, intent: { _ in makeName() }) })
            },
            Mutant(
                "refused-again-under-new-key", "retries a rejected payment at once, under a new key",
                killedBy: ["pay.mismatch-not-retried", "pay.final-refusal-not-retried"]
            ) { parts, _ in
                BankClient(parts, sender: parts.paymentSender().map { AgainUnderNewKey(base: $0) })
            },
            Mutant(
                "one-key-per-wish-for-ever", "reuses the key of a rejected payment when its amount is corrected",
                killedBy: ["pay.corrected-payment-new-key"]
            ) { parts, _ in
                let first = Locked<[String: String]>([:])
                parts.eachPayment { entry in
                    entry.key = first.withLock { keys in
                        keys[entry.intent] = keys[entry.intent] ?? entry.key
                        return keys[entry.intent] ?? entry.key
                    }
                }
            },
            Mutant(
                "forgets-after-server-error", "deletes a payment that failed at the bank: a retry is a new one",
                killedBy: ["pay.server-error-same-key"]
            ) { parts, _ in
                parts.paymentRetry = .never
                parts.outbox = ForgetsOpen(base: parts.outbox)
            },
            Mutant("overlong-key", "creates keys of 300 characters", killedBy: ["pay.key-well-formed"]) { parts, _ in
                let makeKey = parts.makeKey
                parts.makeKey = { String(repeating: "k", count: 264) + makeKey() }
            },
            Mutant(
                "payments-end-with-sign-in", "deletes open payments at a sign-in",
                killedBy: ["pay.unauthorised-then-login-same-key"]
            ) { parts, _ in
                let outbox = ForgettableOutbox()
                parts.outbox = outbox
                parts.caller.keeper = ForgetsPayments(base: parts.caller.keeper, outbox: outbox)
            },
            Mutant(
                "resends-expired-key", "retries an open payment under a key that has expired at the bank",
                killedBy: ["pay.expired-window-not-resent", "pay.resumed-days-later-not-resent"]
            ) { parts, _ in
                parts.keyWindow = KeyWindow(nil)
            },
            Mutant(
                "one-payment-slot", "stores one open payment only: a second one reuses the first one's key",
                killedBy: ["pay.parallel-intents-independent"]
            ) { parts, _ in
                var parts = parts
                let slot = PaymentSlot(parts.makeKey)
                parts.makeKey = { slot.key() }
                return BankClient(parts, sender: parts.paymentSender().map { OneSlot(base: $0, slot: slot) })
            },
            Mutant(
                "key-made-in-transport", "creates a new key each time it sends the request (in an interceptor)",
                killedBy: ["pay.transport-resend-harmless"]
            ) { parts, _ in
                let makeKey = parts.makeKey
                parts.eachPayment { $0.key = makeKey() }
            },
        ]
    }
}

extension ClientParts {
    /// Looks each payment over before each sending.
    fileprivate mutating func eachPayment(_ change: @escaping @Sendable (inout OutboxEntry) -> Void) {
        payments = payments.map { AlteredPayments(base: $0, change: change) }
    }
}

private struct AlteredPayments: PaymentCalls {
    let base: any PaymentCalls
    let change: @Sendable (inout OutboxEntry) -> Void

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }
    func call(for entry: OutboxEntry) -> BankCall {
        var entry = entry
        change(&entry)
        return base.call(for: entry)
    }
    func receipt(from json: JSON, for entry: OutboxEntry) throws(ClientFailure) -> PaymentReceipt {
        try base.receipt(from: json, for: entry)
    }
}

private struct AgainUnderNewKey: PaymentSending {
    let base: any PaymentSending

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        do throws(ClientFailure) { return try await base.pay(intent, order) } catch {
            guard error.error == .rejected else { throw error }
            return try await base.pay(intent + " again", order)
        }
    }

    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        try await base.pay(intent, workedOut: order)
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await base.resume(intent) }
}

/// Knows only what is ended.
private struct ForgetsOpen: Outbox {
    let base: any Outbox

    func entry(_ intent: String, of owner: String) async throws(StorageError) -> OutboxEntry? {
        let entry = try await base.entry(intent, of: owner)
        return entry?.state == .open ? nil : entry
    }

    func owners(of intent: String) -> Set<String> { [] }
    func put(_ entry: OutboxEntry) async throws(StorageError) { try await base.put(entry) }
}

final class ForgettableOutbox: Outbox {
    private let entries = Locked<[String: OutboxEntry]>([:])

    func entry(_ intent: String, of owner: String) -> OutboxEntry? { entries.withLock { $0[intent] } }
    func owners(of intent: String) -> Set<String> { [] }
    func put(_ entry: OutboxEntry) { entries.withLock { $0[entry.intent] = entry } }
    func forget() { entries.withLock { $0 = [:] } }
}

private struct ForgetsPayments: ForwardingKeeper {
    let base: any TokenKeeping
    let outbox: ForgettableOutbox

    func signIn(_ token: Token) async throws(ClientFailure) {
        outbox.forget()
        try await base.signIn(token)
    }
}

/// The key of "the" payment under way.
private final class PaymentSlot: Sendable {
    private let current = Locked<(users: Int, key: String?)>((0, nil))
    private let makeKey: @Sendable () -> String

    init(_ makeKey: @escaping @Sendable () -> String) { self.makeKey = makeKey }

    func enter() { current.withLock { $0.users += 1 } }
    func leave() {
        current.withLock { slot in
            slot.users -= 1
            if slot.users == 0 { slot.key = nil }
        }
    }
    func key() -> String {
        current.withLock { slot in
            let key = slot.key ?? makeKey()
            slot.key = key
            return key
        }
    }
}

private struct OneSlot: PaymentSending {
    let base: any PaymentSending
    let slot: PaymentSlot

    func pay(_ intent: String, _ order: PaymentOrder) async throws(ClientFailure) -> PaymentReceipt {
        slot.enter()
        defer { slot.leave() }
        return try await base.pay(intent, order)
    }

    func pay(
        _ intent: String, workedOut order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> PaidOrder {
        try await base.pay(intent, workedOut: order)
    }

    func resume(_ intent: String) async throws(ClientFailure) -> PaymentReceipt { try await base.resume(intent) }
}
