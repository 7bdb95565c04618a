import BankEngine
import X509
import SwiftASN1
import BankModel
import Faults
import NIOSSL
import Synchronization

/// The TLS contexts of a listener: one for the valid certificate and one for each kind of defective one, created at first use.
package final class TLSContexts: Sendable {
    private let authority: CertificateAuthority
    private let hosts: [String]
    private let clock: MachineClock
    private let applicationProtocols: [String]
    private let contexts = Mutex<[CertificateKind?: NIOSSLContext]>([:])

    /// - Parameters:
    ///   - host: the listener's address; certificates name it besides this machine's own names.
    ///   - applicationProtocols: for ALPN (RFC 7301), in order of preference.
    init(_ authority: CertificateAuthority, host: String, clock: MachineClock, applicationProtocols: [String]) {
        self.authority = authority
        self.clock = clock
        self.applicationProtocols = applicationProtocols
        hosts = LocalNames.hosts + [host].filter { !LocalNames.hosts.contains($0) && LocalNames.isOne($0) }
    }

    /// Returns the context for a kind of defective certificate; nil is the valid one.
    func context(_ wrong: CertificateKind?) throws -> NIOSSLContext {
        try contexts.withLock { contexts in
            if let context = contexts[wrong] { return context }
            let (chain, key) = try authority.issue(wrong, hosts: hosts, at: clock.now())
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try chain.map {
                    .certificate(try NIOSSLCertificate(bytes: Array($0.pem.utf8), format: .pem))
                },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.serializeAsPEM().pemString.utf8), format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.maximumTLSVersion = .tlsv13
            configuration.applicationProtocols = applicationProtocols
            let context = try NIOSSLContext(configuration: configuration)
            contexts[wrong] = context
            return context
        }
    }
}
