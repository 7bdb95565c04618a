import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Foundation
import Platform

/// HTTP/1.1 over sockets that are kept in a pool, as written by somebody who trusts what comes next on a connection.
///
/// Without habits it is right: a connection goes back to the pool only behind a whole response, and is looked at before it is used again.
/// Requests that are no plain HTTP go to another transport.
final class NaivePool: HTTPTransport {
    /// The habits of this transport.
    struct Habits: Sendable {
        /// Uses a connection again whatever is left on it.
        var keepsLeftovers = false
        /// Puts a connection back when nobody waits for its response any longer.
        var keepsUnanswered = false
        /// How many requests may be under way; a cancelled one never gives its slot back.
        var leakedSlots: Int?
        /// Takes an interim response for the final one.
        var takesInterim = false
        /// Asks to continue, and takes whatever comes for the permission to send the body.
        var takesAnyForContinue = false
    }

    private let base: any HTTPTransport
    private let limits: TransportLimits
    private let habits: Habits
    private let state = Locked(Pool())
    /// Wakes those that wait for a slot: one was given back, or a request was cancelled.
    private let change = NSCondition()

    private struct Pool {
        var idle: [String: [PooledConnection]] = [:]
        var underWay = 0
    }

    init(_ start: CaseStart, _ habits: Habits) {
        base = CurlTransport(limits: TransportLimits(start), caFile: start.caFile)
        limits = TransportLimits(start)
        self.habits = habits
    }

    deinit { state.withLock { $0.idle.values.joined().forEach { $0.socket.close() } } }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        guard let target = PlainTarget(request.url) else { return try await base.send(request) }
        let isCancelled = CancelFlag()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: self.exchange(request, target, isCancelled)) }.start()
            }
        } onCancel: {
            isCancelled.set()
            wake()
        }
        let response = try outcome.get()
        guard request.isSafe, (301...308).contains(response.status), let location = response.headers["Location"] else { return response }
        // To the same host only, once: the banks' links lead one step on.
        let url = location.hasPrefix("/") ? target.origin + location : location
        guard let next = PlainTarget(url), next.origin == target.origin, next.path != target.path else { return response }
        var followed = request
        followed.url = url
        return try await send(followed)
    }

    // MARK: one exchange, on a separate thread

    private func exchange(
        _ request: HTTPRequest, _ target: PlainTarget, _ isCancelled: CancelFlag
    ) -> Result<HTTPResponse, TransportFailure> {
        let deadline = NaivePool.now + limits.total
        guard takeSlot(deadline, isCancelled) else {
            return .failure(TransportFailure(isCancelled.isSet ? .cancelled : .timeout, "no place in the pool", mayHaveLeft: false))
        }
        guard var connection = idle(target) ?? PooledConnection(to: target, limits.connect) else {
            giveSlotBack(isCancelled: false)
            return .failure(TransportFailure(.offline, "cannot connect", mayHaveLeft: false))
        }
        var end = PooledConnection.Reading(deadline: deadline, isCancelled: isCancelled)
        do throws(TransportFailure) {
            let response = try connection.ask(request, target, habits, &end)
            if response.headers["Connection"]?.lowercased() == "close" { connection.socket.close() } else { keep(connection, target) }
            giveSlotBack(isCancelled: false)
            return .success(response)
        } catch {
            let nobodyWaits = error.error == .cancelled || error.error == .timeout
            if nobodyWaits, habits.keepsUnanswered { keep(connection, target) } else { connection.socket.close() }
            giveSlotBack(isCancelled: error.error == .cancelled)
            return .failure(error)
        }
    }

    /// Waits for a slot in the pool; false if none is free in time.
    private func takeSlot(_ deadline: Duration, _ isCancelled: CancelFlag) -> Bool {
        guard let slots = habits.leakedSlots else { return true }
        change.lock()
        defer { change.unlock() }
        while NaivePool.now < deadline, !isCancelled.isSet {
            let isTaken = state.withLock { pool in
                if pool.underWay < slots { pool.underWay += 1 } else { return false }
                return true
            }
            if isTaken { return true }
            _ = change.wait(until: Date(timeIntervalSinceNow: (deadline - NaivePool.now) / .seconds(1)))
        }
        return false
    }

    private func giveSlotBack(isCancelled: Bool) {
        guard !isCancelled, habits.leakedSlots != nil else { return }
        state.withLock { $0.underWay -= 1 }
        wake()
    }

    private func wake() {
        change.lock()
        change.broadcast()
        change.unlock()
    }

    private func idle(_ target: PlainTarget) -> PooledConnection? {
        while let connection = state.withLock({ $0.idle[target.origin]?.popLast() }) {
            switch connection.leftover {
            case .nothing: return connection
            case .bytes where habits.keepsLeftovers || habits.keepsUnanswered: return connection
            case .bytes, .end: connection.socket.close()
            }
        }
        return nil
    }

    private func keep(_ connection: PooledConnection, _ target: PlainTarget) {
        state.withLock { $0.idle[target.origin, default: []].append(connection) }
    }

    fileprivate static var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }
}

