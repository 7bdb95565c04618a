import BankEngine
import BankModel

/// The checksum of a row: FNV-1a over the bytes of all its columns, each preceded by its length.
///
/// Every step of FNV-1a preserves the difference of two hashes, so a change within one byte is always detected, and any other
/// except one in 2⁶⁴. It is stored as SQLite's integer of 64 bits.
struct RowSum {
    private var hash = FNV1a.basis

    init() {}

    var value: Int64 { Int64(bitPattern: hash) }

    mutating func add(_ number: Int64) {
        hash = (0..<8).reduce(hash) { FNV1a.hash([UInt8(truncatingIfNeeded: number >> (8 * Int64($1)))], from: $0) }
    }

    /// Adds bytes; nil differs from no bytes.
    mutating func add(_ bytes: [UInt8]?) {
        add(Int64(bytes?.count ?? -1))
        if let bytes { addMore(bytes) }
    }

    /// Adds bytes without their number.
    mutating func addMore(_ bytes: [UInt8]) { hash = FNV1a.hash(bytes, from: hash) }

    // MARK: of each kind of row

    /// The checksum of a session's original row; all other sums of the session begin with it, so that no row can be used in
    /// another session.
    static func seed(number: Int64, id: String, bank: String, opening: [UInt8]) -> Int64 {
        var sum = RowSum()
        sum.add(number)
        for part in [Array(id.utf8), Array(bank.utf8), opening] { sum.add(part) }
        return sum.value
    }

    static func of(_ checkpoint: StoredSession.Checkpoint, seed: Int64) -> Int64 {
        var sum = RowSum(before: checkpoint, seed: seed)
        sum.addMore(checkpoint.state)
        return sum.value
    }

    /// The checksum of a checkpoint before the bytes of its state, which ``addMore(_:)`` adds piece by piece.
    init(before checkpoint: StoredSession.Checkpoint, seed: Int64) {
        for number in [seed, checkpoint.seq, Int64(checkpoint.state.count)] { add(number) }
    }

    static func of(_ command: StoredCommand, seed: Int64) -> Int64 {
        var sum = RowSum()
        for number in [seed, command.seq, command.at] { sum.add(number) }
        for part in [Array(command.command.utf8), command.changes, command.reply] { sum.add(part) }
        return sum.value
    }
}
