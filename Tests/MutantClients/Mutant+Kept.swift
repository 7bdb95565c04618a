import BankClient
import ClientDriver

/// Mistakes with connections that are kept, and with responses that come before the final one: those of a pool of one's own.
extension Mutant {
    static var kept: [Mutant] {
        [
            Mutant(
                "reads-leftovers", "reuses a keep-alive connection without checking for leftover bytes (okhttp#9726)",
                killedBy: [
                    "wire.leftover-not-anothers-answer", "wire.leftover-garbage-ends-the-connection", "wire.leftover-not-anothers-data",
                    "wire.leftover-not-anothers-payment",
                ]
            ) { parts, start in
                parts.cache = nil
                parts.useNaivePool(start, .init(keepsLeftovers: true))
            },
            Mutant(
                "keeps-unanswered-connections", "puts the connection of a cancelled or timed-out request back into the pool",
                killedBy: ["wire.cancel-then-reuse", "wire.time-out-then-reuse"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaivePool(start, .init(keepsUnanswered: true))
            },
            Mutant(
                "leaks-places-by-cancels", "never frees the slot of a cancelled request in its pool",
                killedBy: ["wire.pool-not-exhausted-by-cancels"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaivePool(start, .init(leakedSlots: 6))
            },
            Mutant(
                "takes-interim-replies", "treats the first status line as the final one, as Python's http.client does with 103",
                killedBy: ["wire.early-hints-ignored", "wire.early-hints-are-no-payment", "wire.unasked-continue-ignored"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaivePool(start, .init(takesInterim: true))
            },
            Mutant(
                "takes-any-reply-for-continue", "asks to continue, and sends the body whatever the response is (RFC 9110 §10.1.1)",
                killedBy: ["wire.early-reply-taken"]
            ) { parts, start in
                parts.cache = nil
                parts.useNaivePool(start, .init(takesAnyForContinue: true))
            },
        ]
    }
}
