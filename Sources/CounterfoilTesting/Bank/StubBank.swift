import BankCore
import BankEngine
public import Foundation
import StubServer
import Synchronization

/// A running stub bank: one session with money, tokens, clock, faults and journal of its own.
///
/// It may be used from several tasks at once. After its end every call throws ``StubBankError/Code/ended``.
public final class StubBank: Sendable {
    /// The bank's name, such as `roundup`.
    public let name: String
    /// Where the app must send its requests: `http://127.0.0.1:PORT`, with nothing behind the port.
    public let url: URL
    /// The seed from which all that looks random at this bank follows.
    public let seed: UInt64
    let banks: StubBanks
    /// Ends with it: the server was started for this bank alone.
    private let endsServer: Bool
    private let session: BankSession
    private let isEnded = Mutex(false)

    init(_ session: BankSession, of banks: StubBanks, endsServer: Bool) throws(StubBankError) {
        guard let url = URL(string: session.baseURL) else {
            throw StubBankError(.cannotStart, "found the address \(session.baseURL), expected a URL")
        }
        (name, self.url, seed) = (session.bankName, url, session.seed)
        (self.session, self.banks, self.endsServer) = (session, banks, endsServer)
    }

    /// Starts a bank that lives until ``stop()``: for `setUp` and `tearDown`, where no scope fits.
    ///
    /// - Parameters:
    ///   - name: the bank's folder in `Stubs/`.
    ///   - options: where its files are, its seed, its clock, and whether it speaks TLS.
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

    /// Ends it: its port is given up, and what it held back ends. Ending it again is allowed.
    public func stop() async {
        let isFirst = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return !isEnded
        }
        if endsServer { await banks.stop() } else if isFirst { banks.remove(session) }
    }

    /// Puts all back to the beginning: money, tokens, clock, faults, outage and journal. The address stays.
    ///
    /// - Throws: ``StubBankError`` after its end.
    public func reset() async throws(StubBankError) {
        let session = try live()
        session.reset()
        await session.portsSettled()
    }

    /// The certificate, as PEM, of the authority that a client must trust; nil without TLS.
    public var certificateAuthority: String? { banks.certificateAuthority }

    /// The people who can sign in, in the order of the bank's file.
    ///
    /// - Throws: ``StubBankError`` after its end.
    public var customers: [Customer] {
        get throws(StubBankError) {
            try live().bank.customers.map { Customer(login: $0.login, password: $0.password, isLocked: $0.locked) }
        }
    }

    /// Somebody who has accounts at the bank.
    public struct Customer: Sendable, Hashable {
        /// The name to sign in with.
        public let login: String
        /// Nil where the bank has no login call: issue a token instead.
        public let password: String?
        /// The right password is refused, too.
        public let isLocked: Bool
    }

    /// The session behind it.
    ///
    /// - Throws: ``StubBankError`` after its end.
    func live() throws(StubBankError) -> BankSession {
        guard !isEnded.withLock({ $0 }), !banks.hasEnded else {
            throw StubBankError(
                .ended,
                "found the bank \"\(name)\" used after its end, expected it inside the closure of withStubBank, or before stop()")
        }
        return session
    }
}
