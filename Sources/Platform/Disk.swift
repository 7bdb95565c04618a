/// Files and folders by the system's own calls: at start-up Foundation's take longer than the files.
package enum Disk {
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
