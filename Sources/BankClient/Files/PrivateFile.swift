import Foundation

/// A small file that only its owner may read (mode 0600), and that is always whole.
///
/// It is replaced as a whole: written beside, flushed to the disk, renamed over. A reader and a crash find the old content
/// or the new, never half of one.
struct PrivateFile: Sendable {
    var path: String
    var calls = FileCalls()

    /// The folder it lies in.
    var folder: String { (path as NSString).deletingLastPathComponent }
    private var name: String { (path as NSString).lastPathComponent }

    /// The content; nil if there is no such file.
    ///
    /// - Parameter limit: a file of more bytes is none of ours.
    func read(limit: Int) throws(StoreError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be read", errno)
        }
        defer { close(file) }
        guard attributes()?[.type] as? FileAttributeType == .typeRegular else {
            throw StoreError("\(path): found something that is no file, expected one", kind: .damaged)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw failure("cannot be read", errno) }
            bytes += buffer.prefix(max(0, count))
        }
        guard bytes.count <= limit else { throw StoreError("\(path): found more than \(limit) bytes, expected fewer", kind: .damaged) }
        return bytes
    }

    /// The permissions, such as `0o600`; nil if there is no such file.
    func mode() -> Int? { attributes()?[.posixPermissions] as? Int }

    private func attributes() -> [FileAttributeKey: Any]? {
        try? FileManager.default.attributesOfItem(atPath: (path as NSString).resolvingSymlinksInPath)
    }

    /// Puts the bytes in place of what is there. The folder is made if need be, for the owner only.
    ///
    /// - Parameter durably: true if the content must outlast a power cut, too, not only the end of the process.
    func replace(with bytes: [UInt8], durably: Bool = true) throws(StoreError) {
        let beside = try writeBeside(bytes, durably: durably)
        try need(calls.rename(beside, path), beside)
        if durably { syncFolder() }
    }

    /// Makes the file if there is none of its name.
    ///
    /// - Returns: false if there is one, whoever made it.
    func create(with bytes: [UInt8]) throws(StoreError) -> Bool {
        let beside = try writeBeside(bytes, durably: true)
        let result = calls.link(beside, path)
        _ = calls.remove(beside)
        if result == EEXIST { return false }
        guard result == 0 else { throw failure("cannot be made", result) }
        syncFolder()
        return true
    }

    /// Removes the file, and what a crash may have left beside it. It is no error if there is none.
    func remove() throws(StoreError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let left = names.filter { $0.hasPrefix(name + ".new-") }.map { (folder as NSString).appendingPathComponent($0) }
        for path in left + [path] {
            let result = calls.remove(path)
            guard result == 0 || result == ENOENT else { throw failure("cannot be removed", result) }
        }
        syncFolder()
    }

    /// Gives the file another name, in place of any that had it.
    func move(to other: String) throws(StoreError) {
        let result = calls.rename(path, other)
        guard result == 0 else { throw failure("cannot be moved to \(other)", result) }
    }

    /// Writes the bytes to a file of a name that nobody else uses, as another process may be writing too.
    private func writeBeside(_ bytes: [UInt8], durably: Bool) throws(StoreError) -> String {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let beside = "\(path).new-\(UUID().uuidString)"
        let file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be written", errno) }
        var result = calls.write(file, bytes)
        if result == 0, durably { result = calls.sync(file) }
        close(file)
        try need(result, beside)
        return beside
    }

    /// Throws for a number of an error, and leaves nothing half written.
    private func need(_ result: Int32, _ beside: String) throws(StoreError) {
        guard result != 0 else { return }
        _ = calls.remove(beside)
        throw failure("cannot be written", result)
    }

    /// A new name lasts through a power cut only once its folder is flushed.
    private func syncFolder() {
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { return }
        _ = calls.sync(handle)
        close(handle)
    }

    private func failure(_ what: String, _ number: Int32) -> StoreError {
        StoreError("\(path) \(what): \(String(cString: strerror(number)))")
    }
}
