import Foundation
import Platform

/// Damages the files that a client stores, as a failing disk or a torn write would, so that none can be read as it was written.
struct DiskDamage {
    let folder: URL

    init(below folder: URL) { self.folder = folder }

    /// Every `stride`th byte is changed, beginning with the first, which breaks signatures, lengths and checksums.
    static let stride = 8

    /// Damages every regular file that has any bytes, in place: names, sizes and modes stay. Links are not followed.
    ///
    /// - Returns: how many files were damaged.
    func apply() -> Int {
        SearchedFolder.paths(below: folder).count { damage(folder.appending(path: $0).path) }
    }

    /// Damages a file; one that is larger than ``InputLimit/searchedFile`` only up to there.
    private func damage(_ path: String) -> Bool {
        let damaged = try? Disk.withRegularFile(path, followsLinks: false, writes: true) { descriptor, _ throws(UnreadFile) in
            var bytes = try Disk.first(InputLimit.searchedFile.bytes, of: descriptor)
            for index in Swift.stride(from: 0, to: bytes.count, by: DiskDamage.stride) { bytes[index] ^= 0x5A }
            return !bytes.isEmpty && DiskDamage.replaceBeginning(of: descriptor, with: bytes)
        }
        return damaged ?? false
    }

    private static func replaceBeginning(of descriptor: Int32, with bytes: [UInt8]) -> Bool {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(bytes))
            return true
        } catch { return false }
    }
}
