import Faults
import NIOSSL

/// Stand-in.
final class TLSContexts: Sendable {
    func context(_ kind: CertificateKind?) throws -> NIOSSLContext { throw NIOSSLError.noSuchFilesystemObject }
}
