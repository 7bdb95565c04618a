import BankModel
import Synchronization

/// Reads from the bank, and shows what it last said when it cannot be had.
///
/// - Every good answer is kept. An error never removes one.
/// - Old data is shown where the bank cannot be reached, is down, or answers with what makes no sense; it is marked with
///   its time. Where the bank says something about the customer's rights or the request, that is told instead. So is a
///   failed handshake, as somebody may be in between.
/// - What is kept belongs to whoever was signed in. Nobody else is ever shown it, nor what comes in after they have signed
///   out.
/// - Signing out removes all; so does the signing in of another customer.
final class OfflineReader: Sendable {
    private struct State {
        /// Goes up whenever what is under way is no longer for the person who sits there.
        var turn = 0
        /// Whose turn it is, as far as is known.
        var owner: String?
        /// True while the cache could not be emptied: nothing of it is shown.
        var isSpoilt = false
    }

    private let cache: (any DataCache)?
    private let keeper: any TokenKeeping
    private let usesTokens: Bool
    private let clock: any ClientClock
    private let state = Mutex(State())

    init(cache: (any DataCache)?, keeper: any TokenKeeping, usesTokens: Bool, clock: any ClientClock) {
        self.cache = cache
        self.keeper = keeper
        self.usesTokens = usesTokens
        self.clock = clock
    }

    /// The bank's answer, or the last one, marked with its time.
    ///
    /// - Parameter question: names operation and arguments: the same text is the same question.
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
                // Within the lock: what is kept after the cache was emptied would stay.
                if let owner, value.isWhole { cache?.keep(CachedData(value.stored, asOf: clock.now()), as: question, of: owner) }
                return true
            }
            guard isCurrent else { throw OfflineReader.another }
            return value
        } catch {
            guard error.mayShowOldData, let owner, let old: Value = old(question, owner, turn) else { throw error }
            return old
        }
    }

    /// Somebody has signed in; their token is stored.
    ///
    /// What of another customer cannot be removed is no reason to refuse the sign-in: it is sealed under that customer's
    /// name, and removed at the next occasion.
    func signedIn(as owner: String) {
        state.withLock { state in
            if state.owner != owner { state.turn += 1 }
            state.owner = owner
            try? empty(&state, butOf: owner)
        }
    }

    /// Somebody signs out: once before the token is forgotten, so that a crash in between leaves nothing, and once after,
    /// as an answer may have come in meanwhile.
    func signedOut() throws(ClientFailure) {
        try state.withLock { state throws(ClientFailure) in
            state.turn += 1
            state.owner = nil
            try empty(&state, butOf: nil)
        }
    }

    private func empty(_ state: inout State, butOf owner: String?) throws(ClientFailure) {
        guard let cache else { return }
        // What should have gone before goes now, whoever it belongs to.
        let kept = state.isSpoilt ? nil : owner
        state.isSpoilt = true
        do throws(StoreError) { try cache.removeAll(butOf: kept) } catch {
            throw ClientFailure(.unavailable, "data of the customer before could not be removed: \(error)", mayHaveLeft: false)
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

    /// Whose data may be shown; nil if nobody is signed in. A bank without tokens has one customer.
    private func owner() async -> String? {
        guard cache != nil else { return nil }
        return usesTokens ? (try? await keeper.current())?.owner : ""
    }

    /// Length before text: no two lists of arguments make the same text.
    private static func text(_ question: [String?]) -> String {
        question.map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined(separator: ",")
    }

    private static let another = ClientFailure(
        .unauthorized, "the answer is for somebody who has signed out meanwhile", mayHaveLeft: true)
}

extension ClientFailure {
    /// True if the bank could not be had: no connection, no time, trouble on its side, no sense in its answer.
    var mayShowOldData: Bool {
        switch error {
        case .offline, .timeout, .unavailable, .rateLimited, .decode: true
        case .unauthorized, .consentExpired, .forbidden, .notFound, .conflict, .rejected, .tls, .tooLarge, .outcomeUnknown, .cancelled,
            .nothingToDo:
            false
        }
    }
}
