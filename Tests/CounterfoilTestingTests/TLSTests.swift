import CounterfoilTesting
import Foundation
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

/// Runs curl and gives its exit code.
private func curl(_ arguments: String...) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["curl", "--silent", "--output", "/dev/null", "--max-time", "300"] + arguments
    return try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
}
