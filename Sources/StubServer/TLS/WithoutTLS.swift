#if !TLS
import BankEngine
package import BankModel
import Faults
import NIOCore

// A build without the package trait TLS has no certificates: these types have no values, so code that has one never runs.

/// An authority, of which there is none.
package enum CertificateAuthority: Sendable {
    /// - Throws: always.
    package static func make(named name: String, at now: Instant) throws -> CertificateAuthority { throw MissingTrait.tls }

    /// The certificate as text.
    package var pem: String { switch self {} }

    var signsIntermediates: Bool { switch self {} }
}

/// The TLS contexts of a listener, of which there are none.
package enum TLSContexts: Sendable {
    init(_ authority: CertificateAuthority, hosts: [String], clock: MachineClock, applicationProtocols: [String]) {
        switch authority {}
    }

    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations, _ unusual: UnusualHandshake?) throws { switch self {} }

    static func version(of channel: any Channel) -> String? { nil }
}

/// The client's side of TLS.
enum ClientTLS: Sendable {
    init(caFile: String?) throws(ProviderSetupError) {
        throw ProviderSetupError(file: caFile ?? "the system's authorities", reason: "\(MissingTrait.tls)")
    }

    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations, name: String?) throws { switch self {} }

    static func failure(_ error: any Error) -> ProviderFailure? { nil }
}

/// A part that this build was made without.
enum MissingTrait: Error, CustomStringConvertible {
    case tls

    var description: String {
        "this build has no TLS, expected one with the package trait TLS: .package(url: …, traits: [\"TLS\"])"
    }
}
#endif
