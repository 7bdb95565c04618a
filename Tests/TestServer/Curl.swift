import BankEngine
import Foundation
package import StubServer

/// The real curl command, run once: the oracle for a client's view.
package struct Curl: Sendable {
    package let exit: Int32?
    /// The output of `--write-out`, joined by blanks.
    package let written: [String]
    package let body: [UInt8]

    /// Runs it with a separate limit, which only ends a test in which nobody answers; extra arguments come first.
    package init(_ arguments: [String], url: String, saying: [String] = ["http_code", "http_version"], seconds: Double = 300) async throws {
        let format = "\\n" + saying.map { "%{\($0)}" }.joined(separator: " ")
        let all = ["-sS", "--max-time", "\(seconds)", "-w", format] + arguments + [url]
        let curl = try await FinishedProgram("/usr/bin/curl", all)
        let bytes = curl.output
        let cut = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? bytes.startIndex
        exit = curl.exit
        body = Array(bytes[..<cut])
        written = String(decoding: bytes[cut...].dropFirst(), as: UTF8.self).split(separator: " ").map(String.init)
    }
}

/// A certificate authority of the test's own, and the file that makes curl trust it.
package struct TestAuthority: Sendable {
    package let authority: CertificateAuthority
    package let file: String

    package init() throws {
        authority = try CertificateAuthority.make(named: "Counterfoil test authority", at: MachineClock.system.now())
        file = FileManager.default.temporaryDirectory.path + "/counterfoil-test-ca-\(UUID().uuidString).pem"
        try authority.pem.write(toFile: file, atomically: true, encoding: .utf8)
    }

    package func remove() { try? FileManager.default.removeItem(atPath: file) }
}

/// Runs a test with a server that supports TLS too; the file is that of its authority.
package func withSecureStub(_ test: (Stub, _ ca: String) async throws -> Void) async throws {
    let authority = try TestAuthority()
    defer { authority.remove() }
    try await withStub(configure: { $0.tls = TLSSettings(authority: authority.authority, port: 0) }) { stub in
        try await test(stub, authority.file)
    }
}
