import BankModel
import Crypto
import Platform

/// Caches images that the bank allows a client to cache, in plain files in a separate folder.
///
/// The images are public and requested without a token, so they are not sealed. File names are the SHA-256 of the address: they do
/// not show which images were viewed. A truncated or altered file does not match the SHA-256 within it: it is reported, and counts as
/// absent. The folder never exceeds its limits; the oldest image is evicted first.
///
/// The format, version 1: a line of JSON, then the picture's bytes.
package final class FileImageCache: Sendable {
    private let folder: String
    private let limit: FolderLimit
    private let longest: Int
    private let calls: FileCalls
    private let warn: Warn
    private let lock = Locked(())

    /// - Parameters:
    ///   - folder: contains only this cache's files. Created if it does not exist, for the owner only.
    ///   - longest: the bytes of one image; a longer one is not cached.
    ///   - total: the bytes of all files.
    ///   - count: the number of images.
    ///   - warn: receives a message for a file that could not be read or written.
    package init(
        folder: String, longest: Int = 1 << 20, total: Int = 16 << 20, count: Int = 500, calls: FileCalls = FileCalls(),
        warn: @escaping Warn = { _ in }
    ) {
        self.folder = folder
        self.longest = longest
        self.calls = calls
        self.warn = warn
        limit = FolderLimit(bytes: total, count: count, calls: calls)
    }

    /// The image of that address; nil if there is none that can be read.
    package func picture(_ address: String) -> CachedImage? {
        lock.withLock { _ in
            let name = name(address)
            do throws(StorageError) {
                // The line of JSON is short, but the bank decides the length of an ETag.
                guard let bytes = try file(name).read(limit: longest + 65_536) else { return nil }
                return try CachedImage(stored: bytes, name: name, in: file(name).path)
            } catch {
                warn("cached image ignored: \(error)")
                return nil
            }
        }
    }

    /// Stores the image, replacing an older one; nil removes it. A failure is reported to a user and otherwise ignored.
    package func store(_ picture: CachedImage?, at address: String) {
        lock.withLock { _ in
            let name = name(address)
            do throws(StorageError) {
                if let picture, picture.image.bytes.count <= longest, (picture.etag?.utf8.count ?? 0) <= 1024 {
                    try file(name).replace(with: picture.stored(name: name), durably: false)
                    try limit.hold(in: folder)
                } else {
                    try file(name).remove()
                }
            } catch {
                warn("image not cached: \(error)")
            }
        }
    }

    /// - Throws: ``StorageError`` if something remains.
    package func removeAll() throws(StorageError) {
        try lock.withLock { _ throws(StorageError) in try calls.removeAll(folder) }
    }

    private func file(_ name: String) -> PrivateFile { PrivateFile(path: "\(folder)/\(name)", calls: calls) }
    private func name(_ address: String) -> String { hexadecimal(Array(SHA256.hash(data: Array(address.utf8)))) }
}

extension CachedImage {
    fileprivate func stored(name: String) -> [UInt8] {
        let head: JSON = [
            "v": 1, "address": .string(name), "type": .string(image.mediaType), "etag": etag.map(JSON.string) ?? .null,
            "since": .string(since.rfc3339(.nanoseconds)), "until": .string(freshness.until.rfc3339(.nanoseconds)),
            "must_ask": .bool(freshness.mustAsk), "sha256": .string(image.sha256),
        ]
        return head.bytes + [UInt8(ascii: "\n")] + image.bytes
    }

    fileprivate init(stored bytes: [UInt8], name: String, in store: String) throws(StorageError) {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        guard let head = try? JSON(parsing: bytes[..<end]), let version = head["v"]?.int else {
            throw StorageError("\(store): found no image, expected one", kind: .damaged)
        }
        guard version == 1 else { throw StorageError("\(store): found version \(version), expected 1", kind: .newerVersion) }
        let image = Image(bytes: Array(bytes[end...].dropFirst()), mediaType: head["type"]?.string ?? "")
        guard head["address"]?.string == name, head["sha256"]?.string == image.sha256, image.mediaType.hasPrefix("image/"),
            let since = head["since"]?.string.flatMap(Instant.init(rfc3339:)),
            let until = head["until"]?.string.flatMap(Instant.init(rfc3339:)), let mustAsk = head["must_ask"]?.bool
        else { throw StorageError("\(store): found a truncated or altered image, expected an intact one", kind: .damaged) }
        self.init(image: image, etag: head["etag"]?.string, since: since, freshness: Freshness(until: until, mustAsk: mustAsk))
    }
}
