import Foundation
import Platform

/// Bounds a folder of replaceable files: evicts the file that was written longest ago first.
struct FolderLimit: Sendable {
    /// The limit for all files together.
    var bytes: Int
    var count: Int
    var calls = FileCalls()

    func hold(in folder: String) throws(StorageError) {
        var files = (Disk.names(folder) ?? []).map { name in
            let path = "\(folder)/\(name)"
            let status = FileStatus(path, followsLinks: false)
            return (path: path, bytes: Int(status?.size ?? 0), written: status?.modified ?? .min)
        }
        var total = files.reduce(0) { $0 + $1.bytes }
        guard total > bytes || files.count > count else { return }
        // Among files written at the same instant the earlier name goes first: the result is deterministic.
        files.sort { ($0.written, $0.path) > ($1.written, $1.path) }
        while total > bytes || files.count > count, let oldest = files.popLast() {
            total -= oldest.bytes
            let result = calls.remove(oldest.path)
            guard result == 0 || result == ENOENT else {
                throw StorageError("\(oldest.path) cannot be removed: \(String(cString: strerror(result)))")
            }
        }
    }
}

extension FileCalls {
    /// Removes a folder, or a file, with its content.
    ///
    /// - Throws: ``StorageError`` if something remains. Files are removed first, one by one.
    func removeAll(_ path: String) throws(StorageError) {
        let inner = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        // The deepest first.
        for name in inner.sorted(by: >) { try removeOne((path as NSString).appendingPathComponent(name)) }
        try removeOne(path)
    }

    private func removeOne(_ path: String) throws(StorageError) {
        var result = remove(path)
        if result == EISDIR || result == EPERM { result = rmdir(path) == 0 ? 0 : errno }
        guard result == 0 || result == ENOENT else { throw StorageError("\(path) cannot be removed: \(String(cString: strerror(result)))") }
    }
}
