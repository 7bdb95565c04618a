#if TLS
import BankEngine
import BankModel
import Crypto
import Faults
import NIOCore
import NIOSSL
import Synchronization

/// The TLS contexts of a listener: one for the usual handshake and one for each unusual one, created at first use.
package final class TLSContexts: Sendable {
    private let authority: CertificateAuthority
    private let hosts: [String]
    private let clock: MachineClock
    private let applicationProtocols: [String]
    private let made = Mutex(CachedContexts())

    /// More rules than anybody sets at once: the oldest certificates are those of removed rules.
    static let mostShortLived = 64

    private struct CachedContexts {
        var contexts: [UnusualHandshake?: NIOSSLContext] = [:]
        /// The certificates that end while clients run, by the rules that present them.
        var shortLived: [String: (certificate: IssuedCertificate, at: Instant)] = [:]
    }

    /// - Parameters:
    ///   - hosts: the names and addresses in certificates besides this machine's own.
    ///   - applicationProtocols: for ALPN (RFC 7301), in order of preference.
    init(_ authority: CertificateAuthority, hosts: [String], clock: MachineClock, applicationProtocols: [String]) {
        self.authority = authority
        self.clock = clock
        self.applicationProtocols = applicationProtocols
        self.hosts = LocalNames.hosts + hosts.filter { !LocalNames.hosts.contains($0) && LocalNames.isOne($0) }
    }

    /// Adds the handler of a server's side of TLS.
    ///
    /// - Parameter unusual: the handshake that a rule wants; nil for the usual one.
    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations, _ unusual: UnusualHandshake?) throws {
        try pipeline.addHandler(NIOSSLServerHandler(context: try context(unusual)))
    }

    /// The version that a connection has negotiated, such as `TLSv1.3`; nil before that.
    static func version(of channel: any Channel) -> String? {
        (try? channel.pipeline.syncOperations.nioSSL_tlsVersion())?.title
    }

    /// Returns the context for an unusual handshake; nil is the usual one.
    func context(_ unusual: UnusualHandshake?) throws -> NIOSSLContext {
        try made.withLock { made in
            switch unusual {
            case .shortLived(let wanted):
                // A context each: a session that is resumed would show no certificate (RFC 8446 §2.2).
                return try context(of: shortLived(wanted, &made))
            case .certificate, .oldTLS, nil:
                if let context = made.contexts[unusual] { return context }
                let context = try newContext(unusual)
                made.contexts[unusual] = context
                return context
            }
        }
    }

    private func newContext(_ unusual: UnusualHandshake?) throws -> NIOSSLContext {
        switch unusual {
        case .certificate(let kind): try context(of: authority.issue(kind, hosts: hosts, at: clock.now()))
        case .oldTLS(let version): try context(of: authority.issue(nil, hosts: hosts, at: clock.now()), only: version.version)
        case .shortLived, nil: try context(of: authority.issue(nil, hosts: hosts, at: clock.now()))
        }
    }

    /// The same certificate for each connection that a rule applies to, made for the first one.
    private func shortLived(_ wanted: ShortLived, _ made: inout CachedContexts) throws -> IssuedCertificate {
        let now = clock.now()
        if let known = made.shortLived[wanted.rule], known.at <= now, now - known.at <= wanted.age { return known.certificate }
        let new = try authority.issue(.expiring, hosts: hosts, at: now, lasts: wanted.lasts)
        made.shortLived[wanted.rule] = (new, now)
        if made.shortLived.count > TLSContexts.mostShortLived, let oldest = made.shortLived.min(by: { $0.value.at < $1.value.at }) {
            made.shortLived[oldest.key] = nil
        }
        return new
    }

    private func context(of issued: IssuedCertificate, only version: TLSVersion? = nil) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try issued.chain.map {
                .certificate(try NIOSSLCertificate(bytes: Array($0.pem.utf8), format: .pem))
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.key.derRepresentation), format: .der)))
        configuration.minimumTLSVersion = version ?? .tlsv12
        configuration.maximumTLSVersion = version ?? .tlsv13
        configuration.applicationProtocols = applicationProtocols
        return try NIOSSLContext(configuration: configuration)
    }
}

extension OldTLS {
    fileprivate var version: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        }
    }
}

extension TLSVersion {
    /// The version's name, such as `TLSv1.3`.
    fileprivate var title: String {
        switch self {
        case .tlsv13: "TLSv1.3"
        case .tlsv12: "TLSv1.2"
        case .tlsv11: "TLSv1.1"
        case .tlsv1: "TLSv1"
        }
    }
}
#endif
