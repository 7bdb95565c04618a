#if TLS
import NIOCore
import NIOSSL

/// The client's side of TLS: certificates are always verified.
struct ClientTLS: Sendable {
    private let context: NIOSSLContext

    /// - Parameter caFile: a PEM file of authorities to trust besides the system's.
    /// - Throws: ``ProviderSetupError`` if the file has no certificate.
    init(caFile: String?) throws(ProviderSetupError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            if let caFile { configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(caFile))] }
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw ProviderSetupError(file: caFile ?? "the system's authorities", reason: "\(error)")
        }
    }

    /// Adds the handler of a client's side of TLS.
    ///
    /// - Parameter name: the server's name (RFC 6066 §3); nil if it is an address.
    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations, name: String?) throws {
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
    }

    /// What an error of TLS means; nil for any other error.
    static func failure(_ error: any Error) -> ProviderFailure? {
        switch error {
        case NIOSSLError.uncleanShutdown: .cut(isReset: false)
        case NIOSSLError.handshakeFailed(let reason):
            "\(reason)".contains("CERTIFICATE_VERIFY_FAILED") ? .untrusted("\(reason)") : .tls("\(reason)")
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: .untrusted("\(error)")
        case let error as NIOSSLError: .tls("\(error)")
        case let error as NIOSSLExtraError:
            error == .failedToValidateHostname ? .untrusted("it is not for this host") : .tls("\(error)")
        default: nil
        }
    }
}
#endif
