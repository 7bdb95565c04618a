/// Files and folders by the system's own calls: at start-up Foundation's take longer than the files.
package enum Disk {
    /// The bytes of a plain file; nil if there is none that can be read.
    ///
    /// Anything else is left alone: opening a pipe would wait for a writer.
    package static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor), status.kind == .plain else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.size))
        var buffer = [UInt8](repeating: 0, count: min(max(4096, Int(status.size)), 64 * 1024))
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
    }

    /// The names in a folder, `.` and `..` not among them, in the system's order; nil if there is no such folder.
    package static func names(_ path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// A file's own name, without links; nil if there is no such file.
    package static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Flushes a file's bytes, or a folder's names, to the disk, so that they outlast a power cut.
    ///
    /// - Returns: 0, or the number of the system's error.
    package static func flush(_ descriptor: Int32) -> Int32 { Native.flush(descriptor) == 0 ? 0 : errno }
}
