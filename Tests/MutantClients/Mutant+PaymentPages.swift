import BankClient
import BankModel
import Platform

/// Mistakes in payments that the customer authorises on the bank's page.
extension Mutant {
    static var paymentPages: [Mutant] {
        [
            Mutant(
                "takes-the-return-for-the-payment", "shows a payment as made once its customer has been asked to authorise it",
                killedBy: ["pay.consented-denied-not-paid", "pay.initiated-denied-not-paid", "pay.initiated-unanswered-not-paid"]
            ) { parts, _ in
                let asked = Locked<Set<String>>([])
                return parts.client { base in
                    OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            do throws(ClientFailure) { return try await base.pay(intent, order) } catch {
                                let isFirst = asked.withLock { $0.insert(intent).inserted }
                                guard error.error == .forbidden, !isFirst else { throw error }
                                return PaymentReceipt(id: nil, state: .accepted)
                            }
                        })
                }
            },
            Mutant(
                "begins-the-payment-again", "begins another payment when the customer comes back from the page",
                killedBy: ["pay.initiated-paid-as-authorised", "pay.initiated-status-unknown-not-begun-again"]
            ) { parts, _ in
                let begun = Locked<Set<String>>([])
                return parts.client { base in
                    OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            let isFirst = begun.withLock { $0.insert(intent).inserted }
                            return try await base.pay(isFirst ? intent : "\(intent)-again", order)
                        })
                }
            },
            Mutant(
                "new-key-for-a-consented-payment", "makes a new key each time it sends an authorised payment",
                killedBy: ["pay.consented-lost-response-paid-once"]
            ) { parts, _ in
                let makeKey = parts.makeKey
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if request.isConsentedPayment { request.headers["x-idempotency-key"] = makeKey() }
                    return try await base.send(request)
                }
            },
            Mutant(
                "keeps-the-payment-token", "pays with the first token that it got for a payment, also after the bank has rejected it",
                killedBy: ["pay.consented-token-rejected-asks-again"]
            ) { parts, _ in
                let first = Locked<String?>(nil)
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if request.isConsentedPayment {
                        let own = request.headers["Authorization"]
                        request.headers["Authorization"] = first.withLock { kept in
                            kept = kept ?? own
                            return kept
                        }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "asks-for-whole-amounts", "leaves out the cents of a payment that its customer authorises on the page",
                killedBy: [
                    "invariant.pays-what-was-wished in pay.consented-lost-response-paid-once",
                    "invariant.pays-what-was-wished in pay.initiated-paid-as-authorised",
                ]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if request.isForPayment, let body = request.body {
                        request.body = Array(String(decoding: body, as: UTF8.self).replacing("10.05", with: "10.00").utf8)
                    }
                    return try await base.send(request)
                }
            },
        ]
    }
}

extension HTTPRequest {
    /// Whether it sends a payment that the customer has authorised at `openbanking`.
    fileprivate var isConsentedPayment: Bool { method == "POST" && url.hasSuffix("/domestic-payments") }

    /// Whether it names a payment's amount at a bank with such a page.
    fileprivate var isForPayment: Bool {
        isConsentedPayment || url.hasSuffix("/domestic-payment-consents") || url.hasSuffix("/sepa-credit-transfers")
    }
}
