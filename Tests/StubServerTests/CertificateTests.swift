import BankModel
@testable import Faults
import Foundation
import NIOSSL
import Platform
import Testing
import TestServer
import X509

@testable import BankEngine
@testable import StubServer

/// The certificates that a rule can present, according to OpenSSL, and the contexts that present them.
@Suite struct CertificateTests {
    private let now = MachineClock.system.now()

    // MARK: certificates

    /// The answer of `openssl verify` for what a server would send.
    ///
    /// - Parameter seconds: the time of the look, from now on.
    private func verify(
        _ kind: CertificateKind?, host: String = "127.0.0.1", lasts: Duration = .zero, after seconds: Int64 = 0
    ) async throws -> String {
        let authority = try CertificateAuthority.make(named: "Certificates", at: now)
        let sent = try authority.issue(kind, hosts: LocalNames.hosts, at: now, lasts: lasts).chain
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ca, leaf, others) = (folder.path + "/ca.pem", folder.path + "/leaf.pem", folder.path + "/others.pem")
        try authority.pem.write(toFile: ca, atomically: true, encoding: .utf8)
        try sent[0].pem.write(toFile: leaf, atomically: true, encoding: .utf8)
        var arguments = ["verify", "-x509_strict", "-attime", "\(now.seconds + seconds)", "-verify_ip", host, "-CAfile", ca]
        if sent.count > 1 {
            try sent[1].pem.write(toFile: others, atomically: true, encoding: .utf8)
            arguments += ["-untrusted", others]
        }
        return try await OpenSSL.output(arguments + [leaf])
    }

    @Test(
        .enabled(if: OpenSSL.isInstalled),
        arguments: [nil, CertificateKind.renewed, .backupKey, .newIntermediate, .addressOnly, .mustStaple])
    func `a right certificate is right`(kind: CertificateKind?) async throws {
        #expect(try await verify(kind).hasSuffix(": OK\n"))
    }

    @Test(
        .enabled(if: OpenSSL.isInstalled),
        arguments: [
            (CertificateKind.expired, "certificate has expired"), (.notYetValid, "certificate is not yet valid"),
            (.wrongHost, "IP address mismatch"),
            (.addressInCommonName, "IP address mismatch"), (.selfSigned, "self-signed certificate"),
            (.unknownAuthority, "unable to get local issuer certificate"), (.incompleteChain, "unable to get local issuer certificate"),
        ])
    func `a wrong certificate is wrong in one thing`(kind: CertificateKind, message: String) async throws {
        #expect(try await verify(kind).contains(message))
    }

    @Test(.enabled(if: OpenSSL.isInstalled)) func `a short-lived certificate ends at its time`() async throws {
        #expect(try await verify(.expiring, lasts: .milliseconds(1500), after: 1).hasSuffix(": OK\n"))
        #expect(try await verify(.expiring, lasts: .milliseconds(1500), after: 4).contains("certificate has expired"))
    }

    @Test func `an intermediate authority is new each time and signs no other`() throws {
        let authority = try CertificateAuthority.make(named: "Certificates", at: now)
        let issued = try authority.issue(.newIntermediate, hosts: LocalNames.hosts, at: now)
        let other = try authority.issue(.newIntermediate, hosts: LocalNames.hosts, at: now)

        #expect(authority.signsIntermediates)
        #expect(issued.chain.count == 2)
        #expect(issued.chain[1] != other.chain[1])
        #expect(try !CertificateAuthority(certificate: issued.chain[1], key: issued.key).signsIntermediates)
        #expect(try authority.issue(.incompleteChain, hosts: LocalNames.hosts, at: now).chain.count == 1)
    }

    // MARK: contexts

    /// A clock that stands until it is moved.
    private final class StandingClock: Sendable {
        let time: Locked<Instant>

        init(_ now: Instant) { time = Locked(now) }

        var clock: MachineClock { MachineClock(now: { self.time.withLock { $0 } }, monotonic: { 0 }) }

        func move(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
    }

    private func contexts(_ clock: StandingClock) throws -> TLSContexts {
        let authority = try CertificateAuthority.make(named: "Contexts", at: now)
        return TLSContexts(authority, hosts: ["127.0.0.1"], clock: clock.clock, applicationProtocols: ["http/1.1"])
    }

    @Test func `a kind has one context`() throws {
        let contexts = try contexts(StandingClock(now))

        for unusual in [nil, UnusualHandshake.certificate(.renewed), .oldTLS(.tls10)] {
            #expect(try contexts.context(unusual) === contexts.context(unusual))
        }
        let usual = try contexts.context(nil).configuration.certificateChain
        #expect(try contexts.context(.certificate(.renewed)).configuration.certificateChain != usual)
        #expect(try contexts.context(.certificate(.newIntermediate)).configuration.certificateChain.count == 2)
    }

    @Test func `an old version is the only one`() throws {
        let contexts = try contexts(StandingClock(now))

        let old = try contexts.context(.oldTLS(.tls11)).configuration
        let usual = try contexts.context(nil).configuration

        #expect((old.minimumTLSVersion, old.maximumTLSVersion) == (.tlsv11, .tlsv11))
        #expect((usual.minimumTLSVersion, usual.maximumTLSVersion) == (.tlsv12, .tlsv13))
    }

    @Test func `a short-lived certificate is the same for all connections of its rule`() throws {
        let clock = StandingClock(now)
        let contexts = try contexts(clock)
        func present(_ rule: String, age: Duration) throws -> NIOSSLContext {
            try contexts.context(.shortLived(ShortLived(rule: rule, lasts: .seconds(2), age: age)))
        }

        let first = try present("rule-1", age: .seconds(1))
        clock.move(.seconds(3))
        let later = try present("rule-1", age: .seconds(4))
        let other = try present("rule-2", age: .seconds(4))
        let set = try present("rule-1", age: .seconds(2))

        #expect(first.configuration.certificateChain == later.configuration.certificateChain)
        #expect(first !== later, "a context each: no session is resumed")
        #expect(first.configuration.certificateChain != other.configuration.certificateChain)
        #expect(first.configuration.certificateChain != set.configuration.certificateChain, "a rule that was set later under the same id")
    }

    @Test func `only the latest short-lived certificates are remembered`() throws {
        let clock = StandingClock(now)
        let contexts = try contexts(clock)
        func present(_ rule: Int) throws -> [NIOSSLCertificateSource] {
            clock.move(.milliseconds(1))
            return try contexts.context(.shortLived(ShortLived(rule: "rule-\(rule)", lasts: .seconds(2), age: .seconds(60))))
                .configuration.certificateChain
        }

        let chains = try (0...TLSContexts.mostShortLived).map(present)

        #expect(try present(1) == chains[1])
        #expect(try present(0) != chains[0])
    }
}

