import Synchronization

/// Exchanges whose delivery is held back, until they are released, dropped, or their client goes.
struct HeldExchanges {
    /// Why holding ends.
    enum Ending: Sendable {
        case released
        /// The rule or the session is gone: the connection ends.
        case dropped
    }

    /// One held exchange. It may be ended before the wire has learned that it is held.
    final class Held: Sendable {
        let ruleID: String
        private let state = Mutex(State.new)

        private enum State {
            case new
            case waiting(@Sendable (Ending) -> Void)
            case ended(Ending)
        }

        init(ruleID: String) { self.ruleID = ruleID }

        /// Calls back once, from any thread, when holding ends.
        func whenEnded(_ act: @escaping @Sendable (Ending) -> Void) {
            let ended = state.withLock { state -> Ending? in
                if case .ended(let ending) = state { return ending }
                state = .waiting(act)
                return nil
            }
            if let ended { act(ended) }
        }

        func end(_ ending: Ending) {
            let act = state.withLock { state -> (@Sendable (Ending) -> Void)? in
                defer { state = .ended(ending) }
                if case .waiting(let act) = state { return act }
                return nil
            }
            act?(ending)
        }
    }

    private var exchanges: [Int: Held] = [:]

    var count: Int { exchanges.count }

    mutating func add(_ held: Held, seq: Int) { exchanges[seq] = held }

    /// Takes one out; nil if it was taken before: whoever takes it ends it.
    mutating func take(_ seq: Int) -> Held? { exchanges.removeValue(forKey: seq) }

    /// Takes out all, in the order in which they arrived.
    mutating func takeAll() -> [Held] { takeAll { _ in true } }

    /// Takes out those of a rule.
    mutating func takeAll(of ruleID: String) -> [Held] { takeAll { $0.ruleID == ruleID } }

    private mutating func takeAll(where condition: (Held) -> Bool) -> [Held] {
        let taken = exchanges.filter { condition($0.value) }.sorted { $0.key < $1.key }
        taken.forEach { exchanges[$0.key] = nil }
        return taken.map(\.value)
    }
}
