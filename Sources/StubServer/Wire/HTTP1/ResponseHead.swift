import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

/// Writes the status line and headers of a reply.
enum ResponseHead {
    /// Status line and headers without the empty line at the end, so that `Date` and the like can follow.
    ///
    /// - Parameter bodyBytes: for `Content-Length`; not sent with 1xx, 204 and 304 (RFC 9110 §8.6). Nil: the body is chunked.
    static func write(status: Int, headers: [JournalEntry.Header], bodyBytes: Int?, to buffer: inout ByteBuffer) {
        buffer.writeString(line(status))
        for header in headers {
            buffer.writeString(header.name)
            buffer.writeStaticString(": ")
            buffer.writeString(header.value)
            buffer.writeStaticString("\r\n")
        }
        guard saysLength(status) else { return }
        guard let bodyBytes else {
            buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
            return
        }
        buffer.writeStaticString("Content-Length: ")
        buffer.writeString(String(bodyBytes))
        buffer.writeStaticString("\r\n")
    }

    private static func saysLength(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    /// The status line: of a status that HTTP has, put together once.
    static func line(_ status: Int) -> String { lines[status] ?? newLine(status) }

    private static let lines = Dictionary(uniqueKeysWithValues: (100...599).map { ($0, newLine($0)) })

    private static func newLine(_ status: Int) -> String {
        "HTTP/1.1 \(status) \(HTTPResponseStatus(statusCode: status).reasonPhrase)\r\n"
    }

    /// The rest of the head: what differs from reply to reply, and the empty line.
    static func finish(_ tail: Tail, to buffer: inout ByteBuffer) {
        buffer.writeStaticString("Date: ")
        buffer.writeString(tail.date)
        if let name = tail.requestIDName {
            buffer.writeStaticString("\r\n")
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.writeString(tail.requestID)
        }
        if let origin = tail.allowedOrigin {
            buffer.writeString("\r\nAccess-Control-Allow-Origin: \(origin)\r\nVary: Origin")
        }
        buffer.writeStaticString(
            tail.closes
                ? "\r\nConnection: close\r\n\r\n" : tail.tellsThatItIsKept ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\n\r\n")
    }

    /// What differs from reply to reply; `Date` is 29 characters long (RFC 9110 §5.6.7).
    struct Tail {
        var date: String
        /// The dialect's header for a request's id; nil: none.
        var requestIDName: String?
        var requestID: String
        /// `Access-Control-Allow-Origin`, where CORS is on.
        var allowedOrigin: String?
        var closes: Bool
        /// The connection stays, and the client would not know (HTTP/1.0).
        var tellsThatItIsKept = false
    }
}

/// Renders the heads of HTTP/1.1 for replies that are written at once.
struct HTTP1Renderer: ReplyRenderer {
    func beginning(status: Int, headers: [JournalEntry.Header], bodyBytes: Int) -> [UInt8] {
        var bytes = ByteBuffer()
        ResponseHead.write(status: status, headers: headers, bodyBytes: bodyBytes, to: &bytes)
        return Array(bytes.readableBytesView)
    }

    func rest(_ tail: ReplyTail) -> [UInt8] {
        var bytes = ByteBuffer()
        ResponseHead.finish(
            .init(
                date: tail.date, requestIDName: tail.requestIDName, requestID: tail.requestID, allowedOrigin: tail.allowedOrigin,
                closes: false), to: &bytes)
        return Array(bytes.readableBytesView)
    }
}
