import BankCore
import BankEngine
import BankModel
import Logging
import Platform
import StubServer

/// A server of stub banks in this process. Each ``StubBank`` opened from it is a separate session.
///
/// Prefer ``withStubBank(_:options:_:)`` or ``withStubBanks(_:options:_:)``, which always stop the server.
public final class StubBanks: Sendable {
    /// The names of the banks that the server has.
    public let names: [StubBankName]
    /// The options that the server was started with.
    public let options: StubBankOptions
    /// The certificate, as PEM, of the authority that a client must trust; nil without TLS.
    public let certificateAuthority: String?
    let stubs: StubsFolder
    private let server: StubServer
    private let state = Locked(State())

    private struct State {
        var isEnded = false
        /// The banks that are open.
        var open: [StubBank] = []
    }

    private init(_ server: StubServer, _ stubs: StubsFolder, _ options: StubBankOptions, authority: String?) {
        self.server = server
        self.stubs = stubs
        self.options = options
        certificateAuthority = authority
        names = server.servedBanks.map { StubBankName(rawValue: $0.name) }
    }

    /// Starts a server on free ports of 127.0.0.1. The caller must ``stop()`` it.
    ///
    /// - Parameters:
    ///   - names: folders in `Stubs/`; all banks in it if the array is empty.
    ///   - options: the folder of the banks, the seed, the start of the clocks, and whether the banks use TLS.
    /// - Throws: ``StubBankError`` for an unknown name or invalid files, or if the server cannot listen.
    public static func start(
        _ names: [StubBankName], options: StubBankOptions = StubBankOptions()
    ) async throws(StubBankError) -> StubBanks {
        let stubs = try StubsFolder(options.stubs)
        let sources = try stubs.sources(names.map(\.rawValue))
        var configuration = ServerConfiguration(seed: options.seed)
        // One thread is enough for the few connections of a test; many tests run at once.
        configuration.eventLoops = 1
        var authority: String?
        do {
            if options.tls {
                let made = try CertificateAuthority.make(named: "Counterfoil test", at: configuration.clock.now())
                configuration.tls = TLSSettings(authority: made)
                authority = made.pem
            }
            let silent = Logger(label: "counterfoil") { _ in SwiftLogNoOpLogHandler() }
            return StubBanks(try await StubServer(sources, configuration, logger: silent), stubs, options, authority: authority)
        } catch {
            throw StubBankError(.cannotStart, "\(error)")
        }
    }

    /// Opens a session of a bank, with its own money, tokens, clock, faults, journal and port.
    ///
    /// - Parameters:
    ///   - name: one of ``names``.
    ///   - seed: the session's seed; nil for that of ``options``.
    ///   - clock: the start of the session's clock; nil for that of ``options``.
    /// - Throws: ``StubBankError`` for an unknown name, for a start of the clock outside the years 1678 to 2261, or after ``stop()``.
    public func open(
        _ name: StubBankName, seed: UInt64? = nil, clock: StubBankOptions.Clock? = nil
    ) async throws(StubBankError) -> StubBank {
        try await open(name, seed: seed, clock: clock, endsServer: false)
    }

    func open(
        _ name: StubBankName, seed: UInt64? = nil, clock: StubBankOptions.Clock? = nil, endsServer: Bool
    ) async throws(StubBankError) -> StubBank {
        guard !state.withLock({ $0.isEnded }) else {
            throw StubBankError(.ended, "found the banks used after their end, expected open(_:) before stop() and inside the scope")
        }
        guard names.contains(name) else {
            throw StubBankError.unknownBank(name.rawValue, known: names.map(\.rawValue), ", which are served")
        }
        let beginning = try (clock ?? options.clock).beginning()
        do {
            let session = try await server.openSession(
                bank: name.rawValue, seed: seed ?? options.seed, beginning: beginning,
                metadata: SessionMetadata(challenges: options.challenges.flatMap { ChallengePolicy.Setting(rawValue: $0.rawValue) }),
                listener: options.tls ? .tls() : .clear())
            let bank = try StubBank(session, of: self, endsServer: endsServer)
            state.withLock { $0.open.append(bank) }
            return bank
        } catch let error as StubBankError {
            throw error
        } catch {
            throw StubBankError(.cannotStart, "\(error)")
        }
    }

    /// Opens a session of a bank for as long as the closure runs.
    ///
    /// - Parameters:
    ///   - name: one of ``names``.
    ///   - seed: the session's seed; nil for that of ``options``.
    ///   - clock: the start of the session's clock; nil for that of ``options``.
    ///   - body: the closure that uses the bank. It runs in the caller's isolation.
    /// - Returns: the closure's result.
    /// - Throws: ``StubBankError`` if the session cannot be opened; otherwise the closure's error.
    public func withSession<Result>(
        of name: StubBankName, seed: UInt64? = nil, clock: StubBankOptions.Clock? = nil, _ body: (StubBank) async throws -> Result
    ) async throws -> Result {
        let bank = try await open(name, seed: seed, clock: clock)
        return try await finishing {
            try await body(bank)
        } by: {
            await bank.stop()
        }
    }

    /// Ends the server and all its sessions, closes their ports and drops the exchanges that faults hold. A second call does nothing.
    public func stop() async {
        let open = state.withLock { state in
            state.isEnded = true
            defer { state.open = [] }
            return state.open
        }
        open.forEach { $0.noteEnd() }
        await server.shutdown(grace: .zero)
    }

    /// Ends one bank.
    func remove(_ bank: StubBank) {
        state.withLock { state in state.open.removeAll { $0 === bank } }
        try? server.registry.remove(bank.session.id)
    }
}

extension StubBankOptions.Clock {
    /// The start of a session's clock; nil for the machine's time.
    fileprivate func beginning() throws(StubBankError) -> VirtualClock.Beginning? {
        switch self {
        case .now: nil
        case .running(let date): VirtualClock.Beginning(now: try Instant(checking: date), mode: .running)
        case .frozen(let date): VirtualClock.Beginning(now: try Instant(checking: date), mode: .frozen)
        }
    }
}
