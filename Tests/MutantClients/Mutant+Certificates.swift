import BankClient
import BankModel
import DriverProtocol
import Foundation
import Platform

/// Mistakes in what is made of certificates that change, and of handshakes that must not come about.
extension Mutant {
    static var changingCertificates: [Mutant] {
        [
            Mutant(
                "pins-the-leaf", "pins the certificate that it saw first, without a backup",
                killedBy: ["tls.renewed-goes-on", "tls.payment-after-renewal"]
            ) { parts, start in
                parts.pin(start) { $0.text }
            },
            Mutant(
                "pins-the-issuer", "pins the authority that has signed the first certificate, an intermediate one or not",
                killedBy: ["tls.new-intermediate-goes-on"]
            ) { parts, start in
                parts.pin(start) { $0.issuer }
            },
            Mutant(
                "trusts-what-it-has-seen", "accepts a certificate that was valid once, without verifying it again",
                killedBy: ["tls.expires-while-it-runs"]
            ) { parts, start in
                let seen = Locked(Set<String>())
                let careful = NaiveTransport(
                    start,
                    .init(accepts: { certificate in
                        seen.withLock { _ = $0.insert(certificate.text) }
                        return true
                    }))
                let trusting = NaiveTransport(
                    start, .init(verifiesPeer: false, accepts: { certificate in seen.withLock { $0.contains(certificate.text) } }))
                parts.caller.transport = SecondTry(first: careful, second: trusting)
                parts.useStore(parts.store)
            },
            Mutant(
                "dead-after-a-bad-certificate", "is unusable after a certificate that it rejected",
                killedBy: ["tls.well-again-after-renewal"]
            ) { parts, _ in
                let dead = Locked(false)
                parts.around { request, base throws(TransportFailure) in
                    if dead.withLock({ $0 }) { throw TransportFailure(.tls, "the bank was not who it is", mayHaveLeft: false) }
                    do throws(TransportFailure) { return try await base.send(request) } catch {
                        if error.error == .tls { dead.withLock { $0 = true } }
                        throw error
                    }
                }
            },
            Mutant(
                "signs-out-on-a-bad-certificate", "treats a certificate that it rejects as a sign-out",
                killedBy: ["tls.well-again-after-renewal"]
            ) { parts, _ in
                let store = parts.store
                parts.failures { _, failure in
                    if failure.error == .tls { try? store.clear() }
                    return failure
                }
            },
        ]
    }

    static var wrongHandshakes: [Mutant] {
        [
            Mutant(
                "knows-the-authority-by-name", "compares the name of the authority, but not its signature",
                killedBy: ["tls.chain-incomplete", "tls.unknown-authority"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(verifiesPeer: false, accepts: { $0.issuer.contains("O=Counterfoil") }))
            },
            Mutant(
                "takes-the-common-name", "accepts the certificate's common name as the host's name",
                killedBy: ["tls.address-in-common-name", "tls.payment-never-sent"]
            ) { parts, start in
                let host = URL(string: start.baseURL)?.host ?? ""
                parts.useNaiveTransport(
                    start, .init(verifiesHost: false, accepts: { $0.names.contains("Address:\(host)") || $0.commonName == host }))
            },
            Mutant(
                "wants-a-host-name", "rejects a certificate without a host name, though it connected to an IP address",
                killedBy: ["tls.address-only-goes-on"]
            ) { parts, start in
                parts.useNaiveTransport(start, .init(accepts: { $0.names.contains("DNS:") }))
            },
            Mutant("takes-old-tls", "negotiates TLS 1.0 and 1.1", killedBy: ["tls.old-version"]) { parts, start in
                parts.useNaiveTransport(start, .init(takesOldTLS: true))
            },
            Mutant(
                "bad-certificate-may-have-paid", "reports a payment whose connection failed as one of unknown outcome",
                killedBy: ["tls.payment-never-sent"]
            ) { parts, _ in
                parts.failures { request, failure in
                    guard request.isPayment, failure.error == .tls else { return failure }
                    var failure = failure
                    failure.mayHaveLeft = true
                    return failure
                }
            },
        ]
    }
}

/// A transport that tries in another way what fails for want of trust.
private struct SecondTry: HTTPTransport {
    let first: any HTTPTransport
    let second: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        do throws(TransportFailure) { return try await first.send(request) } catch {
            guard error.error == .tls else { throw error }
            return try await second.send(request)
        }
    }
}

extension ClientParts {
    /// Rejects every certificate that differs from the first one in what is pinned.
    fileprivate mutating func pin(_ start: CaseStart, _ pinned: @escaping @Sendable (PresentedCertificate) -> String) {
        let first = Locked<String?>(nil)
        useNaiveTransport(
            start,
            .init(accepts: { certificate in
                first.withLock { first in
                    if first == nil { first = pinned(certificate) }
                    return first == pinned(certificate)
                }
            }))
    }
}
