package import BankModel

/// All that one session is: a value. Base fixtures are shared and immutable; this holds what its commands changed.
///
/// Every command is a mutating method that takes the instant of the session's clock at which it happens and has no other
/// input: the same commands at the same instants give the same state and the same outcomes. It changes the state by
/// ``Change``s alone, and takes them back if it must refuse after all. What is no command's doing is set by the session's owner:
/// ``baseURL``, ``prepared``, ``looks``, ``isLogged``.
package struct SessionState: Sendable {
    package let id: String
    package let seed: UInt64
    /// How often the session was reset or went back to what was kept; part of every token's text, so that none is given twice.
    package internal(set) var epoch: Int
    /// By the session's clock; relative dates follow it.
    package let startedAt: Instant
    /// Where the clock begins; nil: at the machine's now, running.
    let beginning: VirtualClock.Beginning?
    /// Put before every absolute address in a reply; no trailing slash.
    package var baseURL: String
    package var prepared: PreparedBank { didSet { if prepared !== oldValue { adoptRows() } } }
    package internal(set) var clock = VirtualClock()
    package internal(set) var tokens = TokenBook()
    package internal(set) var ledger = Ledger()
    /// Raised by every write: a rendered reply holds for one revision.
    package internal(set) var revision = 0
    package internal(set) var keys = IdempotencyBook()
    /// Rows that operations added, per table.
    private(set) var inserted: [String: AddedRows] = [:]
    /// How many they are.
    private(set) var rowCount = 0
    /// When the next of them comes or goes, or before.
    private var nextRowEvent = Instant(nanoseconds: .max)
    /// Counts the rows that operations added and queries look at; nil: nobody does.
    package var looks: RowLooks?
    /// The instant of the session's clock up to which everything due is done.
    private(set) var present = Instant(nanoseconds: .min)
    /// The latest now that the session's clock has shown.
    var latest = Instant(nanoseconds: .min)
    /// The state to go back to.
    var saved: Change.Past?
    /// Whether somebody takes what commands change.
    package var isLogged = false
    /// An operation is at work, which may yet refuse.
    var isExecuting = false
    /// What commands changed, until somebody takes it.
    var changes: [Change] = []
    var attempts = AttemptCounter()
    /// The texts of the second that was written last.
    var dates = DateTexts()
    var generator: SeededGenerator

    /// - Parameters:
    ///   - machineNow: the machine's now, from which the clock runs.
    ///   - beginning: where the clock begins instead.
    ///   - began: by the session's clock, when it started, if that was before now.
    package init(
        id: String, seed: UInt64, prepared: PreparedBank, baseURL: String, startedAt machineNow: Instant,
        beginning: VirtualClock.Beginning? = nil, epoch: Int = 0, began: Instant? = nil
    ) {
        (self.id, self.seed, self.prepared, self.baseURL) = (id, seed, prepared, baseURL)
        (self.beginning, self.epoch) = (beginning, epoch)
        clock = beginning.map { VirtualClock($0, machine: machineNow) } ?? VirtualClock()
        startedAt = began ?? clock.now(machine: machineNow)
        generator = SeededGenerator(seed: SeededGenerator.hash(seed, UInt64(epoch)))
    }

    package var bank: Bank { prepared.bank }

    /// The rows and balances as they were at an instant of the session's clock; all else is as it is now.
    func asOf(_ instant: Instant) -> SessionState {
        var past = self
        past.ledger = ledger.asOf(instant)
        past.present = instant
        for name in inserted.keys { past.inserted[name]?.advance(to: instant) }
        return past
    }

    /// Does what was due by then by the session's clock: accepted movements end.
    package mutating func settle(at now: Instant) {
        if now > present { present = now }
        if now > latest { latest = now }
        if ledger.settle(at: now) { revision += 1 }
        if nextRowEvent <= present { letRowsComeAndGo() }
    }

    private mutating func letRowsComeAndGo() {
        for name in inserted.keys { inserted[name]?.advance(to: present) }
        nextRowEvent = inserted.values.map(\.due).min() ?? Instant(nanoseconds: .max)
    }

    /// Adds a row to a table.
    mutating func insert(_ row: TableRow, into table: String) {
        inserted[table, default: AddedRows(prepared.tables[table], start: startedAt)].append(row, at: present)
        nextRowEvent = min(nextRowEvent, row.since > present ? row.since : row.until)
        rowCount += 1
    }

    /// Takes back the row that was added last to a table.
    mutating func takeBack(from table: String) {
        inserted[table]?.removeLast()
        if inserted[table]?.rows.isEmpty == true { inserted[table] = nil }
        rowCount -= 1
    }

    /// Puts the added rows in the order of an edited bank.
    private mutating func adoptRows() {
        for (name, rows) in inserted { inserted[name] = rows.adopted(by: prepared.tables[name]) }
    }

    /// The session's now: never before one that was shown, though the machine's clock be set back.
    package func now(machine: Instant) -> Instant { max(clock.now(machine: machine), latest) }

    /// The session's now, and that it was shown. Where the machine's clock was set back the session's goes on from where it was.
    package mutating func goOn(machine: Instant) -> Instant {
        let now = clock.now(machine: machine)
        guard now < latest else {
            latest = now
            return now
        }
        try? setClock { [latest] clock throws(ClockError) in try clock.set(to: latest, machine: machine) }
        return latest
    }

    /// When something will be due next by the session's clock; nil: never.
    package var nextDue: Instant? { ledger.nextEnding }

    /// The customer of that login.
    package func customer(_ login: String) -> Customer? { bank.customers.first { $0.login == login } }

    /// A random version 4 UUID (RFC 9562 §5.4) from the session's generator, after a fixed text.
    mutating func uuid(after prefix: String = "") -> String {
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: prefix.utf8.count + 36) { text in
            var place = 0
            for byte in prefix.utf8 {
                text[place] = byte
                place += 1
            }
            for number in 0..<32 {
                if number == 8 || number == 12 || number == 16 || number == 20 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                text[place] = hexDigit((number < 16 ? high : low) >> (60 - 4 * (number % 16)) & 15)
                place += 1
            }
            return place
        }
    }

    /// A random text of 26 letters and digits, 128 bits.
    mutating func randomText() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<26).map { _ in alphabet[Int(generator.next() >> 59)] })
    }
}
