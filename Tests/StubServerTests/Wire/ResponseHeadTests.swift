import BankModel
import NIOCore
import Testing

@testable import BankEngine
@testable import StubServer

/// The bytes of a head.
@Suite struct ResponseHeadTests {
    private static let headers = [JournalEntry.Header("Content-Type", "text/plain"), .init("X", "ä")]

    private func head(_ tail: ResponseHead.Tail, status: Int = 200, bodyBytes: Int? = 12) -> String {
        var buffer = ByteBuffer()
        ResponseHead.write(status: status, headers: Self.headers, bodyBytes: bodyBytes, to: &buffer)
        ResponseHead.finish(tail, to: &buffer)
        return String(buffer: buffer)
    }

    @Test func `a head ends with an empty line and shows how the connection goes on`() {
        let stays = ResponseHead.Tail(date: "now", requestID: "", closes: false)
        let start = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX: ä\r\nContent-Length: 12\r\nDate: now\r\n"

        #expect(head(stays) == start + "\r\n")
        #expect(head(.init(date: "now", requestID: "", closes: true)) == start + "Connection: close\r\n\r\n")
        #expect(
            head(.init(date: "now", requestID: "", closes: false, announcesKeepAlive: true)) == start + "Connection: keep-alive\r\n\r\n")
    }

    @Test(arguments: [204, 304, 100]) func `a response without a body has no length`(status: Int) {
        #expect(!head(.init(date: "now", requestID: "", closes: false), status: status).contains("Content-Length"))
    }

    @Test func `a body without a length is chunked`() {
        #expect(head(.init(date: "now", requestID: "", closes: false), bodyBytes: nil).contains("\r\nTransfer-Encoding: chunked\r\n"))
    }
}
