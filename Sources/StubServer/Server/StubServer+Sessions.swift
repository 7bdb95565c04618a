package import BankCore
package import BankEngine
import BankModel
import Logging
import Platform

/// The sessions of a server: opening them, and the addresses by which clients reach them.
extension StubServer {
    /// Opens a session.
    ///
    /// - Parameters:
    ///   - name: its id; nil for a generated one.
    ///   - beginning: the start of its clock; nil for the machine's time.
    ///   - metadata: its labels and the like.
    ///   - listener: whether it gets its own port, where no prefix or header is needed.
    /// - Throws: ``SessionError``, ``ServerError``
    package func openSession(
        bank: String, name: String? = nil, seed: UInt64? = nil, beginning: VirtualClock.Beginning? = nil,
        metadata: SessionMetadata = SessionMetadata(), listener: SessionListener = .none
    ) async throws -> BankSession {
        guard !isDraining else { throw ServerError.draining }
        guard let prepared = banks.withLock({ $0[bank] }) else { throw SessionError.unknownBank(bank, known: servedBanks.map(\.name)) }
        let (session, stored) = try registry.open(prepared, name: name, seed: seed, beginning: beginning, metadata: metadata)
        do {
            try await stored?.wait()
            switch listener {
            case .none: setBanksPorts(of: session)
            case .clear(let protocols): try await listen(session, nil, protocols)
            case .tls(let protocols, let acceptsClearText):
                guard let tls = configuration.tls else { throw ServerError.noTLS }
                try await listen(
                    session, tls.contexts(configuration, protocols, clock: session.clock), protocols, acceptsClearText: acceptsClearText)
            }
            return session
        } catch {
            registry.remove(session)
            throw error
        }
    }

    /// Serves a session without its own port at the banks' ports, and sets the address by which clients reach it there.
    ///
    /// - Parameter onlyBank: for a default session, whether its bank is mounted at `/`; nil for any other.
    func setBanksPorts(of session: BankSession, onlyBank: Bool? = nil) {
        setPorts(of: session, onlyBank == true ? listeners : [], protocols, isSecure: tlsAddress != nil)
        let node = configuration.node
        if let url = configuration.publicURL, url.names(.session) {
            return session.setBaseURL(url.text(node, session: session.id), isPublic: true)
        }
        let path = onlyBank.map { $0 ? "" : "/\(session.bankName)" } ?? "/s/\(session.id)"
        session.setBaseURL(publicAddress + path, isPublic: configuration.publicURL != nil)
    }

    /// The address of the banks' port for clients; the server's own if each session has a public one.
    package var publicAddress: String {
        guard let url = configuration.publicURL, !url.names(.session) else { return address }
        return url.text(configuration.node)
    }

    /// Sets the ports and protocols by which a session's requests come, and whether the authority can sign intermediates.
    private func setPorts(of session: BankSession, _ ports: [any SessionPort], _ protocols: Set<WireProtocol>, isSecure: Bool) {
        session.setPorts(
            ports, protocols: protocols, isSecure: isSecure, signsIntermediates: configuration.tls?.authority.signsIntermediates ?? true)
    }

    /// Gives a session its own port.
    private func listen(
        _ session: BankSession, _ security: TLSContexts?, _ protocols: Set<WireProtocol>?, acceptsClearText: Bool = false
    ) async throws(ServerError) {
        let choice = SessionChoice(mount: .session(session), registry: registry)
        var context = WireContext(choice, configuration, incompleteRequests: incompleteRequests, security: security, protocols: protocols)
        context.acceptsClearText = acceptsClearText
        let listener = try await RestartableListener(host: configuration.host, port: 0, WireListener(group: group), context, connections) {
            [logger] in
            logger.warning("\($0)")
        }
        setPorts(of: session, [listener], context.protocols, isSecure: security != nil)
        session.setBaseURL("\(security == nil ? "http" : "https")://\(configuration.clientHost(session: session.id)):\(listener.port)")
    }
}

extension TLSSettings {
    /// The contexts of one listener.
    ///
    /// - Parameters:
    ///   - protocols: the protocols it speaks; nil for all.
    ///   - clock: the clock by which its certificates are issued; nil for the server's.
    func contexts(_ configuration: ServerConfiguration, _ protocols: Set<WireProtocol>? = nil, clock: MachineClock? = nil) -> TLSContexts {
        let offered = [(WireProtocol.h2, "h2"), (.h1s, "http/1.1")].filter { (protocols ?? WireContext.built).contains($0.0) }.map(\.1)
        return TLSContexts(
            authority, hosts: configuration.certifiedHosts, clock: clock ?? configuration.clock, applicationProtocols: offered)
    }
}
