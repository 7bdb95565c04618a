import Platform

/// Exchanges and connections that wait until they are released or dropped, or their client disconnects.
package struct HeldExchanges {
    /// The reason why a hold ends.
    package enum Ending: Sendable {
        case released
        /// The rule or the session was removed: the connection ends.
        case dropped
    }

    /// One held exchange. It may end before the wire learns that it is held.
    package final class Held: Sendable {
        private let state: Locked<State>

        private struct State {
            var rules: Set<String>
            var isEndless: Bool
            var ending: Ending?
            var act: (@Sendable (Ending) -> Void)?
        }

        /// - Parameter isEndless: whether it ends only by a call or its client, not by time.
        init(rules: Set<String>, isEndless: Bool = true) { state = Locked(State(rules: rules, isEndless: isEndless)) }

        /// The ending; nil while it is held.
        package var ending: Ending? { state.withLock { $0.ending } }

        /// Calls back once, on any thread, when the hold ends.
        package func whenEnded(_ act: @escaping @Sendable (Ending) -> Void) {
            let ended = state.withLock { state -> Ending? in
                if state.ending == nil { state.act = act }
                return state.ending
            }
            if let ended { act(ended) }
        }

        /// Ends the hold. Only the first call counts.
        package func end(_ ending: Ending) {
            let act = state.withLock { state -> (@Sendable (Ending) -> Void)? in
                guard state.ending == nil else { return nil }
                state.ending = ending
                defer { state.act = nil }
                return state.act
            }
            act?(ending)
        }

        /// Drops the callback for the ending.
        package func forget() { state.withLock { $0.act = nil } }

        fileprivate func isOnlyBy(_ rules: Set<String>) -> Bool { state.withLock { $0.rules.isSubset(of: rules) } }

        fileprivate var isEndless: Bool { state.withLock { $0.isEndless } }

        /// Replaces the rules that hold it.
        func with(_ rules: Set<String>, isEndless: Bool) -> Held {
            state.withLock { state in
                state.rules = rules
                state.isEndless = isEndless
            }
            return self
        }
    }

    private var exchanges: [Int: Held] = [:]

    var count: Int { exchanges.count }

    mutating func add(_ held: Held, seq: Int) { exchanges[seq] = held }

    /// Removes an exchange.
    ///
    /// - Returns: nil if it was removed already, as a reset removes all.
    mutating func take(_ seq: Int, _ held: Held?) -> Held? {
        guard let held, exchanges[seq] === held else { return nil }
        return exchanges.removeValue(forKey: seq)
    }

    /// Removes all, in order of arrival.
    mutating func takeAll() -> [Held] { takeAll { _ in true } }

    /// Removes those that do not end by time.
    mutating func takeEndless() -> [Held] { takeAll(where: \.isEndless) }

    /// Removes those that another rule than these holds.
    mutating func takeAll(notBy rules: Set<String>) -> [Held] { takeAll { !$0.isOnlyBy(rules) } }

    private mutating func takeAll(where condition: (Held) -> Bool) -> [Held] {
        let taken = exchanges.filter { condition($0.value) }.sorted { $0.key < $1.key }
        taken.forEach { exchanges[$0.key] = nil }
        return taken.map(\.value)
    }
}
