package import BankCore
package import BankModel
package import BankEngine
import Platform

/// The configuration of a stub server.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 for any free one.
    package var port = 0
    /// The origin whose pages may call the bank; nil if none may.
    package var corsOrigin: String?
    /// The seed from which all sessions' seeds are derived.
    package var seed: UInt64
    /// The node that this server is among several; nil if it is the only one.
    package var node: ServerNode?
    /// The address by which clients reach the banks; nil if it is the server's own.
    package var publicURL: PublicURL?
    /// Whether the banks' default sessions answer requests.
    package var servesDefaultSessions = true
    /// Whether the ports belong to the session of the only bank: nothing in a request chooses another, as before a real bank.
    package var servesOneSession = false
    /// The maximum number of journal entries per session.
    package var journalCapacity = 10_000
    /// The memory limit for the journals of all sessions together, in bytes.
    package var journalMemory = 64 << 20
    /// The maximum number of sessions.
    package var sessionLimit = 10_000
    /// The maximum number of sessions with one value of a label, by the label's name.
    package var quotas: [String: Int] = [:]
    /// The maximum number of payments per session; see ``SessionSize``.
    package var paymentLimit = SessionSize.usual.payments
    /// How long a connection may be silent; then an idle one is closed, and an incomplete request rejected with 408.
    package var idleTimeout = Duration.seconds(60)
    /// The total time for a request's head, even if bytes keep arriving; then it is rejected with 408.
    package var headTimeout = Duration.seconds(30)
    /// The total time for a request's body, chunk extensions and trailers included; then it is rejected with 408.
    package var bodyTimeout = Duration.seconds(60)
    /// The maximum number of connections of each port; those above it wait until others have ended. Nil for a share of the files that the
    /// process may have open: half of them for each of the banks' and sessions' ports, a quarter for the admin port.
    package var connectionLimit: Int?
    /// The limit for the bytes of incomplete requests on all connections together; above it the largest is rejected with 503.
    package var incompleteRequestMemory = 64 << 20
    /// How long the server waits at most for a client to acknowledge the bytes before a reset or FIN.
    package var drain = Duration.seconds(1)
    /// How long exchanges under way may take after a signal to end, or `POST /__admin/drain`; then their connections are closed.
    package var drainTime = Duration.seconds(30)
    /// The time after which an unused session is removed.
    package var sessionTimeToLive = Duration.seconds(3600)
    /// Opens the log that persists all sessions; nil if they end with the server.
    package var openLog: (@Sendable () throws(StoreError) -> any DurableLog)?
    /// The hosts that webhooks may be sent to.
    package var webhookHosts = WebhookHosts()
    /// The number of threads that serve connections; nil for one per core.
    package var eventLoops: Int?
    package var clock = MachineClock.system
    /// Nil if nothing is served over TLS.
    package var tls: TLSSettings?

    package init(seed: UInt64) { self.seed = seed }
}

extension ServerConfiguration {
    /// The maximum number of connections of a port, so that no port can take all files that the process may have open now.
    ///
    /// - Parameter isAdmin: whether it is the admin port.
    package func connectionLimit(isAdmin: Bool) -> Int {
        connectionLimit ?? ThisProcess.openFileLimit.map { max(1, Int(clamping: $0 / (isAdmin ? 4 : 2))) } ?? .max
    }

    /// The host by which clients reach a port other than the banks' first one, as it stands in a URL.
    ///
    /// That is `host`. It is the host of the public address if `host` stands for all of this machine's addresses, which no client can
    /// call, or is loopback for an emulator, which calls it by another address.
    ///
    /// - Parameter session: the session that has the port; nil if it is a port of all sessions.
    func clientHost(session: String? = nil) -> String {
        guard let publicURL, session != nil || publicURL.sessionHosts(node) == nil else { return host.urlHost }
        let name = publicURL.host(node, session: session ?? "")
        return !LocalNames.isOne(host) || host.isLoopback && name == LocalNames.fromEmulator ? name : host.urlHost
    }

    /// The names and addresses that certificates of this server have besides the machine's own; of a session's host its first label
    /// stands for any.
    package var certifiedHosts: [String] {
        guard let publicURL else { return [host] }
        let name = publicURL.host(node, session: "{session}")
        if !name.contains("{session}") { return [host, name] }
        return [host] + (name.hasPrefix("{session}.") ? ["*" + name.dropFirst("{session}".count)] : [])
    }

    /// The names and addresses that an authority of this server must be able to sign for; several nodes share one.
    package var authorityHosts: [String] { [host] + (publicURL.map { [$0.authorityHost(node)] } ?? []) }
}

/// The TLS settings of a server.
package struct TLSSettings: Sendable {
    /// Signs the server's certificates.
    package var authority: CertificateAuthority
    /// The banks' TLS port, beside the one in clear text: 0 for any free one; nil if only sessions with their own ports use TLS.
    package var port: Int?

    package init(authority: CertificateAuthority, port: Int? = nil) {
        self.authority = authority
        self.port = port
    }
}

/// The kind of port that a session gets.
package enum SessionListener: Sendable {
    /// No separate port: the session is reached by prefix, header or token.
    case none
    /// A separate clear-text port.
    ///
    /// - Parameter protocols: the protocols spoken there; nil for all that such a port can carry.
    case clear(protocols: Set<WireProtocol>? = nil)
    /// A separate TLS port.
    ///
    /// - Parameter acceptsClearText: whether a connection that does not begin with a TLS handshake is answered in clear text, so that the
    ///   journal shows a client that gives up TLS. If false, such a connection is closed.
    case tls(protocols: Set<WireProtocol>? = nil, acceptsClearText: Bool = false)
}

/// A bank and its files, so that it can be reloaded when they change.
package struct BankSource: Sendable {
    package var bank: Bank
    /// The files that the bank was read from.
    package var files: [String]
    /// Reads the bank again; throws if its files are faulty.
    package var reload: @Sendable () throws -> BankSource

    package init(bank: Bank, files: [String], reload: @escaping @Sendable () throws -> BankSource) {
        self.bank = bank
        self.files = files
        self.reload = reload
    }
}

/// Why a server cannot start.
package enum ServerError: Error, Sendable, CustomStringConvertible {
    case cannotListen(host: String, port: Int, reason: String)
    case noBank
    case noTLS
    /// The server is about to end, and opens no session any more.
    case draining
    /// The state file cannot be opened or read.
    case state(String)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port): \(reason); choose another address or port (0 for any free port)"
        case .state(let reason): reason
        case .noTLS: "this server does not use TLS; start it with --tls"
        case .draining: "this server is draining and creates no sessions; use another server, or this one after its restart"
        case .noBank: "there is no bank to serve"
        }
    }
}
