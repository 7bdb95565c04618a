import BankModel

/// What a client may do by its own design instead of what a case tests.
extension Finding {
    static func leftOpen(_ step: Phrase) -> Finding {
        Finding(
            "\(step) ended with error outcome_unknown, and the client did not send the payment again",
            "the case is about a payment that is sent again; sending it again is optional")
    }

    static func heldBack(_ step: Phrase) -> Finding {
        Finding(
            "\(step) ended with an error, and the client sent nothing of the payment while the outcome of an earlier one was unknown",
            "the case is about a payment that is sent; a client may wait until it knows whether the earlier one was made")
    }

    /// - Parameter outcome: `error unavailable (…)`.
    static func paused(_ step: Phrase, _ outcome: String) -> Finding {
        Finding(
            "\(step) ended with \(outcome), and the client sent no request for it, after earlier requests had failed",
            "a client may send nothing for a moment when requests fail repeatedly, and for as long as Retry-After specifies")
    }

    static func sharedRequest(_ step: Phrase) -> Finding {
        Finding(
            "\(step) ended with what became of a request that was under way before, and the client sent none for it",
            "the case is about a request of the step itself; all who ask for the same at once may share one request")
    }

    static func readAhead(_ step: Phrase) -> Finding {
        Finding("\(step) showed data that the client had read ahead, marked as old", "the case is about a first read")
    }

    static func listReadAgain(_ step: Phrase) -> Finding {
        Finding(
            "\(step) showed the bank's list, which the client read again after the fault had changed a page",
            "the case is about the changed page")
    }

    static func olderConnection(_ step: Phrase) -> Finding {
        Finding(
            "\(step) was answered on a connection that was opened before the fault was set",
            "the case is about connections that are opened later")
    }

    static func proofRejected(_ exchange: JournalEntry) -> Finding {
        Finding(
            "\(exchange.named) was rejected for its DPoP proof",
            "the case moves a clock, and the bank compares the time in a proof with its own", in: [exchange])
    }

    static func tokenNotBound(_ exchange: JournalEntry) -> Finding {
        Finding(
            "\(exchange.named) had a DPoP proof, and the fault answered it with a bearer token",
            "the case is about bearer tokens; a client may discard one that it gets in place of a bound token", source: "RFC 9449 §5",
            in: [exchange])
    }

    /// - Parameter outcome: `error offline (…)`.
    static func noNewConnection(_ step: Phrase, _ outcome: String) -> Finding {
        Finding("\(step) ended with \(outcome) before the client opened a connection", "the case is about connections with the fault")
    }
}
