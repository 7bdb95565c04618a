import BankClient
import BankModel

/// Mistakes in what is told of a payment's end.
extension Mutant {
    static var invariantTold: [Mutant] {
        [
            Mutant(
                "lost-is-paid", "tells a payment that got no answer as made, as it mostly is",
                killedBy: ["invariant.told-as-it-was in pay.lost-before-commit"]
            ) { parts, _ in
                var parts = parts
                parts.paymentRetry = .never
                return parts.client { base in
                    OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            do throws(ClientFailure) { return try await base.pay(intent, order) } catch {
                                guard error.error == .outcomeUnknown else { throw error }
                                return PaymentReceipt(id: intent, state: .accepted)
                            }
                        })
                }
            },
            told(
                "time-out-is-refused", "tells a payment whose answer did not come in time as refused",
                "pay.reply-lost-after-commit", .outcomeUnknown, as: .rejected),
            told(
                "refused-is-unknown", "tells each failure of a payment as unknown, a final refusal too",
                "pay.final-refusal-not-retried", .rejected, as: .outcomeUnknown),
            told(
                "lost-is-cancelled", "tells a payment whose connection was lost as called off",
                "pay.reply-lost-after-commit", .outcomeUnknown, as: .cancelled),
        ]
    }

    private static func told(
        _ name: String, _ mistake: String, _ killer: String, _ error: ClientError, as other: ClientError
    ) -> Mutant {
        Mutant(name, mistake, killedBy: ["invariant.told-as-it-was in \(killer)"]) { parts, _ in
            var parts = parts
            parts.paymentRetry = .never
            return parts.client { base in
                AlteredSender(
                    base: base, told: { $0.error == error ? ClientFailure(other, "the payment failed", mayHaveLeft: true) : $0 })
            }
        }
    }
}
