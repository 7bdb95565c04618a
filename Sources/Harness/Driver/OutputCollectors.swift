import BankModel
import DriverProtocol
import Platform

/// Cuts a stream of bytes into lines of bounded length.
struct LineSplitter {
    private var rest: [UInt8] = []
    /// A line longer than this is not a message.
    static let longestLine = 4 * 1024 * 1024

    /// The lines that the bytes complete.
    ///
    /// - Throws: if a line is too long, or is not UTF-8: repaired it might pass for a message.
    mutating func take(_ bytes: [UInt8]) throws(ProtocolError) -> [String] {
        var lines: [String] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest + bytes[start..<end]
            if line.count > LineSplitter.longestLine { throw tooLong }
            guard let text = String(validUTF8: line) else {
                throw ProtocolError(
                    "found a line that is not UTF-8, `\(String(decoding: line.prefix(200), as: UTF8.self))`, expected UTF-8")
            }
            lines.append(text)
            rest.removeAll(keepingCapacity: true)
            start = end + 1
        }
        rest += bytes[start...]
        if rest.count > LineSplitter.longestLine { throw tooLong }
        return lines
    }

    private var tooLong: ProtocolError {
        ProtocolError("found a line of over \(LineSplitter.longestLine) bytes, expected one message a line")
    }

    /// The output after the last line end.
    var unfinished: String { String(decoding: rest, as: UTF8.self) }
}

/// The end of a driver's stderr: 64 KiB to show, and 4 MiB to search for secrets, because the report of a crash can be long. Older output is
/// dropped.
final class StderrTail: Sendable {
    private struct Kept {
        var bytes: [UInt8] = []
        /// How many came in all.
        var total = 0
    }

    private let kept = Locked(Kept())
    static let limit = 64 * 1024
    static let searchedLimit = 4 * 1024 * 1024

    func append(_ more: [UInt8]) {
        kept.withLock { kept in
            kept.bytes += more
            kept.total += more.count
            if kept.bytes.count > 2 * StderrTail.searchedLimit { kept.bytes.removeFirst(kept.bytes.count - StderrTail.searchedLimit) }
        }
    }

    var all: [UInt8] { kept.withLock { Array($0.bytes.suffix(StderrTail.limit)) } }

    /// How many bytes were written in all.
    var total: Int { kept.withLock(\.total) }

    /// The stored output after the first `count` bytes, and how many bytes before it were dropped.
    func since(_ count: Int) -> (bytes: [UInt8], dropped: Int) {
        kept.withLock { kept in
            let wanted = max(0, kept.total - count)
            return (Array(kept.bytes.suffix(wanted)), max(0, wanted - kept.bytes.count))
        }
    }

    var text: String { String(decoding: all, as: UTF8.self) }

    /// The text as a terminal may be given it, no newline at the end.
    var printable: String {
        var out = text.withoutControls
        while out.hasSuffix("\n") { out.removeLast() }
        return out
    }
}
