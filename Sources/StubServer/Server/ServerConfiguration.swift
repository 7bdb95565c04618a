package import BankCore
package import BankModel
package import BankEngine

/// How a stub server is to be run.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 for any free one.
    package var port = 0
    /// Nil: no admin API, as inside tests.
    package var adminPort: Int?
    package var adminHost = "127.0.0.1"
    /// Demanded of every admin call as `Authorization: Bearer`; nil: nothing is.
    package var adminToken: String?
    /// The origin whose pages may call the bank.
    package var corsOrigin: String?
    /// From it follow all sessions' seeds.
    package var seed: UInt64
    /// Per session.
    package var journalCapacity = 10_000
    /// For all sessions together, in bytes.
    package var journalMemory = 64 << 20
    /// How many sessions there may be.
    package var sessionLimit = 10_000
    /// How many payments one session may hold; see ``SessionSize``.
    package var paymentLimit = SessionSize.usual.payments
    /// How long a connection may be silent: then an idle one is closed, and half a request refused with 408.
    package var idleTimeout = Duration.seconds(60)
    /// How long a request's head may take in all, however it drips: then it is refused with 408.
    package var headTimeout = Duration.seconds(30)
    /// How many bytes of requests that have not ended are held on all connections together: then the largest is refused with 503.
    package var halfRequestMemory = 64 << 20
    /// How long the wire waits at most until a client has taken what comes before an end: a reset, or a FIN.
    package var drain = Duration.seconds(1)
    /// How long a session that nobody uses is kept.
    package var sessionTimeToLive = Duration.seconds(3600)
    /// Opens the log in which all sessions are kept; nil: they end with the server.
    package var openLog: (@Sendable () throws(StoreError) -> any DurableLog)?
    /// How many threads serve connections; nil: as many as the machine has cores.
    package var eventLoops: Int?
    package var clock = MachineClock.system
    /// Nil: nothing is served over TLS.
    package var tls: TLSSettings?
    /// The outages that can be started by name.
    package var plans = PlanSource.none

    package init(seed: UInt64) { self.seed = seed }
}

/// How a server speaks TLS.
package struct TLSSettings: Sendable {
    /// Signs the server's certificates.
    package var authority: CertificateAuthority
    /// Of the banks' port under TLS, beside that in clear text; nil: there is none, only sessions of their own; 0 for any
    /// free one.
    package var port: Int?

    package init(authority: CertificateAuthority, port: Int? = nil) {
        self.authority = authority
        self.port = port
    }
}

/// How a session of its own is listened for.
package enum SessionListener: Sendable {
    /// Not at all: it is reached by prefix, header or token.
    case none
    /// On a port of its own.
    ///
    /// - Parameter protocols: what is spoken there; nil for all that such a port can carry.
    case clear(protocols: Set<WireProtocol>? = nil)
    /// On a port of its own, under TLS.
    ///
    /// - Parameter hearsClearText: whether a client that speaks clear text there is answered too, as long as its first byte is
    ///   none of a handshake: so that the journal knows of a client that gives up TLS. Otherwise it is no partner at all.
    case tls(protocols: Set<WireProtocol>? = nil, hearsClearText: Bool = false)
}

/// A bank and where it came from, so that it can be read again when its files change.
package struct BankSource: Sendable {
    package var bank: Bank
    /// The files it was read from.
    package var files: [String]
    /// Reads it again; throws what is wrong with it.
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
    case needsAdminToken(host: String)
    /// The state file cannot be had, or not be read.
    case state(String)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host):\(port): \(reason); choose another address or port (0: any that is free)"
        case .state(let reason): reason
        case .noTLS: "this server speaks no TLS; start it with --tls"
        case .noBank: "there is no bank to serve"
        case .needsAdminToken(let host):
            "found the address \(host), which others can reach, and no --admin-token; expected one, so that not everybody can steer the server"
        }
    }
}
