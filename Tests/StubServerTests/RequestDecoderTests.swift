import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BankEngine
@testable import StubServer

/// Requests are decoded wherever the bytes are cut.
@Suite struct RequestDecoderTests {
    /// Follows a decoder and records its parts.
    private final class Noted: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        let decoder: RequestDecoder
        private(set) var words = ""

        init(_ decoder: RequestDecoder) { self.decoder = decoder }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = unwrapInboundIn(data)
            decoder.saw(part)
            switch part {
            case .head(let head): words += "\(head.method) \(head.uri) "
            case .body(let bytes): words += String(buffer: bytes)
            case .end(let trailers): words += trailers.map { "\($0.count)" } ?? "" + ";"
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { words += "!" }
    }

    /// Decodes pieces that arrive one after the other.
    private func parts(_ pieces: [[UInt8]]) throws -> (words: String, half: Int) {
        let decoder = RequestDecoder(WireLimits.decoder)
        let noted = Noted(decoder)
        let channel = EmbeddedChannel(handlers: [ByteToMessageHandler(decoder), noted])
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        let half = decoder.incompleteBytes
        _ = try channel.finish(acceptAlreadyClosed: true)
        return (noted.words, half)
    }

    private static let upgrade = "Host: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n"

    private static let streams = [
        "GET /a HTTP/1.1\r\n\(upgrade)\r\n",
        "POST /b HTTP/1.1\r\n\(upgrade)Content-Length: 6\r\n\r\nab\r\n\r\n",
        "POST /c HTTP/1.1\r\n\(upgrade)Transfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n1;x=\"y\"\r\nz\r\n0\r\nX: y\r\n\r\n",
        "\r\nGET /d HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
        "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "POST /f HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
    ]

    @Test func `requests are numbered`() throws {
        var numbers: [Int] = []
        let decoder = RequestDecoder(WireLimits.decoder)
        let channel = EmbeddedChannel(handlers: [ByteToMessageHandler(decoder), Noted(decoder)])
        for text in Self.streams {
            try channel.writeInbound(ByteBuffer(string: text))
            numbers.append(decoder.requestNumber)
        }
        _ = try channel.finish(acceptAlreadyClosed: true)

        #expect(numbers == Array(1...Self.streams.count))
    }

    @Test func `every request is found wherever the bytes are cut`() throws {
        let bytes = Array((Self.streams + Self.streams.reversed()).joined().utf8)
        let expected = "GET /a ;POST /b ab\r\n\r\n;POST /c \r\n\r\nz1GET /d ;POST /e abc;POST /f ab;"
        let reversed = "POST /f ab;POST /e abc;GET /d ;POST /c \r\n\r\nz1POST /b ab\r\n\r\n;GET /a ;"

        let cuts = bytes.indices.map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
        for pieces in [[bytes], bytes.map { [$0] }] + cuts {
            let found = try parts(pieces)
            #expect(found == (expected + reversed, 0), "first \(pieces[0].count) bytes")
        }
    }

    @Test func `bytes of a half request are counted until it has ended`() throws {
        let post = Array(Self.streams[4].utf8)

        for count in 1..<post.count { #expect(try parts([Array(post[..<count])]).half == count) }
        #expect(try parts([post, post, Array(post[..<7])]).half == 7)
    }

    @Test(arguments: [
        "Connection: Upgrade", "Connection: upgrade ", "Connection:upgrade,x", "Connection: x,\tupgrade", "Connection: xupgrade",
        "Connection: upgrade;q=1", "Connection: upgrade\t", "X: y",
    ])
    func `the connection header does not matter`(line: String) throws {
        let asking = "GET /a HTTP/1.1\r\nHost: a\r\n\(line)\r\nUpgrade: h2c\r\n\r\n"

        let found = try parts([Array((asking + asking + Self.streams[4]).utf8)]).words

        #expect(found == "GET /a ;GET /a ;POST /e abc;")
    }
}
