/// Exchanges whose delivery is held back, until they are released, dropped, or their client goes.
struct HeldExchanges {
    /// Why holding ends.
    enum Ending: Sendable {
        case released
        /// The rule or the session is gone: the connection ends.
        case dropped
    }

    /// One held exchange.
    struct Held: Sendable {
        let ruleID: String
        /// Called once, from any thread.
        let end: @Sendable (Ending) -> Void
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
