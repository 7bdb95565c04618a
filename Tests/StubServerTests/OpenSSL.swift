import Foundation
import TestServer

/// The program `openssl`, another judge of certificates than the library that makes them.
enum OpenSSL {
    private static let path = "/usr/bin/openssl"

    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    /// Its output, on stdout and stderr.
    static func output(_ arguments: [String]) async throws -> String {
        try await blocking {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
