import BankCore
import BankEngine
public import Foundation
import Platform
import StubServer

/// A running stub bank: one session with its own money, tokens, clock, faults and journal.
///
/// Several tasks may use it at once, but only one test: a call that changes the bank throws ``StubBankError/Code/sharedByTests`` in a
/// test other than the one that started or reset it. After its end, every call that changes it throws ``StubBankError/Code/ended``; journal,
/// ledger, clock and counts stay as they were.
public final class StubBank: Sendable {
    /// The bank's name, such as `roundup`.
    public let name: StubBankName
    /// The base URL for the app: `http://127.0.0.1:PORT` (`https` with TLS), without a path.
    public let url: URL
    /// The seed for all random values of this bank.
    public let seed: UInt64
    let banks: StubBanks
    /// True if the server was started for this bank alone, and ends with it.
    private let endsServer: Bool
    let session: BankSession
    private let state: Locked<State>

    private struct State {
        var isEnded = false
        /// The test that started or reset the bank; nil if it was none, or is not known.
        var test = RunningTest.current
        /// The journal at the end.
        var lastJournal: JournalRecords?
        /// The bank as its files have it; nil if a test has arranged nothing.
        var unarranged: Bank?
    }

    @TaskLocal static var running: StubBank?

    /// The bank that the trait `.stubBank` has started for the running test.
    ///
    /// - Throws: ``StubBankError/Code/noCurrentBank`` if the test has no such trait, or in a task that does not belong to the test.
    public static var current: StubBank {
        get throws(StubBankError) {
            if let running { return running }
            let caller = RunningTest.current.map { "the test \"\($0.name)\", which has no bank" } ?? "a task that belongs to no test"
            throw StubBankError(
                .noCurrentBank,
                "found StubBank.current used in \(caller); expected the trait .stubBank(.counterfoil), or with another bank, at the test "
                    + "or at its suite. In a detached task, use a bank that the test passes in; in XCTest, withStubBank or StubBank.start")
        }
    }

    init(_ session: BankSession, of banks: StubBanks, endsServer: Bool) throws(StubBankError) {
        guard let url = URL(string: session.baseURL) else {
            throw StubBankError(.cannotStart, "found the address \(session.baseURL), expected a URL")
        }
        name = StubBankName(rawValue: session.bankName)
        self.url = url
        seed = session.seed
        self.session = session
        self.banks = banks
        self.endsServer = endsServer
        state = Locked(State())
    }

    /// Starts a bank that runs until ``stop()``: for `setUp` and `tearDown`, where no closure fits.
    ///
    /// - Parameters:
    ///   - name: the bank.
    ///   - options: the folder of the banks, the seed, the start of the clock, and whether the bank uses TLS.
    /// - Throws: ``StubBankError`` if the bank cannot be served.
    public static func start(_ name: StubBankName, options: StubBankOptions = StubBankOptions()) async throws(StubBankError) -> StubBank {
        let banks = try await StubBanks.start([name], options: options)
        do throws(StubBankError) {
            return try await banks.open(name, endsServer: true)
        } catch {
            await banks.stop()
            throw error
        }
    }

    /// Ends the bank, closes its port and drops the exchanges that faults hold. A second call does nothing.
    public func stop() async {
        let isFirst = noteEnd()
        if endsServer { await banks.stop() } else if isFirst { banks.remove(self) }
    }

    /// Notes that the bank ends now, and keeps its journal.
    ///
    /// - Returns: false if it has ended before.
    @discardableResult
    func noteEnd() -> Bool {
        let journal = session.recorded
        return state.withLock { state in
            guard !state.isEnded else { return false }
            state.isEnded = true
            state.lastJournal = journal
            return true
        }
    }

    /// Whether the bank has ended.
    var hasEnded: Bool { state.withLock { $0.isEnded } }

    /// The exchanges so far; after the bank has ended, those until its end.
    var recorded: JournalRecords { state.withLock { $0.lastJournal } ?? session.recorded }

    /// Resets money, tokens, clock, faults, outage and journal to their start, and data and responses to those of the bank's files. The
    /// address stays the same. A bank that another test has used belongs to this one from now on.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func reset() async throws(StubBankError) {
        let test = RunningTest.current
        let bank = state.withLock { state in
            state.test = test
            defer { state.unarranged = nil }
            return state.unarranged
        }
        let session = try live()
        if let bank { session.adopt(PreparedBank(bank)) }
        session.reset()
        await session.waitForPorts()
    }

    /// Replaces the bank's data until the next reset.
    func adopt(_ arranged: Bank, in session: BankSession) {
        let bank = session.bank
        state.withLock { $0.unarranged = $0.unarranged ?? bank }
        session.adopt(PreparedBank(arranged))
    }

    /// The certificate, as PEM, of the authority that a client must trust; nil without TLS.
    public var certificateAuthority: String? { banks.certificateAuthority }

    /// The bank's customers with their credentials, in the order of its file.
    public var customers: [Credentials] {
        session.bank.customers.map { Credentials(customer: Customer(rawValue: $0.login), password: $0.password, isLocked: $0.locked) }
    }

    /// The credentials of a customer.
    public struct Credentials: Sendable, Hashable {
        /// The customer, whose login is the user name.
        public let customer: Customer
        /// The password; nil if the bank has no login call: issue a token instead.
        public let password: String?
        /// True if the bank rejects even the right password.
        public let isLocked: Bool
    }

    /// The bank's session, for a call that changes it.
    ///
    /// - Parameter running: the test that calls.
    /// - Throws: ``StubBankError`` after the bank's end, or if the bank belongs to another test.
    func live(for running: RunningTest? = .current) throws(StubBankError) -> BankSession {
        let (isEnded, owner) = state.withLock { state in
            if state.test == nil { state.test = running }
            return (state.isEnded, state.test)
        }
        guard !isEnded else {
            let user = (running ?? owner).map { " in the test \"\($0.name)\"" } ?? ""
            throw StubBankError(
                .ended,
                "found the bank \"\(name)\" used\(user) after its end, expected it inside the closure of withStubBank, before stop(), or in "
                    + "the test whose trait started it")
        }
        guard let running, let owner, running != owner else { return session }
        throw StubBankError(
            .sharedByTests,
            "found the bank \"\(name)\" of the test \"\(owner.name)\" used in the test \"\(running.name)\", which would share its money, "
                + "tokens and faults; expected each test to have its own bank: .stubBank(.\(name)) or withStubBank. Tests that run one after another "
                + "(.serialized) may share one if each begins with reset()")
    }
}
