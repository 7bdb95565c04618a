import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// The limits and delays of the wire.
package enum WireLimits {
    static let headBytes = 32 * 1024
    /// How long the framing of a chunked body may be besides ``framingBytesPerByte``: its sizes, extensions and trailers.
    static let framingBytes = 32 * 1024
    /// How many bytes of framing each byte of a chunked body may have more: a chunk of one byte has five.
    static let framingBytesPerByte = 8
    static let headerCount = 200
    /// The limits of a head for NIO's decoder.
    static var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = headBytes
        limits.maxHeaderListSize = headBytes
        limits.maxHeaderFieldCount = headerCount
        return limits
    }
    package static let bodyBytes = 1 << 20
    /// How many streams of one connection a client may have open at once; streams above that are rejected.
    static let streams = 250
    /// The same before the client has confirmed the settings.
    static let earlyStreams = 1000
    /// What an open stream of HTTP/2 and a field of its head count as, besides their bytes: measured, 3.4 KiB and 36 bytes.
    static let streamBytes = 4096
    static let fieldBytes = 40
    /// How much of a response's body is written at once: a frame of HTTP/2 (RFC 9113 §4.2).
    static let pieceBytes = 16_384
    /// The delay between the last write and the reset of its stream.
    static let beforeStreamReset = TimeAmount.milliseconds(20)
    /// The delay between accepting and resetting: sooner, a client takes the reset for a port that does not listen.
    static let beforeReset = TimeAmount.milliseconds(10)
}

/// The rejection of a request before any session gets it.
struct WireRejection: Error, Equatable {
    let status: Int
    let detail: String
    /// The methods of the resource, for `Allow` (RFC 9110 §15.5.6); nil for none.
    var allow: String?

    static let tooLarge = WireRejection(status: 413, detail: "found a body of more than \(WireLimits.bodyBytes) bytes, the maximum")
    static func tooSlow(_ idle: Duration) -> WireRejection {
        WireRejection(status: 408, detail: "found an incomplete request, expected the rest within \(idle.shortText)")
    }
    /// - Parameter part: `head` or `body`.
    static func slow(_ part: String, _ time: TimeAmount) -> WireRejection {
        WireRejection(
            status: 408,
            detail: "found an incomplete \(part) after \(Duration.nanoseconds(time.nanoseconds).shortText), expected all of it by then")
    }
    static let framing = WireRejection(
        status: 431,
        detail: "found over \(WireLimits.framingBytes) bytes of chunk extensions and trailers, the maximum (RFC 9112 §7.1.1)")
    /// Rejects the largest of the incomplete requests, which together exceed the limit.
    static func incompleteRequests(_ limit: Int) -> WireRejection {
        WireRejection(
            status: 503,
            detail: "found over \(limit) bytes of incomplete requests, the maximum on all connections together")
    }
    static let proxy = WireRejection(
        status: 400, detail: "found CONNECT, expected a method for a resource: this server is not a proxy (RFC 9110 §9.3.6)")
    static let largeHead = WireRejection(
        status: 431, detail: "found a head over \(WireLimits.headBytes) bytes or \(WireLimits.headerCount) headers, expected less")
    static func expectation(_ expected: String) -> WireRejection {
        WireRejection(status: 417, detail: "found Expect: \(expected.prefix(60)), expected 100-continue")
    }
    static let spaces = WireRejection(
        status: 400, detail: "found two spaces in the request line, expected one between its parts (RFC 9112 §3)")
}

extension WireRejection {
    /// Rejects an invalid head; nil if it is valid.
    init?(_ head: HTTPRequestHead) {
        let old = head.version.minor == 0
        if head.version.major != 1 {
            self.init(status: 505, detail: "found HTTP/\(head.version.major).\(head.version.minor), expected HTTP/1.1")
        } else if head.method == .CONNECT {
            self = .proxy
        } else if let rejection = HeadFacts(head.headers).rejection(isOld: old) ?? WireRejection(target: head.uri) {
            self = rejection
        } else {
            return nil
        }
    }

    /// The value of `Content-Length`; nil if it is not a number, or does not fit 64 bits.
    static func length(_ text: String) -> UInt64? { UInt64(text) ?? UInt64(text.filter { $0 != " " && $0 != "\t" }) }

