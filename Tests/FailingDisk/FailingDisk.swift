import CSQLite
import Platform

/// A layer below SQLite (sqlite.org/vfs.html) in which one call fails: the *n*th that writes, synchronises, truncates or removes a file of one
/// folder. It also records the writes that no flush has followed yet, which is what a power cut can lose. A file that was
/// removed counts as gone.
package struct FailingDisk: Sendable {
    /// The name by which SQLite knows it.
    package static let name = "counterfoil-failing"

    private let folder: String

    /// The disk of the files in that folder.
    package init(folder: String) {
        self.folder = folder
        FailingDisk.register()
    }

    /// How a call fails (sqlite.org/rescode.html).
    package enum Failure: Int32, Sendable {
        /// `SQLITE_IOERR`: such as a failed flush.
        case error = 10
        /// `SQLITE_CORRUPT`.
        case damage = 11
        /// `SQLITE_FULL`.
        case full = 13
    }

    private static let state = Locked(State())

    private struct State {
        var armed: [String: Armed] = [:]
        /// The path of each open file, by the file's address.
        var paths: [UInt: String] = [:]
        /// The writes of each recorded folder that no flush has followed, in their order.
        var unflushed: [String: [UnflushedWrite]] = [:]
        /// The addresses of the system's access and of its methods for files.
        var system: UInt = 0
        var methods: UInt = 0
        /// The addresses of ours, by those of the system's: it has several, which differ in their locks.
        var ours: [UInt: UInt] = [:]

        func folder(of file: UInt) -> String? { paths[file].map(FailingDisk.folder) }
    }

    private struct Armed {
        /// The calls that are still to succeed.
        var left: Int
        let failure: Failure
        let isWriteOnly: Bool
        let lasts: Bool
        var hasFailed = false
    }

    /// Makes the call fail that comes after `calls` others.
    ///
    /// - Parameters:
    ///   - failure: how it fails.
    ///   - writesOnly: whether only calls that write are counted.
    ///   - lasts: whether all calls after it fail too, so that the files stay as they are: what a process leaves that ends there.
    package func fail(after calls: Int, _ failure: Failure, writesOnly: Bool = false, lasts: Bool = false) {
        FailingDisk.state.withLock { $0.armed[folder] = Armed(left: calls, failure: failure, isWriteOnly: writesOnly, lasts: lasts) }
    }

    /// Makes no call fail.
    ///
    /// - Returns: whether one has failed.
    @discardableResult
    package func repair() -> Bool {
        FailingDisk.state.withLock { $0.armed.removeValue(forKey: folder)?.hasFailed ?? false }
    }

    /// The code of a call that fails; nil if it succeeds.
    private static func failure(in folder: (borrowing State) -> String?, isWrite: Bool) -> Int32? {
        state.withLock { state in
            guard let folder = folder(state), var armed = state.armed[folder], isWrite || !armed.isWriteOnly else { return nil }
            defer { state.armed[folder] = armed }
            armed.left -= 1
            guard armed.left == -1 || armed.lasts && armed.left < 0 else { return nil }
            armed.hasFailed = true
            return armed.failure.rawValue
        }
    }

    private static func failure(of file: UnsafeMutablePointer<sqlite3_file>?, isWrite: Bool) -> Int32? {
        let address = UInt(bitPattern: file)
        return failure(in: { $0.folder(of: address) }, isWrite: isWrite)
    }

    private static func folder(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    private static func text(_ path: UnsafePointer<CChar>?) -> String { path.map { String(cString: $0) } ?? "" }

    private static var system: UnsafeMutablePointer<sqlite3_vfs>? { UnsafeMutablePointer(bitPattern: state.withLock { $0.system }) }
    private static var methods: UnsafePointer<sqlite3_io_methods>? { UnsafePointer(bitPattern: state.withLock { $0.methods }) }

    // MARK: what a power cut can lose

    /// Records the writes to the folder's files from now on.
    package func record() { FailingDisk.state.withLock { $0.unflushed[folder] = [] } }

    /// The recorded writes that no flush has followed, in their order; ends the recording.
    package func unflushed() -> [UnflushedWrite] { FailingDisk.state.withLock { $0.unflushed.removeValue(forKey: folder) } ?? [] }

    /// Records a write that is about to be made. A truncation is one without bytes, from the new end on.
    private static func note(_ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32, at offset: Int64) {
        let address = UInt(bitPattern: file)
        let path: String? = state.withLock { state in
            state.paths[address].flatMap { state.unflushed[folder(of: $0)] == nil ? nil : $0 }
        }
        guard let path, let methods else { return }
        var size: Int64 = 0
        _ = methods.pointee.xFileSize(file, &size)
        let overwritten = bytes == nil ? size - offset : min(Int64(count), size - offset)
        var before = [UInt8](repeating: 0, count: Int(max(0, overwritten)))
        if !before.isEmpty { _ = methods.pointee.xRead(file, &before, Int32(before.count), offset) }
        let after = bytes.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(count))) }
        let write = UnflushedWrite(path: path, offset: Int(offset), sizeBefore: Int(size), before: before, after: after)
        state.withLock { $0.unflushed[folder(of: path)]?.append(write) }
    }

    /// Forgets the writes to a file, which are on the disk or gone with the file.
    private static func forget(_ path: String?) {
        guard let path else { return }
        state.withLock { $0.unflushed[folder(of: path)]?.removeAll { $0.path == path } }
    }

    // MARK: what SQLite calls

    private static func register() {
        let isFirst = state.withLock { state in
            guard state.system == 0 else { return false }
            state.system = UInt(bitPattern: sqlite3_vfs_find(nil))
            return true
        }
        guard isFirst, let system else { return }
        // They are used until the process ends.
        let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        let bytes = Array(name.utf8CString)
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        text.initialize(from: bytes, count: bytes.count)
        ours.initialize(to: system.pointee)
        ours.pointee.zName = UnsafePointer(text)
        ours.pointee.pNext = nil
        ours.pointee.xOpen = { _, path, file, flags, outFlags in
            guard let system = FailingDisk.system, let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
            let code = open(system, path, file, flags, outFlags)
            guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return code }
            let (address, path) = (UInt(bitPattern: file), FailingDisk.text(path))
            FailingDisk.state.withLock { $0.paths[address] = path }
            file.pointee.pMethods = FailingDisk.replaced(methods)
            return code
        }
        ours.pointee.xDelete = { _, path, syncs in
            let name = FailingDisk.text(path)
            if let code = FailingDisk.failure(in: { _ in FailingDisk.folder(of: name) }, isWrite: false) { return code }
            guard let system = FailingDisk.system, let delete = system.pointee.xDelete else { return SQLITE_IOERR }
            FailingDisk.forget(name)
            return delete(system, path, syncs)
        }
        sqlite3_vfs_register(ours, 0)
    }

    /// The system's methods, but for those that change a file.
    private static func replaced(_ methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods>? {
        let given = UInt(bitPattern: methods)
        if let known = state.withLock({ $0.ours[given] }) { return UnsafePointer(bitPattern: known) }
        let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        ours.initialize(to: methods.pointee)
        ours.pointee.xWrite = { file, bytes, count, offset in
            if let code = FailingDisk.failure(of: file, isWrite: true) { return code }
            FailingDisk.note(file, bytes, count, at: offset)
            return FailingDisk.methods?.pointee.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
        }
        ours.pointee.xSync = { file, flags in
            if let code = FailingDisk.failure(of: file, isWrite: false) { return code }
            let code = FailingDisk.methods?.pointee.xSync(file, flags) ?? SQLITE_IOERR
            if code == SQLITE_OK { FailingDisk.forget(FailingDisk.state.withLock { $0.paths[UInt(bitPattern: file)] }) }
            return code
        }
        ours.pointee.xTruncate = { file, size in
            if let code = FailingDisk.failure(of: file, isWrite: false) { return code }
            FailingDisk.note(file, nil, 0, at: size)
            return FailingDisk.methods?.pointee.xTruncate(file, size) ?? SQLITE_IOERR
        }
        let made = UInt(bitPattern: ours)
        state.withLock { state in
            state.methods = given
            state.ours[given] = made
        }
        return UnsafePointer(bitPattern: made)
    }
}
