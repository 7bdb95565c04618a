import BankModel

/// What an event of a bank's stream means.
package enum StreamedChange: Sendable, Hashable {
    case balance(Balance, account: String)
    case row(Transaction, account: String)
    /// The row of that id is gone.
    case removal(String)
    /// It is unknown what was missed: everything must be read again.
    case reset
}

/// A bank that sends its customers' balances and rows as they change.
package protocol StreamingBank: BalanceReporting, TransactionListing {
    /// Opens the stream of the customer who is signed in.
    var stream: BankCall { get }
    /// The meaning of an event; nil for one that changes nothing that this client shows.
    func change(_ event: ServerSentEvent) -> StreamedChange?
    /// The position of an event among all, by its id: the higher, the newer. Nil if the id does not have it.
    func number(of id: String) -> Int?
}

/// An account as the client shows it while it watches: what it has read, and what the bank has sent since. Pure.
///
/// Of two events about the same thing the newer counts, whatever the order in which they come. Memory is bounded: after too many changed
/// rows everything is read again.
struct WatchedAccount: Sendable {
    /// The number of changed rows after which everything is read again.
    private static let mostRows = 1000

    private struct Change<Value: Sendable>: Sendable {
        var number: Int
        var value: Value
    }

    private let account: String
    private let rules: StreamRules
    private var read: (balance: Balance, rows: [Transaction])?
    private var balance: Change<Balance>?
    /// The rows that came since the read, by id; nil is a row that is gone.
    private var rows: [String: Change<Transaction?>] = [:]
    /// The highest number so far.
    private var newest = Int.min
    /// What the read has certainly seen: events up to that number are not new.
    private var known = Int.min
    private var events = 0
    /// Whether account and rows must be read before anything can be shown.
    private(set) var needsRead = true

    init(_ account: String, _ rules: StreamRules) {
        self.account = account
        self.rules = rules
    }

    /// A read begins: what comes from now on is newer, or part of it.
    mutating func beginRead() { (read, balance, rows, known, needsRead) = (nil, nil, [:], newest, false) }

    mutating func endRead(_ balance: Balance, _ rows: [Transaction]) { read = (balance, rows) }

    /// The read has failed.
    mutating func abandonRead() { needsRead = true }

    /// - Parameter number: the event's position among all; nil counts as the newest.
    mutating func apply(_ change: StreamedChange, number: Int?) {
        events += 1
        if case .reset = change {
            (newest, needsRead) = (Int.min, true)
            return
        }
        let number = number ?? max(newest, -1) &+ 1
        newest = max(newest, number)
        // A read that is still to come has it.
        guard !needsRead else { return }
        switch change {
        case .balance(let new, let owner) where owner == account && rules.isNewer(number, balance?.number ?? known):
            balance = Change(number: number, value: new)
        case .row(let row, let owner) where owner == account: set(row.id, row, number)
        case .removal(let id): set(id, nil, number)
        default: break
        }
    }

    private mutating func set(_ id: String, _ row: Transaction?, _ number: Int) {
        let identity = rules.identity(id, events)
        guard rules.isNewer(number, rows[identity]?.number ?? known) else { return }
        rows[identity] = Change(number: number, value: row)
        if rows.count > WatchedAccount.mostRows { needsRead = true }
    }

    /// What the client shows; nil before it has read the account.
    var shown: ShownAccount? {
        guard let read, !needsRead else { return nil }
        let unchanged = read.rows.filter { rows[$0.id] == nil }.map { Change(number: Int.min, value: $0) }
        let changed = rows.values.compactMap { change in change.value.map { Change(number: change.number, value: $0) } }
        // The latest day first, pending rows before booked ones, the newest of them first.
        let sorted = (unchanged + changed).enumerated().sorted {
            WatchedAccount.rank($0.element, $0.offset) > WatchedAccount.rank($1.element, $1.offset)
        }
        return ShownAccount(balance: balance?.value ?? read.balance, rows: sorted.map(\.element.value))
    }

    private static func rank(_ change: Change<Transaction>, _ index: Int) -> (CivilDate, Int, Int, Int) {
        (change.value.date, change.value.pending == true ? 1 : 0, change.number, -index)
    }
}

/// A watched account, as it is shown.
package struct ShownAccount: Sendable, Hashable {
    package var balance: Balance
    package var rows: [Transaction]
    /// Whether no stream is open that would bring changes.
    package var isStale = false
}

/// What a client needs to watch an account.
package struct StreamParts: Sendable {
    package var bank: any StreamingBank
    package var transport: any StreamingTransport
    package var rules = StreamRules()
    /// The silence after which what is shown counts as settled.
    package var quiet = Duration.milliseconds(500)
    /// The longest wait for that.
    package var patience = Duration.seconds(8)
    /// How long a connection is used at most: one that has died without a word looks like a silent one.
    package var longest = Duration.seconds(60)
}

/// The rules by which a client watches an account.
package struct StreamRules: Sendable {
    /// Whether an event counts after another about the same thing.
    package var isNewer: @Sendable (_ number: Int, _ seen: Int) -> Bool = { $0 > $1 }
    /// Which row an event is about.
    ///
    /// - Parameter count: the number of events so far.
    package var identity: @Sendable (_ id: String, _ count: Int) -> String = { id, _ in id }
    /// The change that is applied; nil applies none.
    package var change: @Sendable (StreamedChange) -> StreamedChange? = { $0 }
    /// Whether the client names the last id that it has when it connects again.
    package var resumes = true
    /// How long to wait before the next connection; nil ends the stream. A rejection ends it, and eight failures in a row.
    ///
    /// - Parameters:
    ///   - failure: why the last one ended; nil if the bank has ended it.
    ///   - failures: how many brought nothing, one after the other.
    ///   - retry: what the bank asks for.
    package var wait: @Sendable (_ failure: ClientFailure?, _ failures: Int, _ retry: Duration?) -> Duration? = StreamRules.pause

    private static func pause(_ failure: ClientFailure?, _ failures: Int, _ retry: Duration?) -> Duration? {
        guard failure?.retryable ?? true, failures < 8 else { return nil }
        return max(retry ?? .seconds(3), failure?.retryAfter ?? .zero) * (1 << min(max(failures - 1, 0), 4))
    }
}
