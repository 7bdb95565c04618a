import Foundation
import Platform

/// The calls to the system that change files: injected, so that a test can have a full disk, or a power cut after any call.
///
/// Each returns 0, or the system's number of the error (`errno`).
public struct FileCalls: Sendable {
    /// Writes all the bytes at the file's end.
    public var write: @Sendable (_ file: Int32, _ bytes: [UInt8]) -> Int32 = { file, bytes in
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return errno }
            start += max(0, count)
        }
        return 0
    }
    /// Flushes a file or folder to the disk.
    public var sync: @Sendable (_ file: Int32) -> Int32 = { Disk.flush($0) }
    /// Gives a file another name, in place of any that had it.
    public var rename: @Sendable (_ path: String, _ other: String) -> Int32 = { Foundation.rename($0, $1) == 0 ? 0 : errno }
    /// Gives a file a second name; `EEXIST` if there is one of that name.
    public var link: @Sendable (_ path: String, _ other: String) -> Int32 = { Foundation.link($0, $1) == 0 ? 0 : errno }
    public var remove: @Sendable (_ path: String) -> Int32 = { unlink($0) == 0 ? 0 : errno }

    public init() {}
}
