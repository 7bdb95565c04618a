import BankClient
import BankModel

/// Mistakes in what an answer to a payment is taken for.
extension Mutant {
    static var outcomes: [Mutant] {
        [
            Mutant(
                "unknown-is-offline", "reports a payment without a response as an unreachable bank",
                killedBy: ["pay.lost-before-commit", "pay.unknown-is-not-failure", "retry.payment-maintenance-honoured"]
            ) { parts, _ in
                var parts = parts
                parts.paymentRetry = .never
                let sender = parts.paymentSender().map {
                    AlteredSender(
                        base: $0, reported: { $0.error == .outcomeUnknown ? ClientFailure(.offline, $0.detail, mayHaveLeft: true) : $0 })
                }
                return BankClient(parts, sender: sender)
            },
            Mutant(
                "in-flight-is-refused", "treats `key in flight` as a rejection",
                killedBy: ["pay.in-flight-conflict-waits-with-same-key"]
            ) { parts, _ in
                parts.verdicts { if $1.error == .conflict { $1.error = .rejected } }
            },
            Mutant(
                "replay-is-refused", "treats a replayed response as a rejected duplicate", killedBy: ["pay.replay-is-success"]
            ) { parts, _ in
                parts.verdicts {
                    if $0.headers["Idempotent-Replayed"] == "true" { $1 = ResponseVerdict(.rejected, problem: "duplicate") }
                }
            },
            Mutant(
                "any-2xx-is-paid", "treats every status from 200 to 299 as a completed payment",
                killedBy: ["pay.unknown-is-not-failure", "pay.cut-head-is-no-success"]
            ) { parts, start in
                parts.caller.transport = NaiveTransport(start, .trusting)
                parts.caller.reader = NoBodyIsFine()
                parts.payments = parts.payments.map { AnySuccessIsPaid(base: $0) }
            },
        ]
    }
}

/// Treats a body without a result as an empty list.
private struct NoBodyIsFine: BodyReading {
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        do throws(ClientFailure) { return try StrictBodyReader().json(response) } catch {
            if response.body.isEmpty { return [:] }
            throw error
        }
    }
}

private struct AnySuccessIsPaid: PaymentCalls {
    let base: any PaymentCalls

    func body(for order: PaymentOrder) -> [UInt8] { base.body(for: order) }
    func call(for entry: OutboxEntry) -> BankCall {
        var call = base.call(for: entry)
        call.expected = Set(200..<300)
        return call
    }
    func receipt(from json: JSON, for entry: OutboxEntry) -> PaymentReceipt { PaymentReceipt(id: entry.key, state: .accepted) }
}
