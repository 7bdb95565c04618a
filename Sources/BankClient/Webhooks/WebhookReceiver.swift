import BankModel
import Foundation
import Platform

/// What a receiver of webhooks needs.
package struct ReceiverParts: Sendable {
    /// The file of the events that were accepted.
    package var file: String
    package var rules = ReceiverRules()

    package init(file: String) { self.file = file }
}

/// Receives the bank's webhooks at an address of this machine.
///
/// An event is on the disk before it is answered with 2xx, so that nothing is lost if the process ends then.
package final class WebhookReceiver: Sendable {
    private let rules: ReceiverRules
    private let inbox: EventInbox
    private let clock: any ClientClock
    private let state = Locked(State())

    private struct State {
        var listener: StreamSocket?
        var secret: String?
        var isHeld = false
        /// In the order in which they came.
        var accepted: [ReceivedEvent] = []
        /// How many of them it has acted on.
        var acted = 0
    }

    /// What the receiver has acted on.
    package struct Report: Sendable {
        package var address: String
        package var events: [ReceivedEvent]
        package var payments: [ReceivedEvent.Payment]
    }

    package init(_ parts: ReceiverParts, clock: any ClientClock) {
        rules = parts.rules
        inbox = EventInbox(path: parts.file, isStored: parts.rules.isStored)
        self.clock = clock
    }

    deinit {
        let listener = state.withLock { $0.listener }
        listener?.stopListening()
    }

    /// Starts to listen, if it has not, and shows what it has acted on.
    ///
    /// - Parameters:
    ///   - secret: that of the bank's signatures from now on; nil changes nothing.
    ///   - isHeld: whether it acts on nothing until the next call.
    /// - Throws: ``ClientFailure`` `unavailable` if there is no port, or the stored events cannot be read.
    package func report(secret: String?, isHeld: Bool) throws(ClientFailure) -> Report {
        try state.withLock { state throws(ClientFailure) in
            if state.listener == nil {
                do throws(StorageError) { state.accepted = try inbox.events(rules.event) } catch {
                    throw ClientFailure(.unavailable, "stored events cannot be read: \(error)", mayHaveLeft: false)
                }
                state.listener = try listen()
            }
            state.secret = secret ?? state.secret
            state.isHeld = isHeld
            if !isHeld { state.acted = state.accepted.count }
            let events = Array(state.accepted[..<state.acted])
            return Report(
                address: "http://127.0.0.1:\(state.listener?.port ?? 0)/hook", events: events, payments: rules.payments(events))
        }
    }

    /// The status that answers a delivery.
    func status(_ signature: String, _ body: [UInt8]) -> Int {
        guard let secret = state.withLock({ $0.secret }), rules.isGenuine(signature, body, secret, clock.now()),
            let json = try? JSON(parsing: body), ReceivedEvent(json) != nil
        else { return 400 }
        guard let event = rules.event(json) else { return 204 }
        let isKept = state.withLock { state in
            guard rules.isNew(event, state.accepted) else { return true }
            guard (try? inbox.add(json)) != nil else { return false }
            state.accepted.append(event)
            return true
        }
        guard isKept else { return 503 }
        rules.beforeAnswer { state.withLock { $0.isHeld } }
        state.withLock { state in
            if !state.isHeld { state.acted = state.accepted.count }
        }
        return 204
    }

    // MARK: the socket

    private func listen() throws(ClientFailure) -> StreamSocket {
        guard let socket = StreamSocket.open(), socket.bind(to: 0), socket.listen(backlog: 16) else {
            throw ClientFailure(.unavailable, "there is no port for webhooks", mayHaveLeft: false)
        }
        Thread { [weak self] in
            while let connection = socket.accept() {
                guard let self else {
                    connection.close()
                    break
                }
                Thread { self.serve(connection) }.start()
            }
            socket.close()
        }.start()
        return socket
    }

    /// Answers the one request of a connection.
    private func serve(_ connection: StreamSocket) {
        defer { connection.close() }
        connection.setTimeouts(milliseconds: 5000)
        guard let request = DeliveryRequest(from: connection) else { return }
        let status = status(request.signature, request.body)
        let head = Array("HTTP/1.1 \(status) \(status == 204 ? "No Content" : "Rejected")\r\nConnection: close\r\n".utf8)
        let answer = head + Array(status == 204 ? "\r\n".utf8 : "Content-Length: 0\r\n\r\n".utf8)
        _ = answer.withUnsafeBytes { connection.send($0) }
    }
}

/// A delivery as it comes: an HTTP/1.1 request of at most 64 KiB.
private struct DeliveryRequest {
    var signature = ""
    var body: [UInt8] = []

    private static let limit = 65_536

    /// Reads a request; nil if it does not come whole.
    init?(from connection: StreamSocket) {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 8192)
        var length: Int?
        var start = 0
        while length.map({ bytes.count < start + $0 }) ?? true {
            let count = piece.withUnsafeMutableBytes { connection.receive($0) }
            guard count > 0, bytes.count + count <= DeliveryRequest.limit else { return nil }
            bytes += piece[..<count]
            guard length == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            start = end.upperBound
            var declared = 0
            for line in String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n").dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                switch line[..<colon].lowercased() {
                case "content-length": declared = Int(value) ?? DeliveryRequest.limit
                case "counterfoil-signature": signature = value
                default: break
                }
            }
            guard (0..<DeliveryRequest.limit).contains(declared) else { return nil }
            length = declared
        }
        body = Array(bytes[start..<(start + (length ?? 0))])
    }
}

/// The accepted events, one in each line of a private file.
private struct EventInbox: Sendable {
    let path: String
    let isStored: Bool

    private static let limit = 1 << 24

    func events(_ read: (JSON) -> ReceivedEvent?) throws(StorageError) -> [ReceivedEvent] {
        let bytes = try PrivateFile(path: path).read(limit: EventInbox.limit) ?? []
        // The last line may be incomplete: it was not answered then.
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in (try? JSON(parsing: line)).flatMap(read) }
    }

    /// Appends an event; it is on the disk when this returns.
    func add(_ event: JSON) throws(StorageError) {
        guard isStored else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StorageError("\(path): cannot be opened") }
        defer { close(file) }
        let calls = FileCalls()
        guard calls.write(file, Array("\n".utf8) + event.bytes + Array("\n".utf8)) == 0, calls.sync(file) == 0 else {
            throw StorageError("\(path): cannot be written")
        }
    }
}
