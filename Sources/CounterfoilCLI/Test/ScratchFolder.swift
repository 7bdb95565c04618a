import Foundation
import Platform

/// The folder of a run, for its drivers and what their clients store.
///
/// Clients store tokens and payments durably, and of many cases at once most would wait for the disk: so the folder is in memory where that
/// can be had, unless `TMPDIR` names a folder. A killed process loses nothing there either.
enum ScratchFolder {
    /// The memory that must be free: a case stores about 50 kB, which is removed when it has been checked.
    static let wanted: UInt64 = 512 << 20

    /// Makes a new folder, which is only its owner's: clients store secrets in it.
    static func make(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> URL {
        let memory = environment["TMPDIR"] == nil ? MemoryFiles.folder(free: wanted).map { URL(filePath: $0) } : nil
        let folder = (memory ?? FileManager.default.temporaryDirectory).appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }
}
