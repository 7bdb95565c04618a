package import Foundation
import Platform

/// A new folder for one test.
package struct TestFolder: Sendable {
    package let path: String

    package init() throws {
        let given = FileManager.default.temporaryDirectory.path + "/counterfoil-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: given, withIntermediateDirectories: true)
        // Errors, and SQLite, name files without links: on macOS `/var` is one.
        path = Disk.resolved(given) ?? given
    }

    package var url: URL { URL(filePath: path) }

    /// Writes a file, and makes the folders that it needs.
    package func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// The regular files, by their paths from the folder.
    package var files: [String: String] {
        let paths = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return paths.reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
        }
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs the body with the path of a new folder.
package func inFolder(_ body: (_ path: String) throws -> Void) throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    try body(folder.path)
}
