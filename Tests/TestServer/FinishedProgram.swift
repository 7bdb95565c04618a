import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A program that was run to its end. Foundation's `Process` is not used: on Linux it sometimes reads past a page's end and crashes.
package struct FinishedProgram: Sendable {
    /// Its exit status; nil if a signal ended it.
    package let exit: Int32?
    package let output: [UInt8]
    package let errors: String

    /// - Throws: if it cannot be started, or writes more than 64 MiB.
    package init(_ path: String, _ arguments: [String]) async throws {
        let result = try await Subprocess.run(
            .path(FilePath(path)), arguments: Arguments(arguments), output: .bytes(limit: 64 << 20), error: .string(limit: 1 << 20))
        if case .exited(let status) = result.terminationStatus { exit = status } else { exit = nil }
        (output, errors) = (result.standardOutput, result.standardError)
    }
}
