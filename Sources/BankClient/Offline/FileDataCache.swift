import BankModel
import Foundation
import Synchronization

/// Keeps data in sealed files, one for each question, in one folder for each customer. Names tell nothing either.
///
/// Each file is replaced as a whole, so a kill leaves the old answer or the new one. A file that is cut, altered, sealed
/// with another key or of a newer version is told to a person once and counts as absent; the next good answer takes its
/// place. The folder never grows beyond the limits: the answers that were got longest ago go first.
public final class FileDataCache: DataCache {
    /// How much may be kept for one customer.
    public struct Limits: Sendable, Hashable {
        /// Bytes of one answer; a longer one is not kept.
        public var answer: Int
        /// Bytes of all answers.
        public var total: Int
        /// How many answers.
        public var count: Int

        public init(answer: Int = 2 << 20, total: Int = 16 << 20, count: Int = 200) {
            self.answer = answer
            self.total = total
            self.count = count
        }
    }

    private let folder: String
    private let keys: any SealingKeySource
    private let limits: Limits
    private let calls: FileCalls
    private let warn: Warn
    private let lock = Mutex(())

    /// - Parameters:
    ///   - folder: only this cache's files may lie in it. Made if need be, for the owner only.
    ///   - warn: told of files that could not be read or written, never of what they hold.
    public init(
        folder: String, keys: any SealingKeySource, limits: Limits = Limits(), calls: FileCalls = FileCalls(),
        warn: @escaping Warn = { _ in }
    ) {
        self.folder = folder
        self.keys = keys
        self.limits = limits
        self.calls = calls
        self.warn = warn
    }

    public func entry(_ question: String, of owner: String) -> CachedData? {
        lock.withLock { _ in
            do throws(StoreError) {
                guard let file = try file(question, owner, making: false), let bytes = try file.read() else { return nil }
                return try CachedData(stored: bytes, in: file.file.path)
            } catch {
                warn("old data is left out: \(error)")
                return nil
            }
        }
    }

    public func keep(_ data: CachedData, as question: String, of owner: String) {
        let bytes = data.stored
        guard bytes.count <= limits.answer else { return }
        lock.withLock { _ in
            do throws(StoreError) {
                guard let file = try file(question, owner, making: true) else { return }
                // Not flushed: it need not outlast a power cut, and what one damages is found out by its seal.
                try file.replace(with: bytes, durably: false)
                try FolderLimit(bytes: limits.total, count: limits.count, calls: calls).hold(in: file.file.folder)
            } catch {
                warn("data was not kept for later: \(error)")
            }
        }
    }

    public func removeAll(butOf owner: String?) throws(StoreError) {
        try lock.withLock { _ throws(StoreError) in
            // Without a key that can be read nothing here can be read either, and all of it goes.
            let key = try? keys.key(making: false)
            let kept = owner.flatMap { key?.fileName(for: $0) }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names where name != kept {
                try RemovedFolder(path: (folder as NSString).appendingPathComponent(name), calls: calls).remove()
            }
        }
    }

    /// The file of one answer; nil if there is no key, so nothing can have been kept.
    private func file(_ question: String, _ owner: String, making: Bool) throws(StoreError) -> SealedFile? {
        guard let key = try keys.key(making: making) else { return nil }
        let path = "\(folder)/\(key.fileName(for: owner))/\(key.fileName(for: "\(owner)\0\(question)"))"
        return SealedFile(
            file: PrivateFile(path: path, calls: calls), keys: key, purpose: "data\0\(owner)\0\(question)", limit: limits.answer + 1024)
    }
}

/// The form of an answer within its file, before it is sealed: JSON, version 1.
extension CachedData {
    fileprivate var stored: [UInt8] {
        let json: JSON = ["v": 1, "as_of": .string(asOf.rfc3339(.nanoseconds)), "value": value]
        return json.bytes
    }

    fileprivate init(stored bytes: [UInt8], in place: String) throws(StoreError) {
        guard let json = try? JSON(parsing: bytes), let version = json["v"]?.int else {
            throw StoreError("\(place): found no answer, expected one", kind: .damaged)
        }
        guard version == 1 else { throw StoreError("\(place): found version \(version), expected 1", kind: .newerVersion) }
        guard let asOf = json["as_of"]?.string.flatMap(Instant.init(rfc3339:)), let value = json["value"] else {
            throw StoreError("\(place): found an answer without its time, expected one", kind: .damaged)
        }
        self.init(value, asOf: asOf)
    }
}
