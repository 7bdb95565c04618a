import Foundation

/// The open descriptors of this process, from Linux's `/proc`.
enum Descriptors {
    /// A connection's state by its number in `/proc/net/tcp`.
    enum State: String {
        case connecting = "02"
    }

    static var canBeCounted: Bool { FileManager.default.fileExists(atPath: "/proc/self/net/tcp") }

    static func all() throws -> Int { try open().count }

    /// The sockets of this process that are connected to that port of 127.0.0.1: a client's, whatever other tests do.
    static func sockets(to port: Int, in state: State? = nil) throws -> Int {
        let peer = "0100007F:" + String(format: "%04X", port)
        let table = try wholeText("/proc/self/net/tcp")
        var sockets: Set<String> = []
        for line in table.split(separator: "\n").dropFirst() {
            // Its number, this end, the other end, the state; the tenth names the socket.
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count > 9, fields[2] == peer else { continue }
            if let state, fields[3] != state.rawValue { continue }
            sockets.insert("socket:[\(fields[9])]")
        }
        var count = 0
        for descriptor in try open() {
            // A descriptor closed meanwhile has no target.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            if let target, sockets.contains(target) { count += 1 }
        }
        return count
    }

    /// The whole of a file that the kernel generates as it is read; Foundation's short ways end after its first page.
    private static func wholeText(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var bytes = Data()
        while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func open() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") }
}

/// A port of 127.0.0.1 whose queue of connections is full: Linux drops further requests, so that a client waits.
final class FullListener: Sendable {
    let port: Int
    private let sockets: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (fills, isListening) = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let isListening =
                    bind(listener, address, length) == 0 && listen(listener, 0) == 0 && getsockname(listener, address, &length) == 0
                // One fits into a queue of none; the others already wait.
                let fills = (0..<4).map { _ in
                    let fill = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    connect(fill, address, length)
                    return fill
                }
                return (fills, isListening)
            }
        }
        sockets = [listener] + fills
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { for each in sockets { close(each) } }
}
