import Foundation
import Testing

@testable import BankEngine
@testable import StubServer

/// The names that an authority may sign for, according to OpenSSL and curl.
@Suite struct AuthorityNamesTests {
    /// Verifies a certificate signed by our authority's key, whether that is allowed or not.
    private func verify(_ hosts: [String], authority: [String] = []) async throws -> String {
        let now = MachineClock.system.now()
        let made = try CertificateAuthority.make(named: "Names", hosts: authority, at: now)
        let chain = try made.issue(nil, hosts: hosts, at: now).chain
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ca, leaf) = (folder.path + "/ca.pem", folder.path + "/leaf.pem")
        try made.pem.write(toFile: ca, atomically: true, encoding: .utf8)
        try chain[0].pem.write(toFile: leaf, atomically: true, encoding: .utf8)
        return try await OpenSSL.output(["verify", "-x509_strict", "-CAfile", ca, leaf])
    }

    @Test(
        .enabled(if: OpenSSL.isInstalled),
        arguments: [["localhost"], ["127.0.0.1"], ["127.9.8.7"], ["::1"], ["10.0.2.2"], ["bank.localhost"]])
    func `it signs for this machine`(_ hosts: [String]) async throws {
        #expect(try await verify(hosts).hasSuffix(": OK\n"))
    }

    @Test(
        .enabled(if: OpenSSL.isInstalled),
        arguments: [
            ["bank.example"], ["localhost.example"], ["notlocalhost"], ["128.0.0.1"], ["10.0.2.3"], ["192.168.1.20"], ["2001:db8::1"],
            ["localhost", "bank.example"],
        ])
    func `it signs for no other name`(_ hosts: [String]) async throws {
        #expect(try await verify(hosts).contains("permitted subtree violation"))
    }

    @Test(.enabled(if: OpenSSL.isInstalled)) func `it signs for what it was made for`() async throws {
        #expect(try await verify(["192.168.1.20", "bank.test"], authority: ["192.168.1.20", "bank.test", "0.0.0.0"]).hasSuffix(": OK\n"))
    }

    @Test(.enabled(if: OpenSSL.isInstalled)) func `the name constraints are critical`() async throws {
        let made = try CertificateAuthority.make(named: "Names", at: MachineClock.system.now())
        let file = FileManager.default.temporaryDirectory.path + "/counterfoil-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try made.pem.write(toFile: file, atomically: true, encoding: .utf8)

        #expect(try await OpenSSL.output(["x509", "-in", file, "-noout", "-text"]).contains("X509v3 Name Constraints: critical"))
    }
}
