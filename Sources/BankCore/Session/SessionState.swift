package import BankModel

/// All that one session is: a value. Base fixtures are shared and immutable; this holds what its commands changed.
///
/// Every command is a mutating method that takes the instant of the session's clock at which it happens and has no other
/// input: the same commands at the same instants give the same state and the same outcomes. Snapshot and restore are
/// assignments, reset is a new value.
package struct SessionState: Sendable {
    package let id: String
    package let seed: UInt64
    /// How often the session was reset; part of every token's text, so that none outlives a reset.
    package let resets: Int
    /// By the session's clock; relative dates follow it.
    package let startedAt: Instant
    /// Where the clock begins; nil: at the machine's now, running.
    let beginning: VirtualClock.Beginning?
    /// Put before every absolute address in a reply; no trailing slash.
    package var baseURL: String
    package var prepared: PreparedBank
    package var clock = VirtualClock()
    package internal(set) var tokens = TokenBook()
    package internal(set) var ledger = Ledger()
    /// Raised by every write: a rendered reply holds for one revision.
    package internal(set) var revision = 0
    package internal(set) var keys = IdempotencyBook()
    /// Rows that operations added, per table, in order of insertion.
    var inserted: [String: [TableRow]] = [:]
    /// When each of them was added.
    var insertedAt: [String: [Instant]] = [:]
    var attempts = AttemptCounter()
    var generator: SeededGenerator

    /// - Parameters:
    ///   - machineNow: the machine's now, from which the clock runs.
    ///   - beginning: where the clock begins instead.
    package init(
        id: String, seed: UInt64, prepared: PreparedBank, baseURL: String, startedAt machineNow: Instant,
        beginning: VirtualClock.Beginning? = nil, resets: Int = 0
    ) {
        (self.id, self.seed, self.prepared, self.baseURL) = (id, seed, prepared, baseURL)
        (self.beginning, self.resets) = (beginning, resets)
        clock = beginning.map { VirtualClock($0, machine: machineNow) } ?? VirtualClock()
        startedAt = clock.now(machine: machineNow)
        generator = SeededGenerator(seed: SeededGenerator.hash(seed, UInt64(resets)))
    }

    /// The session as if it were new, but for its tokens' texts: those of before stay unknown.
    package func reset(at machineNow: Instant) -> SessionState {
        SessionState(
            id: id, seed: seed, prepared: prepared, baseURL: baseURL, startedAt: machineNow, beginning: beginning, resets: resets + 1)
    }

    /// The state to go back to later: without the claims of keys under way now, which end before then.
    package var snapshot: SessionState {
        var snapshot = self
        snapshot.keys.dropClaims()
        return snapshot
    }

    /// Goes back to a snapshot. Clock, address and bank stay as they are now, and so do claims of keys under way.
    package mutating func restore(_ snapshot: SessionState) {
        var state = snapshot
        (state.clock, state.baseURL, state.prepared) = (clock, baseURL, prepared)
        state.keys.takeClaims(of: keys)
        self = state
    }

    package var bank: Bank { prepared.bank }

    /// The rows and balances as they were at an instant of the session's clock; all else is as it is now.
    func asOf(_ instant: Instant) -> SessionState {
        var past = self
        past.ledger = ledger.asOf(instant)
        for (table, rows) in inserted {
            past.inserted[table] = zip(rows, insertedAt[table] ?? []).filter { $0.1 <= instant }.map(\.0)
        }
        return past
    }

    /// The customer of that login.
    package func customer(_ login: String) -> Customer? { bank.customers.first { $0.login == login } }

    /// A random version 4 UUID (RFC 9562 §5.4) from the session's generator.
    mutating func uuid() -> String {
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = hex(high) + hex(low)
        let cuts = [0, 8, 12, 16, 20, 32].map { digits.index(digits.startIndex, offsetBy: $0) }
        return zip(cuts, cuts.dropFirst()).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }

    /// A random text of 26 letters and digits, 128 bits.
    mutating func randomText() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<26).map { _ in alphabet[Int(generator.next() >> 59)] })
    }
}

private func hex(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
}
