#if canImport(CoreFoundation)
    // Owns the system's structures, from the compiler's view, if Foundation was loaded first.
    import CoreFoundation
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
        read: { path in
            let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var info = stat()
            guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Int(info.st_size))
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? bytes : nil }
                bytes += buffer[..<count]
            }
        },
        list: { path in
            guard let folder = opendir(path) else { return nil }
            defer { closedir(folder) }
            var names: [String] = []
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if !name.hasPrefix(".") { names.append(name) }
            }
            return names.sorted()
        },
        isInside: { file, folder in
            guard let file = resolved(file), let folder = resolved(folder) else { return true }
            return file.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
        })
}

/// A file's canonical path, without links; nil if the file does not exist.
private func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
}

/// The system's `read`, which the member of that name shadows.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(descriptor, buffer, count) }