    /// Rejects a request with several `Authorization` headers; nil if it has at most one. Choosing one of them would be a guess, and
    /// a client that sends two does not know which token it uses.
    init?(authorizations count: Int) {
        guard count > 1 else { return nil }
        self.init(status: 400, detail: "found \(count) Authorization headers, expected at most one (RFC 9110 §5.3)")
    }

    /// Rejects TRACE, whose response could reveal a client's secrets (RFC 9110 §9.3.8); nil if there is no such resource.
    ///
    /// - Parameter methods: the methods of the resource.
    init?(traceOf methods: [String]) {
        guard !methods.isEmpty else { return nil }
        self.init(status: 405, detail: "found TRACE, expected \(oneOf(methods))", allow: methods.joined(separator: ", "))
    }

    /// The path and query of a target in absolute form, which clients send to a proxy and every server must accept
    /// (RFC 9112 §3.2.2); any other target unchanged.
    static func originForm(of target: String) -> String {
        guard let address = address(target) else { return target }
        let path = address.drop { $0 != "/" && $0 != "?" }
        return path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// The host and port of a target in absolute form; empty for any other.
    static func authority(of target: String) -> String { String(address(target)?.prefix { $0 != "/" && $0 != "?" } ?? "") }

    /// The part behind the scheme of a target in absolute form; nil for any other.
    private static func address(_ target: String) -> Substring? {
        guard !target.hasPrefix("/") else { return nil }
        let scheme = target.prefix { $0 != ":" }
        guard ["http", "https"].contains(scheme.lowercased()), target.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        return target.dropFirst(scheme.count + 3)
    }

    /// Rejects an invalid target; nil if it is valid.
    init?(target: String) {
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        self.init(status: 400, detail: "found the target \(target.prefix(60)), expected a path that begins with /")
    }

    init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow: self = .largeHead
        case .invalidVersion:
            self.init(status: 505, detail: "found another HTTP version, or a line without CR at its end, expected HTTP/1.1")
        case .invalidMethod: self.init(status: 400, detail: "found no HTTP method, expected one such as GET")
        case .invalidEOFState, .closedConnection:
            self.init(status: 400, detail: "found the end of the connection, expected the rest of the request")
        default: self.init(status: 400, detail: "found bytes that are not an HTTP/1.1 request (\(error)), expected one")
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

    var headers: [JournalEntry.Header] {
        [.init("Content-Type", "application/problem+json"), .init("Cache-Control", "no-store")]
            + (allow.map { [.init("Allow", $0)] } ?? [])
    }
}

/// The framing that a head's headers declare, found in one pass over them: this runs for each request.
private struct HeadFacts {
    private var hosts = 0
    private var length: String?
    private var codings: [String] = []
    private var expected: String?

    init(_ headers: HTTPHeaders) {
        for (name, value) in headers {
            switch name.utf8.count {
            case 4 where name.isHeaderName("host"): hosts += 1
            case 6 where name.isHeaderName("expect"): expected = expected ?? value
            case 14 where name.isHeaderName("content-length"): length = value
            case 17 where name.isHeaderName("transfer-encoding"):
                codings += value.split(separator: ",").map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
            default: break
            }
        }
    }

    /// - Parameter isOld: whether the client speaks HTTP/1.0, which has no `Host` and no expectations (RFC 9110 §10.1.1).
    func rejection(isOld: Bool) -> WireRejection? {
        if hosts > 1 || hosts == 0 && !isOld {
            return WireRejection(status: 400, detail: "found \(hosts) Host headers, expected one (RFC 9112 §3.2)")
        }
        if let unknown = codings.first(where: { $0 != "chunked" }) {
            return WireRejection(status: 501, detail: "found the transfer coding \(unknown.prefix(60)), expected chunked (RFC 9112 §6.1)")
        }
        if codings.count > 1 {
            return WireRejection(status: 400, detail: "found chunked \(codings.count) times, expected it once (RFC 9112 §7)")
        }
        if let length, WireRejection.length(length).map({ $0 > WireLimits.bodyBytes }) ?? true { return .tooLarge }
        if !isOld, let expected, expected.lowercased() != "100-continue" {
            return .expectation(expected)
        }
        return nil
    }
}
