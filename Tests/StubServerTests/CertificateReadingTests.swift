import BankModel
import Crypto
import Faults
import Foundation
import SwiftASN1
import Testing
import X509

@testable import BankEngine
@testable import StubServer

/// Authorities that are read: those of earlier versions, new ones, and damaged ones.
@Suite struct CertificateReadingTests {
    /// The file of an authority as versions before 24 November 2026 wrote it.
    private static let earlier = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSkHPbrjd+p/e1Akt
        9mnIyL0N92vevhQ4/RaxwySxhCOhRANCAASqwoH7azFX9EtFxFZGR/vJFggr+njF
        QfmdOAUKdSVfdFM5MuEJVuGMVzWc+VV07DDDrf+DHvjE9sjLoJm/eXR6
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIICJDCCAcqgAwIBAgIUafpxbTEUtudkLtkgYZ6hoHXD99wwCgYIKoZIzj0EAwIw
        QTEUMBIGA1UECgwLQ291bnRlcmZvaWwxKTAnBgNVBAMMIENvdW50ZXJmb2lsIGxv
        Y2FsIGF1dGhvcml0eSAodm0pMB4XDTI2MTEyMzEzMTAxMFoXDTM2MTEyMTEzMTAx
        MFowQTEUMBIGA1UECgwLQ291bnRlcmZvaWwxKTAnBgNVBAMMIENvdW50ZXJmb2ls
        IGxvY2FsIGF1dGhvcml0eSAodm0pMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        qsKB+2sxV/RLRcRWRkf7yRYIK/p4xUH5nTgFCnUlX3RTOTLhCVbhjFc1nPlVdOww
        w63/gx74xPbIy6CZv3l0eqOBnzCBnDASBgNVHRMBAf8ECDAGAQH/AgEBMA4GA1Ud
        DwEB/wQEAwIBBjAdBgNVHQ4EFgQUrqkYnnvzuRaf8xmupDtGMlk0FOkwVwYDVR0e
        AQH/BE0wS6BJMAuCCWxvY2FsaG9zdDAKhwh/AAAA/wAAADAKhwgKAAIC/////zAi
        hyAAAAAAAAAAAAAAAAAAAAAB/////////////////////zAKBggqhkjOPQQDAgNI
        ADBFAiEAhQ1zpWfMFrrg5ayuB9IoxmzghMNvPAz1GI9J1I2GJmACICm3jkRBFn/t
        dTEAO2SBThEyJA8FHGtfeT6jIKWeJuo4
        -----END CERTIFICATE-----
        """

    private func earlierAuthority() throws -> CertificateAuthority {
        let documents = try PEMDocument.parseMultiple(pemString: Self.earlier)
        return try CertificateAuthority(
            certificate: try Certificate(pemDocument: documents[1]),
            key: try P256.Signing.PrivateKey(pemRepresentation: documents[0].pemString))
    }

    private func instant(_ text: String) throws -> Instant { try #require(Instant(rfc3339: text)) }

    @Test func `an earlier authority is read whole`() throws {
        let authority = try earlierAuthority()

        #expect(authority.signsIntermediates)
        #expect(try authority.certificate.extensions.nameConstraints == LocalNames.constraints(adding: []))
        #expect(authority.certificate.publicKey == Certificate.PublicKey(authority.key.publicKey))
        #expect(authority.isFor(LocalNames.hosts))
        #expect(!authority.isFor(["bank.example"]))
        #expect(Self.earlier.hasSuffix(authority.pem))
    }

    @Test(.enabled(if: OpenSSL.isInstalled)) func `an earlier authority signs on`() async throws {
        let authority = try earlierAuthority()
        let now = try instant("2027-03-01T00:00:00Z")
        let issued = try authority.issue(.newIntermediate, hosts: LocalNames.hosts, at: now)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["ca", "leaf", "middle"].map { "\(folder.path)/\($0).pem" }
        for (file, pem) in try zip(files, [authority.pem] + issued.chain.map { try $0.pem }) {
            try pem.write(toFile: file, atomically: true, encoding: .utf8)
        }

        let verdict = try await OpenSSL.output([
            "verify", "-x509_strict", "-attime", "\(now.seconds)", "-verify_ip", "127.0.0.1", "-CAfile", files[0], "-untrusted",
            files[2], files[1],
        ])

        #expect(verdict.hasSuffix(": OK\n"))
    }

    @Test(arguments: ["2026", "2049", "2050", "2199"])
    func `what is written is read`(year: String) throws {
        // From 2050 on a time has four digits of its year.
        let now = try instant("\(year)-12-31T23:59:59Z")
        let written = try CertificateAuthority.make(named: "Wéird, \"quoted\"", hosts: ["bank.test", "192.168.1.20"], at: now)
        let read = try CertificateAuthority(certificate: Certificate(pemEncoded: written.pem), key: written.key)

        #expect(read.certificate == written.certificate)
        #expect(read.isValid(at: now.plus(days: -1)))
        #expect(!read.isValid(at: now.plus(days: -1) + .nanoseconds(-1)))
        #expect(read.isValid(at: now.plus(days: 3650)))
        #expect(!read.isValid(at: now.plus(days: 3650) + .seconds(1)))
        #expect(try read.certificate.extensions.nameConstraints == LocalNames.constraints(adding: ["bank.test", "192.168.1.20"]))
        #expect(read.signsIntermediates)
    }

    @Test func `it ends with its time`() throws {
        let authority = try earlierAuthority()

        #expect(!authority.isValid(at: try instant("2026-11-23T13:10:09Z")))
        #expect(authority.isValid(at: try instant("2026-11-23T13:10:10Z")))
        #expect(authority.isValid(at: try instant("2036-11-21T13:10:10Z")))
        #expect(!authority.isValid(at: try instant("2036-11-21T13:10:11Z")))
    }

    @Test func `no damaged certificate ends the process`() throws {
        let authority = try earlierAuthority()
        let der = try authority.certificate.serializeAsPEM().derBytes

        for count in der.indices { #expect(throws: (any Error).self) { try Certificate(derEncoded: Array(der[..<count])) } }
        for position in der.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = der
                changed[position] ^= change
                guard let read = try? Certificate(derEncoded: changed) else { continue }
                // The result may be wrong; its use must not fail.
                let damaged = try CertificateAuthority(certificate: read, key: authority.key)
                _ = (damaged.isFor(LocalNames.hosts), damaged.signsIntermediates, damaged.isValid(at: try instant("2027-03-01T00:00:00Z")))
            }
        }
    }
}
