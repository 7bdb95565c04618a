#if TLS
import BankEngine
import BankModel
import Crypto
import Faults
import NIOCore
import NIOSSL
import Platform

/// The TLS contexts of a listener: one for the usual handshake and one for each unusual one, created at first use.
package final class TLSContexts: Sendable {
    private let authority: CertificateAuthority
    private let hosts: [String]
    private let clock: MachineClock
    private let applicationProtocols: [String]
    private let made = Locked(CachedContexts())

    /// More rules than anybody sets at once: the oldest certificates are those of removed rules.
    static let mostShortLived = 64

    /// The properties by which contexts differ.
    private struct Kind: Hashable {
        let unusual: UnusualHandshake?
        let asksForCertificate: Bool
    }

    private struct CachedContexts {
        var contexts: [Kind: NIOSSLContext] = [:]
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
    /// - Parameters:
    ///   - unusual: the handshake that a rule wants; nil for the usual one.
    ///   - asksForCertificate: whether the client is asked for a certificate. It need not show one; any that it shows is accepted, as the
    ///     handshake proves that it has the key, and nothing but that is needed to bind a token to it (RFC 8705 §3 and §6.2).
    func addHandler(
        to pipeline: ChannelPipeline.SynchronousOperations, _ unusual: UnusualHandshake?, asksForCertificate: Bool = false
    ) throws {
        let context = try context(unusual, asksForCertificate: asksForCertificate)
        guard asksForCertificate else { return try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
        try pipeline.addHandler(
            NIOSSLServerHandler(context: context, customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) }))
    }

    /// The thumbprint of the certificate that the client has shown (RFC 8705 §3.1); nil if it has shown none.
    static func certificate(of channel: any Channel) -> String? {
        guard let shown = try? channel.pipeline.syncOperations.nioSSL_peerCertificate(), let bytes = try? shown.toDERBytes() else {
            return nil
        }
        return Base64.url(Array(SHA256.hash(data: bytes)))
    }

    /// The version that a connection has negotiated, such as `TLSv1.3`; nil before that.
    static func version(of channel: any Channel) -> String? { (try? channel.pipeline.syncOperations.nioSSL_tlsVersion())?.title }

    /// Returns the context for an unusual handshake; nil is the usual one.
    func context(_ unusual: UnusualHandshake?, asksForCertificate: Bool = false) throws -> NIOSSLContext {
        try made.withLock { made in
            switch unusual {
            case .shortLived(let wanted):
                // A context each: a session that is resumed would show no certificate (RFC 8446 §2.2).
                return try context(of: shortLived(wanted, &made), asksForCertificate)
            case .certificate, .oldTLS, nil:
                let kind = Kind(unusual: unusual, asksForCertificate: asksForCertificate)
                if let context = made.contexts[kind] { return context }
                let context = try newContext(kind)
                made.contexts[kind] = context
                return context
            }
        }
    }

    private func newContext(_ wanted: Kind) throws -> NIOSSLContext {
        let now = clock.now()
        return switch wanted.unusual {
        case .certificate(let kind): try context(of: authority.issue(kind, hosts: hosts, at: now), wanted.asksForCertificate)
        case .oldTLS(let version):
            try context(of: authority.issue(nil, hosts: hosts, at: now), wanted.asksForCertificate, only: version.version)
        case .shortLived, nil: try context(of: authority.issue(nil, hosts: hosts, at: now), wanted.asksForCertificate)
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

    private func context(
        of issued: IssuedCertificate, _ asksForCertificate: Bool, only version: TLSVersion? = nil
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try issued.chain.map {
                .certificate(try NIOSSLCertificate(bytes: Array($0.pem.utf8), format: .pem))
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.key.derRepresentation), format: .der)))
        configuration.minimumTLSVersion = version ?? .tlsv12
        configuration.maximumTLSVersion = version ?? .tlsv13
        configuration.applicationProtocols = applicationProtocols
        if asksForCertificate {
            configuration.certificateVerification = .optionalVerification
            // None is trusted by its issuer, so the system's need not be read.
            configuration.trustRoots = .certificates([])
        }
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
