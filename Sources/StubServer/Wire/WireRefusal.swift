import BankModel
import NIOCore
import NIOHTTP1

/// What the wire takes from outside at most.
enum WireLimits {
    static let headBytes = 32 * 1024
    static let headerCount = 200
    static let bodyBytes = 1 << 20
    /// How much of a reply's body is written at once: a frame of HTTP/2 (RFC 9113 §4.2).
    static let pieceBytes = 16_384
    /// Up to which size a body is written with its head.
    static let wholeBytes = 4096
    /// How long a connection that was shut down is still drained.
    static let drain = TimeAmount.seconds(1)
    /// Between what was written and the reset of its stream.
    static let beforeStreamReset = TimeAmount.milliseconds(20)
    /// Between accepting and resetting: sooner, a client takes the reset for a port that does not listen.
    static let beforeReset = TimeAmount.milliseconds(10)
}

/// A request that the wire refuses by itself, before any bank sees it.
struct WireRefusal {
    let status: Int
    let detail: String

    static let tooLarge = WireRefusal(status: 413, detail: "found a body over \(WireLimits.bodyBytes) bytes, expected at most that")
    static func tooSlow(_ idle: Duration) -> WireRefusal {
        WireRefusal(status: 408, detail: "found half a request and then silence, expected the rest within \(idle.shortText)")
    }

    init(status: Int, detail: String) { (self.status, self.detail) = (status, detail) }

    /// Why a head is refused; nil if it is not.
    init?(_ head: HTTPRequestHead) {
        if head.version.major != 1 {
            self.init(status: 505, detail: "found HTTP/\(head.version.major).\(head.version.minor), expected HTTP/1.1")
        } else if head.version.minor >= 1, head.headers["Host"].count != 1 {
            self.init(status: 400, detail: "found \(head.headers["Host"].count) Host headers, expected one (RFC 9112 §3.2)")
        } else if let refusal = WireRefusal(target: head.uri) {
            self = refusal
        } else if let expected = head.headers.first(name: "Expect"), expected.lowercased() != "100-continue" {
            self.init(status: 417, detail: "found Expect: \(expected.prefix(60)), expected 100-continue")
        } else if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > WireLimits.bodyBytes {
            self = .tooLarge
        } else {
            return nil
        }
    }

    /// Why a request with so many `Authorization` headers is refused; nil if it is not. Which of two counts would be a guess, and
    /// a client that sends two does not know which token it holds.
    init?(authorizations count: Int) {
        guard count > 1 else { return nil }
        self.init(status: 400, detail: "found \(count) Authorization headers, expected one at most (RFC 9110 §5.3)")
    }

    /// The path and query of a target that has the whole address, as clients send to a proxy and every server must take
    /// (RFC 9112 §3.2.2); any other as it is.
    static func originForm(of target: String) -> String {
        guard !target.hasPrefix("/") else { return target }
        let scheme = target.prefix { $0 != ":" }
        guard ["http", "https"].contains(scheme.lowercased()), target.dropFirst(scheme.count).hasPrefix("://") else { return target }
        let path = target.dropFirst(scheme.count + 3).drop { $0 != "/" && $0 != "?" }
        return path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// Why a target is refused; nil if it is not.
    init?(target: String) {
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        self.init(status: 400, detail: "found the target \(target.prefix(60)), expected a path that begins with /")
    }

    init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow:
            self.init(
                status: 431, detail: "found a head over \(WireLimits.headBytes) bytes or \(WireLimits.headerCount) headers, expected less")
        case .invalidVersion: self.init(status: 505, detail: "found another version, or a line that ends without CR, expected HTTP/1.1")
        case .invalidMethod: self.init(status: 400, detail: "found no method of HTTP, expected one such as GET")
        case .invalidEOFState, .closedConnection:
            self.init(status: 400, detail: "found the end of the connection, expected the rest of the request")
        default: self.init(status: 400, detail: "found bytes that are no request of HTTP/1.1 (\(error)), expected one")
        }
    }

    /// Problem details (RFC 9457).
    var body: [UInt8] {
        let body: JSON = [
            "type": "about:blank", "title": .string(HTTPResponseStatus(statusCode: status).reasonPhrase), "status": .int(status),
            "detail": .string(detail),
        ]
        return body.bytes
    }

    var headers: [JournalEntry.Header] { [.init("Content-Type", "application/problem+json"), .init("Cache-Control", "no-store")] }

    /// The whole reply of HTTP/1.1.
    func bytes(date: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        let bytes = body
        ResponseHead.write(status: status, headers: headers, bodyBytes: bytes.count, to: &buffer)
        ResponseHead.finish(.init(date: date, requestID: "", closes: true), to: &buffer)
        buffer.writeBytes(bytes)
        return buffer
    }
}