/// Unusual handshakes as curl sees them, besides the oracle's table.
@Suite struct UnusualHandshakeTests {
    @Test(arguments: [("tls-1.0", "TLSv1"), ("tls-1.1", "TLSv1.1")]) func `a careless client speaks an old version`(
        version: String, title: String
    ) async throws {
        try await withSecureStub { stub, ca in
            _ = try stub.till.set(rule(#"{"fault": {"old-tls": {"version": "\#(version)"}}}"#))
            let address = try #require(stub.server.tlsAddress) + "/v1/clock"

            let careful = try await Curl(["--cacert", ca, "--tlsv1.2"], url: address)
            let careless = try await Curl(["--cacert", ca, "--tlsv1.0", "--ciphers", "DEFAULT@SECLEVEL=0"], url: address)

            #expect([careful.exit, careless.exit] == [35, 0])
            let entries = try await stub.till.ended(3)
            #expect(entries.map(\.receipt.end) == [.tlsAlert, .kept, .kept])
            #expect(entries.map(\.method) == [nil, nil, "GET"])
            #expect(entries.last?.tls == title)
        }
    }

    @Test func `the bank's keys are those that are pinned`() async throws {
        let authority = try TestAuthority()
        defer { authority.remove() }
        try await withStub(configure: { $0.tls = TLSSettings(authority: authority.authority, port: 0) }) { stub in
            let address = try #require(stub.server.tlsAddress) + "/v1/clock"
            func exit(_ pins: some Sequence<String>) async throws -> Int32? {
                let list = pins.map { "sha256//\($0)" }.joined(separator: ";")
                return try await Curl(["--cacert", authority.file, "--pinnedpubkey", list], url: address).exit
            }
            let pins = authority.authority.pins

            #expect(try [await exit(pins), await exit(pins.prefix(1)), await exit(pins.suffix(1))] == [0, 0, 90])
            let backup = try stub.till.set(rule(#"{"fault": {"certificate": {"is": "backup-key"}}}"#))
            #expect(try [await exit(pins), await exit(pins.prefix(1)), await exit(pins.suffix(1))] == [0, 90, 0])
            #expect(try stub.till.removeRule(backup))
            _ = try stub.till.set(rule(#"{"fault": {"certificate": {"is": "renewed"}}}"#))
            #expect(try await exit(pins) == 90)
        }
    }

    @Test(arguments: ["new-intermediate", "incomplete-chain"])
    func `an authority that signs no intermediate ones is reported`(kind: String) async throws {
        try await withSecureStub { stub, _ in
            let session = try await stub.server.openSession(bank: "till")
            session.setPorts([], protocols: [.h1s], isSecure: true, signsIntermediates: false)

            let error = #expect(throws: RuleError.self) {
                try session.set(rule(#"{"fault": {"certificate": {"is": "\#(kind)"}}}"#))
            }
            #expect(error == .needsIntermediate(kind: "certificate"))
            #expect(error?.description.contains("counterfoil trust") == true)
        }
    }
}
