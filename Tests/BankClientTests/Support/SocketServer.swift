import BankModel
import Foundation
import Platform

/// A bare server on a free port of 127.0.0.1 that writes exactly the given bytes, and ends connections as configured.
final class SocketServer: Sendable {
    /// The response to one request.
    struct Response: Sendable {
        var bytes: [UInt8]
        var end: End

        enum End: Sendable {
            /// The connection remains open for the next request.
            case keep
            /// The server stops writing, waits for the client to close, then closes.
            case fin
            case reset
            /// Nothing further is written until the client closes.
            case hang
            /// As `fin`, and no further connection is accepted.
            case finAndRefuse
        }

        /// Exact bytes; `\n` is written as CR LF.
        static func raw(_ text: String, _ end: End) -> Response {
            Response(bytes: Array(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8), end: end)
        }

        /// A complete answer.
        static func whole(
            _ status: Int = 200, _ body: String, type: String = "application/json", headers: String = "", _ end: End = .keep
        ) -> Response {
            let head = "HTTP/1.1 \(status) Said\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n"
            return Response(bytes: Array((head + body).utf8), end: end)
        }

        /// A complete answer in gzip.
        static func packed(_ body: [UInt8], isPacked: Bool = false) -> Response {
            let body = isPacked ? body : ContentCoding.gzip.coded(body)
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
            return Response(bytes: Array(head.utf8) + body, end: .keep)
        }
    }

    private struct State {
        var responses: [Response]
        var requests: [String] = []
        var connections = 0
        /// The number of connections that the server has closed for good.
        var closed = 0
        var waiting: [(isMet: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
        var listener: Int32
    }

    let port: Int
    private let state: Locked<State>

    var url: String { "http://127.0.0.1:\(port)" }
    /// Each request's head and body as received.
    var requests: [String] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    /// Serves the responses, one for each request, then the last one every time, while the body runs.
    static func serving<Value>(_ responses: Response..., body: (SocketServer) async throws -> Value) async throws -> Value {
        let server = try SocketServer(responses)
        Thread { server.accept() }.start()
        defer { server.refuse() }
        return try await body(server)
    }

    private init(_ responses: [Response]) throws {
        guard let listener = StreamSocket.open(), listener.bind(to: 0), listener.listen(backlog: 64), let port = listener.port else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.port = port
        state = Locked(State(responses: responses, listener: listener.descriptor))
    }

    /// Answers every request from now on with this response.
    func answer(with response: Response) { state.withLock { $0.responses = [response] } }

    /// Returns once `count` requests have been read.
    func hasRead(_ count: Int) async { await wait { $0.requests.count >= count } }

    /// Returns once each accepted connection has been closed on this side too.
    func hasClosedAll() async { await wait { $0.closed == $0.connections } }

    private func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state in
                if isMet(state) { return true }
                state.waiting.append((isMet, continuation))
                return false
            }
            if now { continuation.resume() }
        }
    }

    /// Changes the state and wakes the waiting tasks.
    private func update<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        let (value, ready) = state.withLock { state in
            let value = change(&state)
            let (now, waiting) = (state, state.waiting)
            state.waiting = waiting.filter { !$0.isMet(now) }
            return (value, waiting.filter { $0.isMet(now) }.map(\.continuation))
        }
        for continuation in ready { continuation.resume() }
        return value
    }

    func refuse() {
        let listener = state.withLock { state in
            defer { state.listener = -1 }
            return state.listener
        }
        guard listener >= 0 else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func accept() {
        while case let listener = state.withLock({ $0.listener }), listener >= 0 {
            let connection = uninterrupted { Foundation.accept(listener, nil, nil) }
            guard connection >= 0 else { return }
            update { $0.connections += 1 }
            Thread { self.serve(connection) }.start()
        }
    }

    private func serve(_ connection: Int32) {
        defer {
            close(connection)
            update { $0.closed += 1 }
        }
        while let request = read(connection) {
            let response = update { state in
                state.requests.append(request)
                return state.responses.count > 1 ? state.responses.removeFirst() : state.responses[0]
            }
            write(response.bytes, to: connection)
            switch response.end {
            case .keep: continue
            case .finAndRefuse:
                refuse()
                fallthrough
            case .fin:
                shutdown(connection, Int32(SHUT_WR))
                drain(connection)
                return
            case .hang:
                drain(connection)
                return
            case .reset:
                StreamSocket(descriptor: connection).abort()
                return
            }
        }
    }

    /// Writes all bytes, or as many as possible until the client has closed.
    private func write(_ bytes: [UInt8], to connection: Int32) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let count = uninterrupted { StreamSocket(descriptor: connection).send(piece) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Reads until the client has closed.
    private func drain(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while uninterrupted({ recv(connection, &buffer, buffer.count, 0) }) > 0 {}
    }

    /// The result of a system call, repeated for as long as a signal interrupts it.
    private func uninterrupted<Count: SignedInteger>(_ call: () -> Count) -> Count {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// One request, head and body; nil if the client has closed, or begins a TLS handshake (first byte 0x16).
    private func read(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text[..<end.lowerBound].components(separatedBy: "\r\n").compactMap { line -> Int? in
                    line.lowercased().hasPrefix("content-length:") ? Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) : nil
                }
                if text[end.upperBound...].utf8.count >= length.first ?? 0 { return text }
            }
            let count = uninterrupted { recv(connection, &buffer, buffer.count, 0) }
            guard count > 0, bytes.first ?? buffer[0] != 0x16 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
