import Synchronization

/// Cuts a stream of bytes into lines of bounded length.
struct LineSplitter {
    private var rest: [UInt8] = []
    /// A line longer than this is no message.
    static let longestLine = 4 * 1024 * 1024

    /// The lines that the bytes complete; nil if a line is too long.
    mutating func take(_ bytes: [UInt8]) -> [String]? {
        var lines: [String] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest + bytes[start..<end], as: UTF8.self))
            rest.removeAll(keepingCapacity: true)
            start = end + 1
        }
        rest += bytes[start...]
        return rest.count > LineSplitter.longestLine ? nil : lines
    }

    /// What came without a line's end.
    var unfinished: String { String(decoding: rest, as: UTF8.self) }
}

/// The last of what a driver wrote to stderr; what is older is let go.
final class StderrTail: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    static let limit = 64 * 1024

    func append(_ more: [UInt8]) {
        bytes.withLock { bytes in
            bytes += more
            if bytes.count > 2 * StderrTail.limit { bytes.removeFirst(bytes.count - StderrTail.limit) }
        }
    }

    var all: [UInt8] { bytes.withLock { Array($0.suffix(StderrTail.limit)) } }

    var text: String { String(decoding: all, as: UTF8.self) }
}
