import Foundation

/// A write to a file, or a truncation, that no flush has followed: after a power cut it is on the disk, in part, or not at all.
package struct UnflushedWrite: Sendable {
    let path: String
    let offset: Int
    let sizeBefore: Int
    /// The bytes that it overwrites; of a truncation, those that it cuts off.
    let before: [UInt8]
    /// The bytes that it writes; nil for a truncation.
    let after: [UInt8]?

    /// What a power cut leaves of a write.
    package enum Fate: Sendable {
        case written, lost
        /// Only the first bytes, as many as this part of them (0 to 1).
        case torn(Double)

        fileprivate var part: Double {
            switch self {
            case .written: 1
            case .lost: 0
            case .torn(let part): part
            }
        }
    }

    /// Gives the copy of a folder the files that a power cut leaves.
    ///
    /// - Parameters:
    ///   - writes: the writes that no flush has followed, in their order; the copy was made after them.
    ///   - fate: what is left of each; asked once for each, in the order of the writes.
    package static func cutPower(_ writes: [UnflushedWrite], in copy: String, fate: () -> Fate) throws {
        var files: [String: Data] = [:]
        func change(_ write: UnflushedWrite, _ body: (inout Data) -> Void) {
            let path = "\(copy)/\(write.path.split(separator: "/").last ?? "")"
            guard var bytes = files[path] ?? FileManager.default.contents(atPath: path) else { return }
            body(&bytes)
            files[path] = bytes
        }
        for write in writes.reversed() {
            change(write) { bytes in
                bytes.resize(to: max(bytes.count, write.offset + write.before.count))
                bytes.replaceSubrange(write.offset..<write.offset + write.before.count, with: write.before)
                bytes.resize(to: write.sizeBefore)
            }
        }
        for write in writes {
            let kept = fate().part
            change(write) { bytes in
                guard let after = write.after?.prefix(Int(kept * Double(write.after?.count ?? 0))) else {
                    if kept == 1 { bytes.resize(to: min(bytes.count, write.offset)) }
                    return
                }
                guard !after.isEmpty else { return }
                bytes.resize(to: max(bytes.count, write.offset + after.count))
                bytes.replaceSubrange(write.offset..<write.offset + after.count, with: after)
            }
        }
        for (path, bytes) in files { try bytes.write(to: URL(filePath: path)) }
    }
}

extension Data {
    /// Cuts the end off, or appends zeros.
    fileprivate mutating func resize(to size: Int) {
        if size < count { removeLast(count - size) } else { append(Data(count: size - count)) }
    }
}
