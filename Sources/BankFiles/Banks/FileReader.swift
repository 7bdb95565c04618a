#if canImport(CoreFoundation)
    // Owns the system's structures, as the compiler sees it, where Foundation was loaded first.
    import CoreFoundation
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads files. Injected, so that a test can serve banks from memory.
package struct FileReader: Sendable {
    /// The file's bytes; nil if there is none that can be read.
    package var read: @Sendable (String) -> [UInt8]?
    /// The names in a folder, sorted; nil if there is no such folder.
    package var list: @Sendable (String) -> [String]?

    package init(read: @escaping @Sendable (String) -> [UInt8]?, list: @escaping @Sendable (String) -> [String]?) {
        (self.read, self.list) = (read, list)
    }

    /// The machine's disk, by the system's own calls: Foundation's take longer than the files.
    package static let disk = FileReader(
        read: { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
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
        })
}

/// The system's `read`, which the member of that name hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(descriptor, buffer, count) }
