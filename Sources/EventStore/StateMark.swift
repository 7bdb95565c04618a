import BankEngine
import BankModel
import Platform

/// The file beside an open state file with the last acknowledged command of each session: `FILE.mark`.
///
/// SQLite silently drops the end of its write-ahead log from the first altered frame on. The mark is written after each
/// commit and before its acknowledgement, so that it never records more than was durable; it is not synchronised, so that
/// after a power cut it may record less. A server that ends in order removes it: then the state file itself contains the
/// ends.
///
/// 64 bytes that name the file and the process, then 32 bytes for each session, by its number: the number of its last
/// acknowledged command, that row's checksum, and the FNV-1a of both and of the session's number; or zeros for none. No slot
/// crosses a sector.
final class StateMark: Sendable {
    /// The last acknowledged command of a session; number 0 if only its opening was.
    struct Slot: Hashable, Sendable {
        let seq: Int64
        let sum: Int64

        /// The slot of a session whose removal was acknowledged.
        static let removed = Slot(seq: -1, sum: 0)
    }

    private static let headBytes = 64
    private static let slotBytes = 32
    private static let title = "counterfoil mark 1\n"

    private let path: String
    private let file: Int32

    static func path(beside state: String) -> String { "\(state).mark" }

    // MARK: reading

    /// The slots of the mark beside a state file; nil if there is none.
    ///
    /// - Throws: ``StoreError`` if it was altered.
    static func slots(beside state: String) throws(StoreError) -> [Int64: Slot]? {
        guard let bytes = Disk.bytes(path(beside: state)) else { return nil }
        func wrong(_ found: String, _ expected: String) -> StoreError {
            .damaged(path: state, faults: ["\(path(beside: state)): found \(found), expected \(expected)"])
        }
        guard bytes.starts(with: title.utf8), bytes.count >= headBytes, bytes.count % slotBytes == 0 else {
            throw wrong("\(bytes.count) bytes of something else", "a mark of counterfoil's")
        }
        var slots: [Int64: Slot] = [:]
        for place in stride(from: headBytes, to: bytes.count, by: slotBytes) {
            let words = (0..<4).map { word in
                (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[place + word * 8 + $1]) << (8 * UInt64($1)) }
            }
            if words.allSatisfy({ $0 == 0 }) { continue }
            let number = Int64((place - headBytes) / slotBytes)
            let slot = Slot(seq: Int64(bitPattern: words[0]), sum: Int64(bitPattern: words[1]))
            guard encoded(slot, number) == Array(bytes[place..<place + slotBytes]) else {
                throw wrong("a slot \(number) whose checksum is not its own", "it as it was written")
            }
            slots[number] = slot
        }
        return slots
    }

    /// The process that holds the state file, according to its mark.
    static func holder(beside state: String) -> Int32? {
        guard let bytes = Disk.bytes(path(beside: state)), bytes.starts(with: title.utf8) else { return nil }
        let lines = String(decoding: bytes.prefix(headBytes), as: UTF8.self).split(separator: "\n")
        return lines.count > 1 ? Int32(lines[1]) : nil
    }

    // MARK: writing

    /// Creates the mark anew, atomically, and flushes it to the disk.
    init(beside state: String, _ slots: [Int64: Slot]) throws(StoreError) {
        path = StateMark.path(beside: state)
        var bytes = Array("\(StateMark.title)\(getpid())\n".utf8)
        let count = (slots.keys.max() ?? 0) + 1
        bytes += [UInt8](repeating: 0, count: StateMark.headBytes + Int(count) * StateMark.slotBytes - bytes.count)
        for (number, slot) in slots {
            let place = StateMark.headBytes + Int(number) * StateMark.slotBytes
            bytes.replaceSubrange(place..<place + StateMark.slotBytes, with: StateMark.encoded(slot, number))
        }
        let new = "\(path).new"
        _ = unlink(new)
        file = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(path, errno) }
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count, Disk.flush(file) == 0, rename(new, path) == 0 else {
            let reason = errno
            _ = unlink(new)
            throw reason == ENOSPC ? .full(path: state) : .system(path, reason)
        }
        syncFolder()
    }

    /// Records the last acknowledged command of a session; nil if nothing is expected of it any longer.
    ///
    /// - Returns: false if it could not be written.
    @discardableResult
    func put(_ slot: Slot?, of number: Int64) -> Bool {
        let bytes = slot.map { StateMark.encoded($0, number) } ?? [UInt8](repeating: 0, count: StateMark.slotBytes)
        return pwrite(file, bytes, bytes.count, off_t(StateMark.headBytes) + off_t(number) * off_t(StateMark.slotBytes)) == bytes.count
    }

    /// Removes it, as the state file was closed.
    func remove() {
        _ = unlink(path)
        syncFolder()
    }

    deinit { if file >= 0 { close(file) } }

    private func syncFolder() {
        let name = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let folder = open(name.isEmpty ? "/" : name, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = Disk.flush(folder)
        close(folder)
    }

    private static func encoded(_ slot: Slot, _ number: Int64) -> [UInt8] {
        var check = RowSum()
        for word in [number, slot.seq, slot.sum] { check.add(word) }
        // Never zeros: they mean none.
        return [slot.seq, slot.sum, check.value | 1, 0].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * Int64($0))) }
        }
    }
}
