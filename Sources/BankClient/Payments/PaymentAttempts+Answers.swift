import BankModel

/// What each answer says about the money: the rules of final, retryable and unknown.
extension PaymentAttempts {
    /// Sends the wish once.
    ///
    /// - Parameter doubtful: true if an earlier attempt may have been carried out.
    func answer(to entry: OutboxEntry, after doubtful: Bool) async -> PaymentAnswer {
        let call = calls.call(for: entry)
        do throws(ClientFailure) {
            let answer = try await caller.exchange(call, of: entry.owner)
            if let refusal = refusal(answer, after: doubtful) { return refusal }
            return .done(try calls.receipt(from: try caller.content(answer, of: call), for: entry))
        } catch {
            if error.error == .rejected { return .refused(error.detail) }
            var failure = error
            // An answer that makes no sense says nothing about the money; the stored one may come on asking again.
            if error.error == .decode && error.mayHaveLeft { failure.retryable = true }
            return .open(failure, seen: error.mayHaveLeft)
        }
    }

    /// What a status other than success means for a payment; nil for success.
    private func refusal(_ answer: BankCaller.Answer, after doubtful: Bool) -> PaymentAnswer? {
        guard let error = answer.verdict.error else { return nil }
        var failure = caller.failure(answer)
        switch error {
        // Looked at before it was carried out (RFC 6750; rate limits sit before the idempotency layer): open as before.
        case .unauthorized, .consentExpired, .forbidden, .rateLimited: return .open(failure, seen: false)
        case .conflict:
            // Another attempt under this key is under way (IETF idempotency draft §2.6), unless the bank says otherwise.
            guard failure.problem == nil || failure.problem == "key-in-flight" else { return .refused(failure.detail) }
            failure.retryable = true
            return .open(failure, seen: true)
        case .rejected, .notFound:
            // After an attempt that may have been carried out only the bank's own words about this payment are final: a
            // bare 404 may be a gateway's, and a mismatch says that the key stands for something else.
            let isTheBanksWord = failure.problem != nil && failure.problem != "key-mismatch"
            return doubtful && !isTheBanksWord ? .open(failure, seen: true) : .refused(failure.detail)
        default: return .open(failure, seen: true)
        }
    }
}
