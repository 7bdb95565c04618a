import BankClient
import BankModel
import Platform

/// Mistakes about what happens at the bank after the client's request.
extension Mutant {
    static var life: [Mutant] {
        [
            tracking(
                "first-state-is-the-last", "asks for the state of a payment, and keeps showing the first response",
                killedBy: [
                    "life.settled-later-shown", "life.rejected-later-shown", "life.cancelled-shown", "life.authorised-later-shown",
                    "life.authorisation-rejected-shown", "life.consented-settled-later-shown", "life.consented-unpaid-later-shown",
                ]
            ) { state, first in
                first ?? state
            },
            tracking(
                "settled-for-good", "shows a payment that has settled as settled forever",
                killedBy: ["life.returned-after-settled-shown"]
            ) { state, first in
                first == .settled ? .settled : state
            },
            tracking(
                "ended-is-settled", "shows every payment that is no longer pending as settled",
                killedBy: [
                    "life.rejected-later-shown", "life.cancelled-shown", "life.returned-after-settled-shown",
                    "life.authorisation-rejected-shown", "life.consented-unpaid-later-shown",
                ]
            ) { state, _ in
                state.hasEnded ? .settled : state
            },
            tracking(
                "settled-is-pending", "does not know settled payments, and shows them as pending",
                killedBy: [
                    "life.settled-later-shown", "life.authorised-later-shown", "life.poll-failure-is-no-failure",
                    "life.consented-settled-later-shown", "life.consented-poll-failure-is-no-failure", "life.initiated-status-shown",
                ]
            ) { state, _ in
                state == .settled ? .accepted : state
            },
            tracking(
                "cancelled-is-pending", "does not know cancelled payments, and shows them as pending",
                killedBy: ["life.cancelled-shown", "life.consented-unpaid-later-shown"]
            ) { state, _ in
                state == .cancelled ? .accepted : state
            },
            tracking(
                "awaited-is-settled", "shows a payment that waits for a second person as settled",
                killedBy: ["life.authorisation-awaited-shown"]
            ) { state, _ in
                state == .pendingAuthorisation ? .settled : state
            },
            tracking(
                "awaited-is-rejected", "shows a payment that waits for a second person as rejected",
                killedBy: ["life.authorisation-awaited-shown"]
            ) { state, _ in
                state == .pendingAuthorisation ? .rejected : state
            },
            tracking(
                "awaited-for-good", "keeps showing a payment as waiting for a second person, whatever that person does",
                killedBy: ["life.authorised-later-shown", "life.authorisation-rejected-shown"]
            ) { state, first in
                first == .pendingAuthorisation ? .pendingAuthorisation : state
            },
            payingAgain(
                "awaited-is-never-paid", "pays again under another key if a payment waits for a second person",
                killedBy: ["life.authorisation-awaited-shown"]
            ) { asked, payAgain in
                .answering(asked) { state in
                    if state == .pendingAuthorisation { payAgain() }
                    return state
                }
            },
            Mutant(
                "poll-failure-is-failure", "shows a payment as failed if a request for its state fails",
                killedBy: ["life.poll-failure-is-no-failure", "life.consented-poll-failure-is-no-failure"]
            ) { parts, _ in
                parts.track { asked in .failing(asked) { _ in ClientFailure(.rejected, "the payment failed", mayHaveLeft: true) } }
            },
            payingAgain(
                "unknown-state-is-never-paid", "pays again under another key if it cannot learn the payment's state",
                killedBy: ["life.status-unknown-never-paid-again"]
            ) { asked, payAgain in
                .failing(asked) { failure in
                    payAgain()
                    return failure
                }
            },
            Mutant(
                "polls-rapidly", "asks without a pause until the payment has ended", killedBy: ["life.polling-ends"]
            ) { parts, _ in
                parts.polling = RetryPolicy(attempts: 80, base: .milliseconds(1), cap: .milliseconds(1), leastShare: 1)
            },
            Mutant(
                "polls-ever-faster", "waits longest before the second poll of a pending payment",
                killedBy: ["life.polling-backs-off"]
            ) { parts, _ in
                let clock = parts.caller.clock
                let questions = Locked<[String: Int]>([:])
                parts.polling = RetryPolicy(attempts: 4, base: .milliseconds(40), cap: .milliseconds(40), leastShare: 1)
                parts.around { request, base throws(TransportFailure) in
                    let question = questions.withLock { questions in
                        questions[request.url, default: 0] += 1
                        return questions[request.url]
                    }
                    if request.url.contains("/v1/payments/"), question == 2 { try? await clock.sleep(for: .milliseconds(250)) }
                    return try await base.send(request)
                }
            },
            Mutant(
                "renews-quotes-unseen", "asks for another quote by itself if one has expired, and pays at its rate",
                killedBy: ["life.quote-expired-asks-again"]
            ) { parts, _ in
                let (quotes, caller) = (parts.quotes, parts.caller)
                return parts.client { base in
                    OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            do throws(ClientFailure) { return try await base.pay(intent, order) } catch {
                                guard order.quote != nil, error.error == .rejected, let quotes, let target = Currency("EUR") else {
                                    throw error
                                }
                                var order = order
                                order.quote = try await quotes.quote(caller, for: order.amount, in: target).id
                                return try await base.pay(intent, order)
                            }
                        })
                }
            },
            Mutant(
                "one-quote-for-good", "asks for a rate once, and shows and uses it forever",
                killedBy: ["life.quote-expired-asks-again"]
            ) { parts, _ in
                parts.quotes = parts.quotes.map(FirstQuote.init)
            },
            Mutant(
                "reads-no-rate-limit", "understands only Retry-After, and ignores the header RateLimit",
                killedBy: ["life.rate-limit-headers-heeded"]
            ) { parts, _ in
                parts.answers { $1.headers["RateLimit"] = nil }
            },
            Mutant(
                "list-until-restart", "shows the list of the first read until it is restarted",
                killedBy: ["life.incoming-shown-without-restart"], control: paying
            ) { parts, _ in
                let first = FirstShown<Listing<Transaction>>()
                parts.show { changes in
                    changes.transactions = { read async throws(ClientFailure) in first.keeping(try await read()) }
                }
            },
            Mutant(
                "reservation-stays", "keeps the row of a reservation beside that of the booked card payment",
                killedBy: ["life.card-authorised-then-captured-once"], control: paying
            ) { parts, _ in
                let kept = Kept()
                parts.showRows { kept.adding($0) }
            },
            Mutant(
                "same-amount-same-payment", "shows payments of one amount to one payee once",
                killedBy: ["life.standing-order-dates"], control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    rows.enumerated().filter { position, row in
                        !rows[..<position].contains { $0.amount == row.amount && $0.description == row.description }
                    }.map(\.element)
                }
            },
        ]
    }

    /// A client that pays again under another key, because of what it has learned about a payment.
    ///
    /// - Parameter asking: the questions about a payment; the function given to it notes that the payment is to be made again.
    private static func payingAgain(
        _ name: String, _ mistake: String, killedBy: [String],
        asking: @escaping @Sendable (any PaymentTracking, @escaping @Sendable () -> Void) -> AlteredTracking
    ) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy) { parts, _ in
            var parts = parts
            let paysAgain = Locked(false)
            parts.track { asked in asking(asked) { paysAgain.withLock { $0 = true } } }
            return BankClient(
                parts,
                sender: parts.paymentSender().map { base in
                    AlteredSender(base: base, intent: { intent in paysAgain.withLock { $0 } ? "\(intent)-again" : intent })
                })
        }
    }

    /// A client that shows another state than the bank's.
    ///
    /// - Parameter shown: the state shown for the bank's current one, and the first that was shown for the payment.
    private static func tracking(
        _ name: String, _ mistake: String, killedBy: [String],
        shown: @escaping @Sendable (PaymentProgress.State, PaymentProgress.State?) -> PaymentProgress.State
    ) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy) { parts, _ in
            let first = FirstShown<PaymentProgress.State>()
            parts.track { asked in
                .answering(asked) { state in
                    let state = shown(state, first.value)
                    _ = first.keeping(state)
                    return state
                }
            }
        }
    }
}

