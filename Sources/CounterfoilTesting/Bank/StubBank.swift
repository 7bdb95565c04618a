import BankCore
import BankEngine
public import Foundation
import StubServer
import Synchronization

/// A running stub bank: one session with its own money, tokens, clock, faults and journal.
///
/// Several tasks may use it at once. After its end, every call that can throw throws ``StubBankError/Code/ended``.
public final class StubBank: Sendable {
    /// The bank's name, such as `roundup`.
    public let name: String
    /// The base URL for the app: `http://127.0.0.1:PORT` (`https` with TLS), without a path.
    public let url: URL
    /// The seed of everything that looks random at this bank.
    public let seed: UInt64
    let banks: StubBanks
    /// True if the server was started for this bank alone, and ends with it.
    private let endsServer: Bool
    private let session: BankSession
    private let isEnded = Mutex(false)

    init(_ session: BankSession, of banks: StubBanks, endsServer: Bool) throws(StubBankError) {
        guard let url = URL(string: session.baseURL) else {
            throw StubBankError(.cannotStart, "found the address \(session.baseURL), expected a URL")
        }
        name = session.bankName
        self.url = url
        seed = session.seed
        self.session = session
        self.banks = banks
        self.endsServer = endsServer
    }

    /// Starts a bank that runs until ``stop()``: for `setUp` and `tearDown`, where no closure fits.
    ///
    /// - Parameters:
    ///   - name: the bank's folder in `Stubs/`.
    ///   - options: the folder of the banks, the seed, the start of the clock, and whether the bank uses TLS.
    /// - Throws: ``StubBankError`` if the bank cannot be served.
    public static func start(_ name: String, options: StubBankOptions = StubBankOptions()) async throws(StubBankError) -> StubBank {
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
        let isFirst = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return !isEnded
        }
        if endsServer { await banks.stop() } else if isFirst { banks.remove(session) }
    }

    /// Resets money, tokens, clock, faults, outage and journal to their start. The address stays the same.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public func reset() async throws(StubBankError) {
        let session = try live()
        session.reset()
        await session.portsSettled()
    }

    /// The certificate, as PEM, of the authority that a client must trust; nil without TLS.
    public var certificateAuthority: String? { banks.certificateAuthority }

    /// The bank's customers, in the order of its file.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    public var customers: [Customer] {
        get throws(StubBankError) {
            try live().bank.customers.map { Customer(login: $0.login, password: $0.password, isLocked: $0.locked) }
        }
    }

    /// A customer of the bank.
    public struct Customer: Sendable, Hashable {
        /// The user name to sign in with.
        public let login: String
        /// The password to sign in with; nil if the bank has no login call: issue a token instead.
        public let password: String?
        /// True if the bank rejects even the right password.
        public let isLocked: Bool
    }

    /// The bank's session.
    ///
    /// - Throws: ``StubBankError`` after the bank's end.
    func live() throws(StubBankError) -> BankSession {
        guard !isEnded.withLock({ $0 }), !banks.hasEnded else {
            throw StubBankError(
                .ended,
                "found the bank \"\(name)\" used after its end, expected it inside the closure of withStubBank, or before stop()")
        }
        return session
    }
}
