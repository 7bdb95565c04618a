import BankEngine
import BankModel

/// The checksum of a row: FNV-1a over the bytes of all its columns, each with its length before it.
///
/// Every step of FNV-1a keeps two different hashes different, so a change within one byte is always seen, and any other but for one
/// in 2⁶⁴. It is kept as SQLite's integer of 64 bits.
struct RowSum {
    private var hash = FNV1a.basis

    var value: Int64 { Int64(bitPattern: hash) }

    mutating func add(_ number: Int64) {
        hash = (0..<8).reduce(hash) { FNV1a.hash([UInt8(truncatingIfNeeded: number >> (8 * Int64($1)))], from: $0) }
    }

    /// Adds bytes; nil is something else than none.
    mutating func add(_ bytes: [UInt8]?) {
        add(Int64(bytes?.count ?? -1))
        if let bytes { hash = FNV1a.hash(bytes, from: hash) }
    }

    // MARK: of each kind of row

    /// Of a session's row as it began; all other sums of the session begin with it, so that no row is taken for another session's.
    static func seed(number: Int64, id: String, bank: String, opening: [UInt8]) -> Int64 {
        var sum = RowSum()
        sum.add(number)
        for part in [Array(id.utf8), Array(bank.utf8), opening] { sum.add(part) }
        return sum.value
    }

    static func of(_ checkpoint: StoredSession.Checkpoint, seed: Int64) -> Int64 {
        var sum = RowSum()
        sum.add(seed)
        sum.add(checkpoint.seq)
        sum.add(checkpoint.state)
        return sum.value
    }

    static func of(_ command: StoredCommand, seed: Int64) -> Int64 {
        var sum = RowSum()
        for number in [seed, command.seq, command.at] { sum.add(number) }
        for part in [Array(command.command.utf8), command.changes, command.reply] { sum.add(part) }
        return sum.value
    }
}