/// What was shown first.
private final class FirstShown<Value: Sendable>: Sendable {
    private let first = Locked<Value?>(nil)

    var value: Value? { first.withLock { $0 } }

    /// The first value of all.
    func keeping(_ value: Value) -> Value {
        first.withLock { first in
            let shown = first ?? value
            first = shown
            return shown
        }
    }
}

/// A bank's word on a payment, passed through a change.
private struct AlteredTracking: PaymentTracking {
    let base: any PaymentTracking
    var answer: @Sendable (PaymentProgress.State) -> PaymentProgress.State = { $0 }
    var failure: @Sendable (ClientFailure) -> ClientFailure = { $0 }

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func paymentState(_ caller: BankCaller, id: String) async throws(ClientFailure) -> PaymentProgress.State {
        do throws(ClientFailure) { return answer(try await base.paymentState(caller, id: id)) } catch { throw failure(error) }
    }

    static func answering(
        _ base: any PaymentTracking, _ answer: @escaping @Sendable (PaymentProgress.State) -> PaymentProgress.State
    ) -> AlteredTracking { AlteredTracking(base: base, answer: answer) }

    static func failing(_ base: any PaymentTracking, _ failure: @escaping @Sendable (ClientFailure) -> ClientFailure) -> AlteredTracking {
        AlteredTracking(base: base, failure: failure)
    }
}

/// The bank's first quote, again and again.
private struct FirstQuote: QuotingBank {
    let base: any QuotingBank
    let first = FirstShown<PaymentQuote>()

    init(_ base: any QuotingBank) { self.base = base }

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func quote(_ caller: BankCaller, for amount: Money, in target: Currency) async throws(ClientFailure) -> PaymentQuote {
        if let shown = first.value { return shown }
        return first.keeping(try await base.quote(caller, for: amount, in: target))
    }
}

extension ClientParts {
    fileprivate mutating func track(_ change: (any PaymentTracking) -> AlteredTracking) { tracking = tracking.map(change) }
}
