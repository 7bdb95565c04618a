import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A third-party program that serves while a body runs; its standard output can be read.
struct Peer: Sendable {
    /// The ports it listens on, from its first line.
    let ports: [Int]
    private let lines: AsyncStream<String>

    var port: Int { ports[0] }
    var url: String { "http://127.0.0.1:\(port)" }
    var tlsURL: String { "https://127.0.0.1:\(ports[ports.count - 1])" }

    static let python = find("python3")
    static let openssl = find("openssl")
    static let nginx = find("nginx")

    /// The next line that the program writes.
    func line() async throws -> String {
        for await line in lines { return line }
        throw Failed(what: "the peer ended, expected one more line of it")
    }

    /// Runs a script of `Peers` in Python until the body ends; it and what it has started are killed then.
    ///
    /// The script prints its ports once it listens. Nothing here blocks a thread: with Foundation's `Process` a test hung once, perhaps because
    /// it was awaited from another thread than the one that started it.
    static func script<Value: Sendable>(
        _ name: String, _ arguments: [String] = [], body: (Peer) async throws -> Value
    ) async throws -> Value {
        var options = PlatformOptions()
        options.processGroupID = 0
        let (lines, feed) = AsyncStream<String>.makeStream()
        let result = try await Subprocess.run(
            .path(FilePath(python ?? "")), arguments: Arguments([folder + name] + arguments), platformOptions: options, input: .none,
            output: .sequence, error: .currentStandardError
        ) { execution in
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { try? execution.send(signal: .kill, toProcessGroup: true) }
                group.addTask {
                    defer { feed.finish() }
                    var text = ""
                    for try await buffer in execution.standardOutput {
                        text += buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                        while let end = text.firstIndex(of: "\n") {
                            feed.yield(String(text[..<end]))
                            text = String(text[text.index(after: end)...])
                        }
                    }
                }
                let first = await lines.first { _ in true } ?? ""
                let ports = first.split(separator: " ").compactMap { Int($0) }
                guard !ports.isEmpty else { throw Failed(what: "found \"\(first)\" as the first line of \(name), expected its ports") }
                return try await body(Peer(ports: ports, lines: lines))
            }
        }
        return result.closureResult
    }

    /// Runs a program to its end.
    static func run(_ program: String?, _ arguments: [String]) async throws {
        let result = try await Subprocess.run(
            .path(FilePath(program ?? "")), arguments: Arguments(arguments), output: .discarded, error: .string(limit: 1 << 20))
        guard case .exited(0) = result.terminationStatus else {
            throw Failed(what: "\(program ?? "") ended with \(result.terminationStatus): \(result.standardError)")
        }
    }

    struct Failed: Error {
        var what: String
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Peers/"

    private static func find(_ name: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
