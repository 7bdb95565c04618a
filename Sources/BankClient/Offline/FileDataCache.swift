import BankModel
import Platform

/// Caches data in sealed files, one for each question, in one folder for each customer. The names reveal nothing either.
///
/// Each file is replaced atomically, so a kill leaves the old answer or the new one. A file that is truncated, altered,
/// sealed with another key or of a newer version is reported once and counts as absent; the next good answer replaces it. The
/// folder never exceeds the limits: the oldest answer is evicted first.
package final class FileDataCache: DataCache {
    private let folder: String
    private let keys: any SealingKeySource
    private let longest: Int
    private let limit: FolderLimit
    private let calls: FileCalls
    private let warn: Warn
    private let lock = Locked(())

    /// - Parameters:
    ///   - folder: contains only this cache's files. Created if it does not exist, for the owner only.
    ///   - longest: the bytes of one response; a longer one is not cached.
    ///   - total: the bytes of one customer's responses.
    ///   - count: the number of one customer's responses.
    ///   - warn: receives a message for a file that could not be read or written, never its content.
    package init(
        folder: String, keys: any SealingKeySource, longest: Int = 2 << 20, total: Int = 16 << 20, count: Int = 200,
        calls: FileCalls = FileCalls(), warn: @escaping Warn = { _ in }
    ) {
        self.folder = folder
        self.keys = keys
        self.longest = longest
        self.calls = calls
        self.warn = warn
        limit = FolderLimit(bytes: total, count: count, calls: calls)
    }

    package func entry(_ question: String, of owner: String) -> CachedData? {
        lock.withLock { _ in
            do throws(StorageError) {
                guard let file = try file(question, owner, making: false), let bytes = try file.read() else { return nil }
                return try CachedData(stored: bytes, in: file.file.path)
            } catch {
                warn("cached data ignored: \(error)")
                return nil
            }
        }
    }

    package func store(_ data: CachedData, as question: String, of owner: String) {
        let bytes = data.stored
        guard bytes.count <= longest else { return }
        lock.withLock { _ in
            do throws(StorageError) {
                guard let file = try file(question, owner, making: true) else { return }
                // Not flushed: it need not survive a power cut, and its seal reveals any damage.
                try file.replace(with: bytes, durably: false)
                try limit.hold(in: file.file.folder)
            } catch {
                warn("data not cached: \(error)")
            }
        }
    }

    package func removeAll(butOf owner: String?) throws(StorageError) {
        try lock.withLock { _ throws(StorageError) in
            // Without a readable key nothing here can be read, so all of it is removed.
            let key = try? keys.key(making: false)
            let kept = owner.flatMap { key?.fileName(for: $0) }
            for name in Disk.names(folder) ?? [] where name != kept { try calls.removeAll("\(folder)/\(name)") }
        }
    }

    /// The file of one response; nil if there is no key, and so no cached response.
    private func file(_ question: String, _ owner: String, making: Bool) throws(StorageError) -> SealedFile? {
        guard let key = try keys.key(making: making) else { return nil }
        let path = "\(folder)/\(key.fileName(for: owner))/\(key.fileName(for: "\(owner)\0\(question)"))"
        return SealedFile(
            file: PrivateFile(path: path, calls: calls), keys: key, purpose: "data\0\(owner)\0\(question)", limit: longest + 1024)
    }
}

/// The form of a response within its file, before sealing: JSON, version 1.
extension CachedData {
    fileprivate var stored: [UInt8] {
        let json: JSON = ["v": 1, "as_of": .string(asOf.rfc3339(.nanoseconds)), "value": value]
        return json.bytes
    }

    fileprivate init(stored bytes: [UInt8], in store: String) throws(StorageError) {
        guard let json = try? JSON(parsing: bytes), let version = json["v"]?.int else {
            throw StorageError("\(store): found no response, expected one", kind: .damaged)
        }
        guard version == 1 else { throw StorageError("\(store): found version \(version), expected 1", kind: .newerVersion) }
        guard let asOf = json["as_of"]?.string.flatMap(Instant.init(rfc3339:)), let value = json["value"] else {
            throw StorageError("\(store): found a response without its time, expected one", kind: .damaged)
        }
        self.init(value, asOf: asOf)
    }
}
