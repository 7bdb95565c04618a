import BankClient
import BankModel
import Foundation
import Platform

/// Mistakes in which one key names two payment orders, or one order is sent in two forms.
extension Mutant {
    static var invariantKeys: [Mutant] {
        [
            Mutant(
                "wishes-of-nobody", "stores open payments without their customer: the next customer resumes them",
                killedBy: ["pay.wish-is-its-customers", "pay.open-payment-not-resumed-by-another"]
            ) { parts, _ in
                parts.outbox = OwnerlessOutbox(base: parts.outbox)
            },
            eachAttempt("time-in-the-body", "writes the send time into each attempt") { body, attempt in
                body["sent_at"] = .string("2026-01-20T10:30:0\(attempt % 10).000Z")
            },
            eachAttempt("names-payee-at-retry", "adds the payee's name at the second attempt") {
                body, attempt in
                if attempt > 1 { body["reference"] = .string("Payment to a friend") }
            },
            eachAttempt("hundredfold-at-retry", "writes the amount in minor instead of major units at the second attempt") {
                body, attempt in
                guard attempt > 1, case .object(var amount)? = body["amount"] else { return }
                if let text = amount["amount"]?.string { amount["amount"] = .string(text.replacing(".", with: "")) }
                if let units = amount["minorUnits"]?.int { amount["minorUnits"] = .int(units * 100) }
                body["amount"] = .object(amount)
            },
            eachAttempt("null-at-retry", "writes a missing reference as null after it has reloaded the payment") {
                body, attempt in
                if attempt > 1 { body["reference"] = .null }
            },
            eachAttempt("text-for-number-at-retry", "writes an amount as a number instead of text, or vice versa") {
                body, attempt in
                guard attempt > 1, case .object(var amount)? = body["amount"] else { return }
                if let text = amount["amount"]?.string { amount["amount"] = JSONNumber(text).map(JSON.number) }
                if let units = amount["minorUnits"]?.int { amount["minorUnits"] = .string("\(units)") }
                body["amount"] = .object(amount)
            },
            Mutant(
                "key-from-the-body", "derives the key from the payment: two equal payments share a key", killedBy: [twoOrders]
            ) { parts, _ in
                parts.sends { entry in
                    entry.key = uuid(FNV1a.hash("\(entry.order)".utf8))
                }
            },
            Mutant("key-of-the-day", "uses one key per day", killedBy: [twoOrders]) { parts, _ in
                let clock = parts.caller.clock
                parts.makeKey = { uuid(UInt64(clamping: clock.now().seconds / 86_400)) }
            },
            Mutant("key-of-the-sign-in", "uses one key per sign-in", killedBy: [twoOrders]) { parts, _ in
                let key = Locked<String?>(nil)
                let makeKey = parts.makeKey
                parts.makeKey = {
                    key.withLock { key in
                        let current = key ?? makeKey()
                        key = current
                        return current
                    }
                }
                parts.caller.keeper = AroundKeeper(base: parts.caller.keeper, signedIn: { _ in key.withLock { $0 = nil } })
            },
        ]
    }

    private static let twoOrders = "invariant.other-wish-other-key in pay.new-intent-new-key"

    /// Encodes each attempt of a payment again.
    private static func eachAttempt(
        _ name: String, _ mistake: String, _ change: @escaping @Sendable (inout JSONObject, Int) -> Void
    ) -> Mutant {
        Mutant(name, mistake, killedBy: ["invariant.same-wish-same-body in pay.retry-same-bytes"]) { parts, _ in
            let attempts = Locked<[String: Int]>([:])
            parts.sends { entry in
                let attempt = attempts.withLock { attempts in
                    attempts[entry.key, default: 0] += 1
                    return attempts[entry.key] ?? 1
                }
                guard case .object(var body)? = try? JSON(parsing: entry.body) else { return }
                change(&body, attempt)
                entry.body = JSON.object(body).bytes
            }
        }
    }

    /// A UUID that follows from a number.
    private static func uuid(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(String(repeating: "0", count: 12) + digits).suffix(12)
    }
}

/// An outbox that does not store the customer of a payment order.
private struct OwnerlessOutbox: Outbox {
    let base: any Outbox

    func entry(_ intent: String, of owner: String) async throws(StorageError) -> OutboxEntry? {
        var entry = try await base.entry(intent, of: "anybody")
        entry?.owner = owner
        return entry
    }

    func owners(of intent: String) async throws(StorageError) -> Set<String> { try await base.owners(of: intent) }

    func put(_ entry: OutboxEntry) async throws(StorageError) {
        var entry = entry
        entry.owner = "anybody"
        try await base.put(entry)
    }
}
