#if !TLS
import BankEngine
package import BankModel
import Faults
import NIOCore

// What stands for TLS in a build without the package trait TLS: no authority can be made, so nothing else here ever has one.
// It has what the library CounterfoilTesting needs; the command `counterfoil` needs both traits.

/// An authority, which cannot be made.
package struct CertificateAuthority: Sendable {
    package let pem = ""
    let signsIntermediates = false

    private init() {}

    /// - Throws: always.
    package static func make(named name: String, at now: Instant) throws -> CertificateAuthority { throw MissingTrait.tls }
}

/// The TLS contexts of a listener.
package struct TLSContexts: Sendable {
    init(_ authority: CertificateAuthority, hosts: [String], clock: MachineClock, applicationProtocols: [String]) {}

    /// - Throws: always.
    func addHandler(
        to pipeline: ChannelPipeline.SynchronousOperations, _ unusual: UnusualHandshake?, asksForCertificate: Bool = false
    ) throws { throw MissingTrait.tls }

    static func version(of channel: any Channel) -> String? { nil }

    static func certificate(of channel: any Channel) -> String? { nil }
}

/// The client's side of TLS, which cannot be made.
struct ClientTLS: Sendable {
    /// - Throws: always.
    init(caFile: String?) throws(ProviderSetupError) {
        throw ProviderSetupError(file: caFile ?? "the system's authorities", reason: "\(MissingTrait.tls)")
    }

    /// - Throws: always.
    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations, name: String?) throws { throw MissingTrait.tls }

    static func failure(_ error: any Error) -> ProviderFailure? { nil }
}

/// A part that this build was made without.
enum MissingTrait: Error, CustomStringConvertible {
    case tls

    var description: String { "this build has no TLS, expected one with the package trait TLS: .package(url: …, traits: [\"TLS\"])" }
}
#endif
