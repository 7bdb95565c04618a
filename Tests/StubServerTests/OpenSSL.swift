import Foundation
import TestServer

/// The program `openssl`, another judge of certificates than the library that makes them.
enum OpenSSL {
    private static let path = "/usr/bin/openssl"

    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    /// Its output: all of stdout, then all of stderr.
    static func output(_ arguments: [String]) async throws -> String {
        let program = try await FinishedProgram(path, arguments)
        return String(decoding: program.output, as: UTF8.self) + program.errors
    }
}
