import Synchronization

/// Exchanges and connections that wait, until they are released, dropped, or their client goes.
package struct HeldExchanges {
    /// Why holding ends.
    package enum Ending: Sendable {
        case released
        /// The rule or the session is gone: the connection ends.
        case dropped
    }

    /// One held exchange. It may be ended before the wire has learned that it is held.
    package final class Held: Sendable {
        private let state: Mutex<State>

        private struct State {
            var rules: Set<String>
            var ending: Ending?
            var act: (@Sendable (Ending) -> Void)?
        }

        init(rules: Set<String>) { state = Mutex(State(rules: rules)) }

        /// How it was ended; nil while it is held.
        package var ending: Ending? { state.withLock { $0.ending } }

        /// Calls back once, from any thread, when holding ends.
        package func whenEnded(_ act: @escaping @Sendable (Ending) -> Void) {
            let ended = state.withLock { state -> Ending? in
                if state.ending == nil { state.act = act }
                return state.ending
            }
            if let ended { act(ended) }
        }

        /// Ends it, if nobody has before.
        package func end(_ ending: Ending) {
            let act = state.withLock { state -> (@Sendable (Ending) -> Void)? in
                guard state.ending == nil else { return nil }
                state.ending = ending
                defer { state.act = nil }
                return state.act
            }
            act?(ending)
        }

        /// Lets go whoever waits for the ending.
        package func forget() { state.withLock { $0.act = nil } }

        fileprivate func isOnlyBy(_ rules: Set<String>) -> Bool { state.withLock { $0.rules.isSubset(of: rules) } }

        /// Held by these rules from now on.
        func with(_ rules: Set<String>) -> Held {
            state.withLock { $0.rules = rules }
            return self
        }
    }

    private var exchanges: [Int: Held] = [:]

    var count: Int { exchanges.count }

    mutating func add(_ held: Held, seq: Int) { exchanges[seq] = held }

    /// Takes one out, if it is this one: after a reset another may have its number.
    mutating func take(_ seq: Int, _ held: Held?) -> Held? {
        guard let held, exchanges[seq] === held else { return nil }
        return exchanges.removeValue(forKey: seq)
    }

    /// Takes out all, in the order in which they arrived.
    mutating func takeAll() -> [Held] { takeAll { _ in true } }

    /// Takes out those that any other rule than these holds.
    mutating func takeAll(notBy rules: Set<String>) -> [Held] { takeAll { !$0.isOnlyBy(rules) } }

    private mutating func takeAll(where condition: (Held) -> Bool) -> [Held] {
        let taken = exchanges.filter { condition($0.value) }.sorted { $0.key < $1.key }
        taken.forEach { exchanges[$0.key] = nil }
        return taken.map(\.value)
    }
}
