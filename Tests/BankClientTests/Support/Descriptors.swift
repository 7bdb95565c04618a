import Foundation
import Platform

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
    private let sockets: [StreamSocket]

    init() throws {
        guard let listener = StreamSocket.open(), listener.bind(to: 0), listener.listen(backlog: 0), let port = listener.port else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.port = port
        // One fits into a queue of none; the others already wait.
        let fills = (0..<4).compactMap { _ in StreamSocket.open() }
        for fill in fills {
            fill.stopBlocking()
            _ = fill.connect(to: port)
        }
        sockets = [listener] + fills
    }

    deinit { for each in sockets { each.close() } }
}
