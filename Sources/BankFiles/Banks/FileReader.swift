import Platform

/// Reads files. Injected, so that a test can serve banks from memory.
package struct FileReader: Sendable {
    /// The file's bytes; nil if it cannot be read.
    package var read: @Sendable (String) -> [UInt8]?
    /// The names in a folder, sorted; nil if the folder does not exist.
    package var list: @Sendable (String) -> [String]?
    /// Whether a file, by its canonical path, is below a folder: false for a link that leads out of it, true for a missing
    /// file.
    package var isInside: @Sendable (_ file: String, _ folder: String) -> Bool

    package init(
        read: @escaping @Sendable (String) -> [UInt8]?, list: @escaping @Sendable (String) -> [String]?,
        isInside: @escaping @Sendable (_ file: String, _ folder: String) -> Bool = { _, _ in true }
    ) {
        self.read = read
        self.list = list
        self.isInside = isInside
    }

    /// The machine's disk, by system calls: Foundation's take longer than the files. Only regular files are read: opening a
    /// pipe would wait for its writer.
    package static let disk = FileReader(
        read: { path in Disk.bytes(path) },
        list: { path in Disk.names(path)?.filter { !$0.hasPrefix(".") }.sorted() },
        isInside: { file, folder in
            guard let file = Disk.resolved(file), let folder = Disk.resolved(folder) else { return true }
            return file.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
        })
}
