import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// Writes the status line and headers of a response.
enum ResponseHead {
    /// Writes the status line and headers without the empty line at the end, so that `Date` and the like can follow.
    ///
    /// - Parameters:
    ///   - bodyBytes: for `Content-Length`, if the status allows it. Nil if the length is not known.
    ///   - isChunked: whether a body of unknown length is chunked; if not, it ends with the connection.
    static func write(
        status: Int, headers: [JournalEntry.Header], bodyBytes: Int?, isChunked: Bool = true, to bytes: inout ByteBuffer
    ) {
        bytes.writeString(line(status))
        for header in headers { bytes.writeString("\(header.name): \(header.value)\r\n") }
        guard saysLength(status) else { return }
        if let bodyBytes {
            bytes.writeString("Content-Length: \(bodyBytes)\r\n")
        } else if isChunked {
            bytes.writeString("Transfer-Encoding: chunked\r\n")
        }
    }

    /// An interim response (1xx): a status line and headers, and never a body (RFC 9110 §15.2).
    static func interim(_ status: Int, _ headers: [JournalEntry.Header]) -> ByteBuffer {
        var bytes = ByteBuffer()
        write(status: status, headers: headers, bodyBytes: nil, to: &bytes)
        bytes.writeString("\r\n")
        return bytes
    }

    /// A chunk of a body; the last one for no bytes (RFC 9112 §7.1).
    static func chunk(_ piece: [UInt8]) -> ByteBuffer {
        var bytes = ByteBuffer(string: String(piece.count, radix: 16) + "\r\n")
        bytes.writeBytes(piece)
        bytes.writeString("\r\n")
        return bytes
    }

    /// Whether a response of this status has a `Content-Length`: not 1xx, 204 and 304 (RFC 9110 §8.6).
    static func saysLength(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// The status line.
    static func line(_ status: Int) -> String { "HTTP/1.1 \(status) \(HTTPResponseStatus(statusCode: status).reasonPhrase)\r\n" }

    /// Writes the rest of the head: the headers that differ from response to response, and the empty line.
    static func finish(_ tail: Tail, to bytes: inout ByteBuffer) {
        bytes.writeString("Date: \(tail.date)\r\n")
        if let name = tail.requestIDName { bytes.writeString("\(name): \(tail.requestID)\r\n") }
        if let origin = tail.allowedOrigin { bytes.writeString("Access-Control-Allow-Origin: \(origin)\r\nVary: Origin\r\n") }
        if tail.closes || tail.announcesKeepAlive { bytes.writeString("Connection: \(tail.closes ? "close" : "keep-alive")\r\n") }
        bytes.writeString("\r\n")
    }

    /// The headers that differ from response to response.
    struct Tail {
        var date: String
        /// The dialect's header for a request's id; nil if it has none.
        var requestIDName: String?
        var requestID: String
        /// `Access-Control-Allow-Origin`, where CORS is on.
        var allowedOrigin: String?
        var closes: Bool
        /// Sends `Connection: keep-alive`, which clients of HTTP/1.0 need.
        var announcesKeepAlive = false
    }
}
