import Platform

/// The system calls that change files: injected, so that a test can simulate a full disk, or a power cut after any call.
///
/// Each returns 0, or `errno`.
package struct FileCalls: Sendable {
    /// Appends all the bytes to the file.
    package var write: @Sendable (_ file: Int32, _ bytes: [UInt8]) -> Int32 = { file, bytes in
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Platform.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return errno }
            start += max(0, count)
        }
        return 0
    }
    /// Flushes a file or folder to the disk.
    package var sync: @Sendable (_ file: Int32) -> Int32 = { Disk.flush($0) }
    /// Renames a file, replacing any file of the new name.
    package var rename: @Sendable (_ path: String, _ other: String) -> Int32 = { Platform.rename($0, $1) == 0 ? 0 : errno }
    /// Creates a hard link; `EEXIST` if the name exists.
    package var link: @Sendable (_ path: String, _ other: String) -> Int32 = { Platform.link($0, $1) == 0 ? 0 : errno }
    package var remove: @Sendable (_ path: String) -> Int32 = { unlink($0) == 0 ? 0 : errno }

    package init() {}
}
