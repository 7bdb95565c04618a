import BankModel
import Platform

/// Reads from the bank, and shows the last response while the bank is unavailable.
///
/// - Every good answer is cached. An error never removes one.
/// - Old data is shown if the bank cannot be reached, is down, or sends an unreadable answer; it is marked with its time. A
///   rejection that concerns the customer's rights or the request is reported instead. So is a failed handshake, which may mean
///   an attack on the connection.
/// - Cached data belongs to the customer who was signed in. It is never shown to another, nor is a response that arrives after
///   they have signed out.
/// - Signing out removes everything; so does another customer's sign-in.
final class OfflineReader: Sendable {
    private struct State {
        /// Increases whenever requests in progress no longer belong to the current customer.
        var turn = 0
        /// The current customer; nil if unknown.
        var owner: String?
        /// True while the cache could not be emptied: none of it is shown.
        var isSpoilt = false
    }

    private let cache: (any DataCache)?
    private let keeper: any TokenKeeping
    private let usesTokens: Bool
    private let clock: any ClientClock
    private let state = Locked(State())

    init(cache: (any DataCache)?, keeper: any TokenKeeping, usesTokens: Bool, clock: any ClientClock) {
        self.cache = cache
        self.keeper = keeper
        self.usesTokens = usesTokens
        self.clock = clock
    }

    /// The bank's response, or the cached one, marked with its time.
    ///
    /// - Parameter question: the operation and its arguments: the same text is the same question.
    func read<Value: Storable>(
        _ question: [String?], _ fetch: () async throws(ClientFailure) -> Value
    ) async throws(ClientFailure) -> Value {
        let turn = state.withLock { $0.turn }
        let owner = await owner()
        let question = OfflineReader.text(question)
        if let owner { state.withLock { state in state.owner = state.owner ?? owner } }
        do throws(ClientFailure) {
            let value = try await fetch()
            let isCurrent = state.withLock { state in
                guard state.turn == turn else { return false }
                // Within the lock: a response cached after the cache was emptied would remain.
                if let owner, value.isWhole { cache?.store(CachedData(value.stored, asOf: clock.now()), as: question, of: owner) }
                return true
            }
            guard isCurrent else { throw OfflineReader.another }
            return value
        } catch {
            guard error.mayShowOldData, let owner, let old: Value = old(question, owner, turn) else { throw error }
            return old
        }
    }

    /// Called when a customer has signed in and their token is stored.
    ///
    /// Another customer's data that cannot be removed does not prevent the sign-in: it is sealed under that customer's name,
    /// and removed at the next opportunity.
    func signedIn(as owner: String) {
        state.withLock { state in
            if state.owner != owner { state.turn += 1 }
            state.owner = owner
            try? empty(&state, butOf: owner)
        }
    }

    /// Called when a customer signs out: once before the token is removed, so that a crash in between leaves nothing, and
    /// once after, as a response may have arrived meanwhile.
    func signedOut() throws(ClientFailure) {
        try state.withLock { state throws(ClientFailure) in
            state.turn += 1
            state.owner = nil
            try empty(&state, butOf: nil)
        }
    }

    private func empty(_ state: inout State, butOf owner: String?) throws(ClientFailure) {
        guard let cache else { return }
        // Data whose removal failed before is removed now, whichever customer it belongs to.
        let kept = state.isSpoilt ? nil : owner
        state.isSpoilt = true
        do throws(StorageError) { try cache.removeAll(butOf: kept) } catch {
            throw ClientFailure(.unavailable, "cached data of the previous customer could not be removed: \(error)", mayHaveLeft: false)
        }
        state.isSpoilt = false
    }

    private func old<Value: Storable>(_ question: String, _ owner: String, _ turn: Int) -> Value? {
        state.withLock { state in
            guard state.turn == turn, !state.isSpoilt, let kept = cache?.entry(question, of: owner) else { return nil }
            var value = Value(stored: kept.value)
            value?.asOf = kept.asOf
            return value
        }
    }

    /// The customer whose data may be shown; nil if nobody is signed in. A bank without tokens has one customer.
    private func owner() async -> String? {
        guard cache != nil else { return nil }
        return usesTokens ? (try? await keeper.current())?.owner : ""
    }

    /// Prefixes each text with its length, so that two lists of arguments never make the same text.
    private static func text(_ question: [String?]) -> String {
        question.map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined(separator: ",")
    }

    private static let another = ClientFailure(.unauthorized, "the customer signed out before the response arrived", mayHaveLeft: true)
}

extension ClientFailure {
    /// True if the bank is unavailable: no connection, timeout, a failure on its side, an unreadable answer.
    var mayShowOldData: Bool {
        switch error {
        case .offline, .timeout, .unavailable, .rateLimited, .decode: true
        case .unauthorized, .consentExpired, .forbidden, .notFound, .conflict, .rejected, .tls, .tooLarge, .outcomeUnknown, .cancelled,
            .nothingToDo, .failed:
            false
        }
    }
}
