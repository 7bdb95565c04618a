import CounterfoilTesting
import Foundation
import Subprocess
import Testing

/// A bank under TLS, seen by curl, which takes an authority from a file.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {
    @Test func `its certificate is signed by the authority that it names`() async throws {
        try await withStubBank(.counterfoil, options: StubBankOptions(tls: true)) { bank in
            let authority = try #require(bank.certificateAuthority)
            let file = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString).pem")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(authority.utf8).write(to: file)
            let address = "\(bank.url)/v1/atms"
            #expect(bank.url.scheme == "https")

            #expect(try await curl("--cacert", file.path, address) == 0)
            // 60: the certificate cannot be verified.
            #expect(try await curl(address) == 60)
            try await bank.inject(.certificate(.expired))
            #expect(try await curl("--cacert", file.path, address) == 60)
            try await bank.removeRules()
            #expect(try await curl("--cacert", file.path, "--http2", address) == 0)
            #expect(bank.journal.last?.wireProtocol == .http2)
        }
    }

    @Test func `in clear text there is no authority`() async throws {
        try await withStubBank(.login) { bank in
            #expect(bank.certificateAuthority == nil)
            #expect(bank.url.scheme == "http")
        }
    }
}

/// Runs curl and gives its exit code; nil if a signal ended it.
private func curl(_ arguments: String...) async throws -> Int32? {
    let arguments = ["--silent", "--output", "/dev/null", "--max-time", "300"] + arguments
    let curl = try await Subprocess.run(.name("curl"), arguments: Arguments(arguments), output: .discarded)
    guard case .exited(let status) = curl.terminationStatus else { return nil }
    return status
}