/// The parts of an address in clear text.
private struct PlainTarget {
    let origin: String
    let host: String
    let port: Int
    let path: String

    /// nil for any other address.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host, let port = parts.port else {
            return nil
        }
        origin = "http://\(host):\(port)"
        self.host = host == "localhost" ? "127.0.0.1" : host
        self.port = port
        path = (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    }
}

/// Whether nobody waits for a request any longer.
private final class CancelFlag: Sendable {
    private let value = Locked(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}

/// A connection, and the bytes that were read from it and not used.
private struct PooledConnection {
    let socket: StreamSocket
    private var buffer: [UInt8] = []

    /// The limits of reading one response.
    struct Reading {
        let deadline: Duration
        let isCancelled: CancelFlag
    }

    enum Leftover {
        case nothing, bytes, end
    }

    init?(to target: PlainTarget, _ limit: Duration) {
        guard let socket = StreamSocket.open() else { return nil }
        socket.setTimeouts(milliseconds: max(1, Int(limit.nanoseconds / 1_000_000)))
        guard socket.connect(to: target.port, of: target.host) else {
            socket.close()
            return nil
        }
        // Reading looks every 10 ms whether somebody still waits.
        socket.setTimeouts(milliseconds: 10)
        self.socket = socket
    }

    /// The bytes on an idle connection, or its end.
    var leftover: Leftover {
        guard buffer.isEmpty else { return .bytes }
        var byte: UInt8 = 0
        let count = recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 ? .bytes : count == 0 ? .end : .nothing
    }

    mutating func ask(
        _ request: HTTPRequest, _ target: PlainTarget, _ habits: NaivePool.Habits, _ reading: inout Reading
    ) throws(TransportFailure) -> HTTPResponse {
        var lines = ["\(request.method) \(target.path) HTTP/1.1", "Host: \(target.host):\(target.port)"]
        lines += request.headers.lines.map { "\($0.name): \($0.value)" }
        if let body = request.body { lines.append("Content-Length: \(body.count)") }
        let asks = habits.takesAnyForContinue && request.body != nil
        if asks { lines.append("Expect: 100-continue") }
        let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        if asks {
            try write(head)
            _ = try readResponse(to: request.method, isInterim: true, reading)
            try write(request.body ?? [])
        } else {
            try write(head + (request.body ?? []))
        }
        var response = try readResponse(to: request.method, reading)
        while (100..<200).contains(response.status), !habits.takesInterim { response = try readResponse(to: request.method, reading) }
        return response
    }

    private func write(_ bytes: [UInt8]) throws(TransportFailure) {
        guard bytes.withUnsafeBytes({ socket.send($0) }) == bytes.count else {
            throw TransportFailure(.offline, "cannot send", mayHaveLeft: true, torn: true)
        }
    }

    /// Reads one response.
    ///
    /// - Parameter isInterim: reads the head only, whatever it is.
    private mutating func readResponse(
        to method: String, isInterim: Bool = false, _ reading: Reading
    ) throws(TransportFailure) -> HTTPResponse {
        var end: Int?
        while end == nil {
            end = buffer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            if end == nil { try fill(reading) }
        }
        let lines = String(decoding: buffer[..<(end ?? 0)], as: UTF8.self).components(separatedBy: "\r\n")
        buffer.removeFirst(end ?? 0)
        guard let line = lines.first, line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9).prefix(3)) else {
            throw TransportFailure(.decode, "found no status line", mayHaveLeft: true)
        }
        var response = HTTPResponse(status: status)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            response.headers.append(String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
        }
        if isInterim || status < 200 || status == 204 || status == 304 || method == "HEAD" { return response }
        let length = response.headers["Content-Length"].flatMap { Int($0) } ?? 0
        while buffer.count < length { try fill(reading) }
        response.body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return response
    }

    private mutating func fill(_ reading: Reading) throws(TransportFailure) {
        var piece: [UInt8] = Array(repeating: 0, count: 65_536)
        while true {
            if reading.isCancelled.isSet { throw TransportFailure(.cancelled, "cancelled", mayHaveLeft: true) }
            if NaivePool.now >= reading.deadline { throw TransportFailure(.timeout, "no answer in time", mayHaveLeft: true) }
            let count = recv(socket.descriptor, &piece, piece.count, 0)
            if count > 0 {
                buffer += piece[..<count]
                return
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            throw TransportFailure(.offline, "the connection ended", mayHaveLeft: true, torn: true)
        }
    }
}

extension ClientParts {
    /// Sends everything over a pool with these habits, renewals of the token too.
    mutating func useNaivePool(_ start: CaseStart, _ habits: NaivePool.Habits) {
        caller.transport = NaivePool(start, habits)
        useStore(store)
    }
}
