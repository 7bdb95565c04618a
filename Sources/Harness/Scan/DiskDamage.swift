import Foundation

/// Spoils the files that a client keeps, as a failing disk or a torn write would, so that none reads as it was written.
struct DiskDamage {
    let folder: URL

    init(below folder: URL) { self.folder = folder }

    /// Every `stride`th byte is changed, beginning with the first, which breaks signatures, lengths and checksums.
    static let stride = 8

    /// Damages every file that has any bytes, in place: names, sizes and modes stay.
    ///
    /// - Returns: how many files were damaged.
    func apply() -> Int {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.sorted().count { damage(folder.appending(path: $0)) }
    }

    private func damage(_ file: URL) -> Bool {
        guard let handle = try? FileHandle(forUpdating: file) else { return false }
        defer { try? handle.close() }
        guard let data = try? handle.readToEnd(), !data.isEmpty else { return false }
        var bytes = Array(data)
        for index in Swift.stride(from: 0, to: bytes.count, by: DiskDamage.stride) { bytes[index] ^= 0x5A }
        do {
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(bytes))
            return true
        } catch { return false }
    }
}
