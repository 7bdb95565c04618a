import BankClient
import BankModel

/// Mistakes in the reported result of a payment.
extension Mutant {
    static var invariantResults: [Mutant] {
        [
            Mutant(
                "lost-is-paid", "reports a payment without a response as made",
                killedBy: ["invariant.result-shown-as-received in pay.lost-before-commit"]
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
            misreported(
                "time-out-is-refused", "reports a timed-out payment as rejected",
                "pay.reply-lost-after-commit", .outcomeUnknown, as: .rejected),
            misreported(
                "refused-is-unknown", "reports every failed payment as unknown, even a final rejection",
                "pay.final-refusal-not-retried", .rejected, as: .outcomeUnknown),
            misreported(
                "lost-is-cancelled", "reports a payment with a lost connection as cancelled",
                "pay.reply-lost-after-commit", .outcomeUnknown, as: .cancelled),
        ]
    }

    private static func misreported(
        _ name: String, _ mistake: String, _ killer: String, _ error: ClientError, as other: ClientError
    ) -> Mutant {
        Mutant(name, mistake, killedBy: ["invariant.result-shown-as-received in \(killer)"]) { parts, _ in
            var parts = parts
            parts.paymentRetry = .never
            return parts.client { base in
                AlteredSender(
                    base: base, reported: { $0.error == error ? ClientFailure(other, "the payment failed", mayHaveLeft: true) : $0 })
            }
        }
    }
}
