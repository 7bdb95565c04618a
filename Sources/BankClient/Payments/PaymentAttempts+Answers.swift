import BankModel

/// The meaning of each answer for the payment: the rules of final, retryable and unknown.
extension PaymentAttempts {
    /// Sends the payment once.
    ///
    /// - Parameter doubtful: true if an earlier attempt may have been executed.
    func answer(to entry: OutboxEntry, after doubtful: Bool) async -> PaymentAnswer {
        let call = calls.call(for: entry)
        do throws(ClientFailure) {
            let answer = try await caller.exchange(call, of: entry.owner)
            if let rejection = rejection(answer, to: entry, after: doubtful) { return rejection }
            return .done(try calls.receipt(from: try caller.content(answer, of: call), for: entry))
        } catch {
            if error.error == .rejected { return .rejected(error.detail) }
            var failure = error
            // An unreadable answer has no result for the payment; a retry may return the stored one.
            if error.error == .decode && error.mayHaveLeft { failure.retryable = true }
            return .open(failure, seen: error.mayHaveLeft)
        }
    }

    /// The meaning of a status other than success; nil for success.
    private func rejection(_ answer: BankCaller.JudgedResponse, to entry: OutboxEntry, after doubtful: Bool) -> PaymentAnswer? {
        guard let error = answer.verdict.error else { return nil }
        var failure = caller.failure(answer)
        if calls.isQuestion(entry), [.rejected, .notFound, .conflict].contains(error) { return .open(failure, seen: true) }
        switch error {
        // The bank holds the payment, and makes it once the user has confirmed it.
        case .forbidden where failure.challenge != nil: return .open(failure, seen: true)
        // The bank checks these before it executes a payment (RFC 6750; rate limits precede the idempotency layer): open as
        // before.
        case .unauthorized, .consentExpired, .forbidden, .rateLimited: return .open(failure, seen: false)
        case .conflict:
            // Another attempt with this key is in progress (IETF idempotency draft §2.6), unless the bank defines it otherwise.
            guard failure.problem == nil || failure.problem == "key-in-flight" else { return .rejected(failure.detail) }
            failure.retryable = true
            return .open(failure, seen: true)
        case .rejected, .notFound:
            // After an attempt that may have been executed only the bank's own problem about this payment is final: a bare
            // 404 may be a gateway's, and a mismatch means that the key belongs to another payment.
            let isTheBanksWord = failure.problem != nil && failure.problem != "key-mismatch"
            return doubtful && !isTheBanksWord ? .open(failure, seen: true) : .rejected(failure.detail)
        default: return .open(failure, seen: true)
        }
    }
}
