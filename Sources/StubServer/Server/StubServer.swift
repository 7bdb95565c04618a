package import BankCore
package import BankEngine
import BankModel
package import Logging
import NIOCore
import NIOPosix
import Platform

/// A stub bank on the wire: its listeners and its sessions.
package final class StubServer: Sendable {
    package let configuration: ServerConfiguration
    package let registry: SessionRegistry
    /// `http://host:port` of the bank's port; no trailing slash.
    package let address: String
    package let logger: Logger
    private let sources: Locked<[String: BankSource]>
    let banks: Locked<[String: PreparedBank]>
    let group: any EventLoopGroup
    let incompleteRequests: IncompleteRequests
    let connections: ConnectionSet
    let listeners: [RestartableListener]
    /// The sessions' state file; nil if there is none.
    let kept: PersistedSessions?
    /// Sessions in the state file whose bank is not served: they stay there.
    package let unserved: [String]
    /// Notes for the state file's owner, a sentence each.
    package var stateNotes: [String] { kept?.store.notes ?? [] }
    /// `https://host:port` of the banks' port under TLS; nil without one.
    package let tlsAddress: String?
    private let ends = AsyncStream<Void>.makeStream()
    /// How long exchanges under way may take once the end is requested; nil before that.
    private let endGrace = Locked<Duration?>(nil)
    /// The shutdown of this server; nil until it begins.
    private let ending = Locked<Task<Void, Never>?>(nil)

    /// Binds the bank's port and answers from then on.
    ///
    /// - Throws: ``ServerError``, such as for an address that cannot be bound.
    package init(
        _ sources: [BankSource], _ configuration: ServerConfiguration, logger: Logger
    ) async throws(ServerError) {
        guard !sources.isEmpty else { throw .noBank }
        let banks = sources.map { PreparedBank($0.bank) }
        let banksByName = Dictionary(banks.map { ($0.bank.name, $0) }) { first, _ in first }
        self.configuration = configuration
        self.logger = logger
        self.sources = Locked(Dictionary(sources.map { ($0.bank.name, $0) }) { first, _ in first })
        self.banks = Locked(banksByName)
        incompleteRequests = IncompleteRequests(limit: configuration.incompleteRequestMemory)
        connections = ConnectionSet()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops ?? System.coreCount)
        self.group = group
        var kept: PersistedSessions?
        let restored: [BankSession]
        do throws(ServerError) {
            // Not by `map`: a function with typed throws as a type argument needs iOS 18 and macOS 15 (.ci/lint).
            if let open = configuration.openLog { kept = try PersistedSessions(open) }
            registry = StubServer.registry(of: banks, configuration, kept?.store, group)
            (restored, unserved) = try await kept?.restore(into: registry, banksByName) ?? ([], [])
            listeners = try await StubServer.bind(registry, configuration, incompleteRequests, connections, group) {
                logger.warning("\($0)")
            }
        } catch {
            kept?.store.close()
            try? await group.shutdownGracefully()
            throw error
        }
        self.kept = kept
        address = "http://\(configuration.host.urlHost):\(listeners.first?.port ?? configuration.port)"
        tlsAddress = listeners.dropFirst().first.map { "https://\(configuration.clientHost()):\($0.port)" }
        for session in registry.defaultSessions { setBanksPorts(of: session, onlyBank: banks.count == 1) }
        for session in restored { setBanksPorts(of: session) }
        // What an earlier run has not delivered.
        for session in registry.unsorted { session.deliver() }
    }

    private static func registry(
        of banks: [PreparedBank], _ configuration: ServerConfiguration, _ store: (any DurableLog)?, _ group: any EventLoopGroup
    ) -> SessionRegistry {
        SessionRegistry(
            banks,
            .init(
                clock: configuration.clock, seed: configuration.seed, node: configuration.node,
                journalCapacity: configuration.journalCapacity,
                budget: JournalBudget(limit: configuration.journalMemory), limit: configuration.sessionLimit, quotas: configuration.quotas,
                sessionSize: SessionSize(payments: configuration.paymentLimit), store: store,
                nextTimer: { LoopTimer(loop: group.next()) },
                sender: WebhookPost(hosts: configuration.webhookHosts)))
    }

    /// Binds the banks' ports.
    ///
    /// - Returns: the port in clear text, then the one under TLS if there is one. If that cannot be bound, neither is.
    private static func bind(
        _ registry: SessionRegistry, _ configuration: ServerConfiguration, _ incompleteRequests: IncompleteRequests,
        _ connections: ConnectionSet, _ group: any EventLoopGroup, warn: @escaping @Sendable (String) -> Void
    ) async throws(ServerError) -> [RestartableListener] {
        let sessions = registry.defaultSessions
        let mount: SessionChoice.Mount =
            if let only = sessions.first, sessions.count == 1 { configuration.servesOneSession ? .session(only) : .bank(only) } else {
                .banks(sessions)
            }
        let choice = SessionChoice(
            mount: mount, registry: registry, servesDefaultSessions: configuration.servesDefaultSessions,
            hosts: configuration.publicURL?.sessionHosts(configuration.node))
        let (listener, host) = (WireListener(group: group), configuration.host)
        let context = WireContext(choice, configuration, incompleteRequests: incompleteRequests)
        let clear = try await RestartableListener(host: host, port: configuration.port, listener, context, connections, warn: warn)
        guard let tls = configuration.tls, let port = tls.port else { return [clear] }
        let secure = WireContext(choice, configuration, incompleteRequests: incompleteRequests, security: tls.contexts(configuration))
        do throws(ServerError) {
            return [clear, try await RestartableListener(host: host, port: port, listener, secure, connections, warn: warn)]
        } catch {
            clear.close()
            throw error
        }
    }

    /// Listens on further ports, such as the admin API's, on this server's event loops.
    package var listener: WireListener { WireListener(group: group) }

    /// The protocols of this server's ports.
    var protocols: Set<WireProtocol> { WireContext.built.subtracting(listeners.count > 1 ? [] : [.h1s]) }

    /// The banks served, by name.
    package var servedBanks: [Bank] { registry.defaultSessions.map(\.bank) }

    /// The number of open connections.
    package var connectionCount: Int { connections.count }

    /// Shuts the server down: closes its ports, finishes responses in progress and ends held ones. A second call waits for the first.
    ///
    /// - Parameter grace: how long responses in progress may take, in real time.
    package func shutdown(grace: Duration = .seconds(5)) async {
        let task = ending.withLock { ending in
            let task = ending ?? Task { await self.end(grace: grace) }
            ending = task
            return task
        }
        await task.value
    }

    private func end(grace: Duration) async {
        await endExchanges(within: grace)
        for session in registry.all { session.close() }
        kept?.store.close()
        try? await group.shutdownGracefully()
    }

    /// Closes all ports, ends exchanges that would be held forever, and returns once the others have ended or `grace` is over.
    private func endExchanges(within grace: Duration) async {
        // A connection that is accepted after the drain has begun would not be drained.
        for listener in listeners { listener.close() }
        for session in registry.all { session.closePorts() }
        for session in registry.all { session.endEndless() }
        await connections.drain(grace: .nanoseconds(grace.nanoseconds))
    }

    // MARK: readiness and drain

    /// Opens no session from now on, and is not ready.
    ///
    /// - Parameter grace: how long exchanges under way may take once the end is requested. Only that of the first call counts.
    package func rejectSessions(grace: Duration) { endGrace.withLock { $0 = $0 ?? grace } }

    /// Asks ``run(beside:onEvent:)`` to end. Only the first call counts.
    ///
    /// - Parameter grace: how long exchanges under way may take, in real time.
    package func requestEnd(within grace: Duration = .seconds(5)) {
        rejectSessions(grace: grace)
        ends.continuation.finish()
    }

    /// Closes all connections to the banks, so that a drain does not wait for what is under way.
    package func closeConnections() { connections.closeAll() }

    /// Returns once ``requestEnd(within:)`` was called.
    package func endRequested() async { for await _ in ends.stream {} }

    /// Whether the server is about to end: no session is opened any more.
    package var isDraining: Bool { endGrace.withLock { $0 != nil } }

    /// If the end was requested, returns once no exchange is under way or their time is over. The admin API answers meanwhile.
    func drain() async {
        guard let grace = endGrace.withLock({ $0 }) else { return }
        await endExchanges(within: grace)
    }

    /// The reason why this server should get no new clients; nil if it is ready.
    ///
    /// After a failed write to the state file it tries one that changes nothing: the disk may have space again.
    package var unreadiness: Unreadiness? {
        get async {
            if isDraining { return .draining }
            guard let attempt = kept?.store.attemptAfterFailure() else { return nil }
            do throws(StoreError) { try await attempt.wait() } catch {
                return switch error {
                case .moved: .stateMoved
                case .unknown, .stopped: .stateStopped
                default: .stateRejectsWrites
                }
            }
            return nil
        }
    }

    // MARK: edited files

    /// The files that the banks were read from.
    var watchedFiles: [String: [String]] { sources.withLock { $0.mapValues(\.files) } }

    /// Reloads a bank and applies it to all its sessions; throws and changes nothing if its files are faulty.
    package func reload(_ name: String) throws {
        guard let source = sources.withLock({ $0[name] }) else { return }
        let edited = try source.reload()
        let prepared = PreparedBank(edited.bank)
        sources.withLock { $0[name] = edited }
        banks.withLock { $0[name] = prepared }
        for session in registry.all where session.bankName == name { session.adopt(prepared) }
    }
}

extension String {
    /// Whether this is a loopback address, which other machines cannot reach.
    package var isLoopback: Bool { self == "localhost" || self == "::1" || hasPrefix("127.") }
}

/// The reason why a server that answers is not ready.
package enum Unreadiness: String, Sendable {
    /// It is about to end.
    case draining
    /// The state file cannot be written, such as on a full disk.
    case stateRejectsWrites = "the state file cannot be written"
    /// The disk failed during a write: only a restart shows what the state file contains.
    case stateStopped = "the disk failed while the state file was written; no further changes are written until the server is restarted"
    /// Another file, or none, is at the state file's path.
    case stateMoved = "the state file was moved or replaced"
}
