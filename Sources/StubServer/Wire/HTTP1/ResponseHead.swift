import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// Writes the status line and headers of a reply.
enum ResponseHead {
    /// Writes the status line and headers without the empty line at the end, so that `Date` and the like can follow.
    ///
    /// - Parameter bodyBytes: for `Content-Length`, if the status allows it. Nil if the body is chunked.
    static func write(status: Int, headers: [JournalEntry.Header], bodyBytes: Int?, to bytes: inout some HeadBytes) {
        bytes.add(line(status))
        for header in headers {
            bytes.add(header.name)
            bytes.add(": ")
            bytes.add(header.value)
            bytes.add("\r\n")
        }
        guard saysLength(status) else { return }
        guard let bodyBytes else {
            bytes.add("Transfer-Encoding: chunked\r\n")
            return
        }
        bytes.add("Content-Length: ")
        bytes.add(String(bodyBytes))
        bytes.add("\r\n")
    }

    /// An interim reply (1xx): a status line and headers, and never a body (RFC 9110 §15.2).
    static func interim(_ status: Int, _ headers: [JournalEntry.Header]) -> ByteBuffer {
        var bytes = ByteBuffer()
        write(status: status, headers: headers, bodyBytes: nil, to: &bytes)
        bytes.add("\r\n")
        return bytes
    }

    /// Whether a reply of this status has a `Content-Length`: not 1xx, 204 and 304 (RFC 9110 §8.6).
    static func saysLength(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// The status line; those of 100 to 599 are rendered once.
    static func line(_ status: Int) -> String { lines[status] ?? newLine(status) }

    private static let lines = Dictionary(uniqueKeysWithValues: (100...599).map { ($0, newLine($0)) })

    private static func newLine(_ status: Int) -> String {
        "HTTP/1.1 \(status) \(HTTPResponseStatus(statusCode: status).reasonPhrase)\r\n"
    }

    /// Writes the rest of the head: the headers that differ from reply to reply, and the empty line.
    static func finish(_ tail: Tail, to bytes: inout some HeadBytes) {
        bytes.add("Date: ")
        bytes.add(tail.date)
        if let name = tail.requestIDName {
            bytes.add("\r\n")
            bytes.add(name)
            bytes.add(": ")
            bytes.add(tail.requestID)
        }
        if let origin = tail.allowedOrigin {
            bytes.add("\r\nAccess-Control-Allow-Origin: \(origin)\r\nVary: Origin")
        }
        bytes.add(
            tail.closes
                ? "\r\nConnection: close\r\n\r\n" : tail.tellsThatItIsKept ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\n\r\n")
    }

    /// The headers that differ from reply to reply.
    struct Tail {
        var date: String
        /// The dialect's header for a request's id; nil if it has none.
        var requestIDName: String?
        var requestID: String
        /// `Access-Control-Allow-Origin`, where CORS is on.
        var allowedOrigin: String?
        var closes: Bool
        /// Says `Connection: keep-alive`, which clients of HTTP/1.0 need.
        var tellsThatItIsKept = false
    }
}

/// The destination of a rendered head.
protocol HeadBytes {
    mutating func add(_ text: String)
}

extension ByteBuffer: HeadBytes {
    mutating func add(_ text: String) { writeString(text) }
}

extension [UInt8]: HeadBytes {
    mutating func add(_ text: String) { append(contentsOf: text.utf8) }
}

/// Renders the heads of HTTP/1.1 for replies that are written at once.
struct HTTP1Renderer: ReplyRenderer {
    func beginning(status: Int, headers: [JournalEntry.Header], bodyBytes: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        ResponseHead.write(status: status, headers: headers, bodyBytes: bodyBytes, to: &bytes)
        return bytes
    }

    func rest(_ tail: ReplyTail) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        ResponseHead.finish(
            .init(
                date: tail.date, requestIDName: tail.requestIDName, requestID: tail.requestID, allowedOrigin: tail.allowedOrigin,
                closes: false), to: &bytes)
        return bytes
    }
}
