import BankModel
import NIOCore
import NIOEmbedded
import Platform
import StubServer
import Testing
import TestServer

@testable import BankEngine

/// Requests that the admin API accepts, and those it rejects.
@Suite struct AdminRequestTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let head: String
        let status: Int
        var testDescription: String { "\(head) \(status)" }

        init(_ head: String, _ status: Int) {
            self.head = head
            self.status = status
        }
    }

    /// An embedded channel cannot shut down one side: what would be a FIN leaves it open.
    private final class HalfClosing: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if case .output = mode { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
        }
    }

    private static let long = String(repeating: "x", count: 1_100_000)

    static let rows: [Row] = [
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1:8081", 200),
        Row("GET /__admin/health HTTP/1.1\r\nHost: [::1]:8081", 200),
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example", 400),
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1", 400),
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1:evil", 403),
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1:80:80", 403),
        Row("GET /__admin/health HTTP/1.1\r\nHost: [::1]evil", 403),
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1@evil.example", 403),
        Row("GET http://evil.example/__admin/health HTTP/1.1\r\nHost: 127.0.0.1", 403),
        Row("GET http://127.0.0.1:8081/__admin/health HTTP/1.1\r\nHost: evil.example", 200),
        Row("GET http://127.0.0.1@evil.example/__admin/health HTTP/1.1\r\nHost: 127.0.0.1", 403),
        Row("GET  /__admin/health HTTP/1.1\r\nHost: 127.0.0.1", 400),
        Row("CONNECT /__admin/health HTTP/1.1\r\nHost: 127.0.0.1", 400), Row("nothing of HTTP", 400),
        Row("GET /__admin/health HTTP/7.1\r\nHost: 127.0.0.1", 505),
        Row("GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + String(repeating: "x", count: 40_000), 431),
        Row("POST /__admin/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked", 501),
        Row("POST /__admin/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9223372036854775808", 413),
        Row("POST /__admin/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1100000\r\n\r\n\(long)", 413),
        Row(
            "POST /__admin/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n10c8e0\r\n\(long)\r\n0", 413),
    ]

    @Test(arguments: rows) func `it is answered with its status`(row: Row) async throws {
        try await withAdmin { admin in
            let responses = await admin.responses(to: [row.head + "\r\n\r\n"])

            #expect(responses.map(\.status) == [row.status])
            #expect(row.status == 200 || responses.first?.json["detail"]?.string?.isEmpty == false)
        }
    }

    /// Some of them are accepted while the port is being shut.
    @Test func `a server that ends while clients connect does not crash`() async throws {
        for _ in 1...20 {
            var clients: [RawClient] = []
            try await withAdmin { admin in
                for _ in 1...64 { clients.append(try RawClient(port: admin.port)) }
            }
            #expect(clients.count == 64)
        }
    }

    @Test func `a call that waits is answered when the server ends`() async throws {
        var waiting: Task<[RawResponse], Never>?
        try await withAdmin { admin in
            let till = try admin.stub.till
            let path = "/__admin/sessions/till/journal?revision=\(till.journalRevision)&wait=25s"
            waiting = Task { await admin.responses(to: ["GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]) }
            while till.inner.withLock({ $0.watchers.isEmpty }) { await Task.yield() }
        }

        #expect(await waiting?.value.map(\.status) == [200])
    }

    @Test func `a rejected connection is drained for the configured time`() throws {
        var configuration = ServerConfiguration(seed: 1)
        configuration.drain = .milliseconds(50)
        let channel = EmbeddedChannel(handlers: [HalfClosing()] + AdminRequests.handlers(configuration))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()

        try channel.writeInbound(ByteBuffer(string: "GET  / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))

        channel.embeddedEventLoop.advanceTime(by: .milliseconds(49))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `a rejection waits for the answers before it`() async throws {
        try await withAdmin { admin in
            let get = "GET /__admin/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

            let responses = await admin.responses(to: [get + get + "GET  / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "", ""])

            #expect(responses.map(\.status) == [200, 200, 400])
        }
    }

    @Test(arguments: [("Bearer", 200), ("bearer", 200), ("BEARER", 200), ("Basic", 401), ("Bearers", 401)])
    func `the scheme's letters may be small`(scheme: String, status: Int) async throws {
        try await withAdmin(token: "t") { admin in
            let right = try await admin.call("GET /sessions", headers: ["Authorization: \(scheme) t"])
            let wrong = try await admin.call("GET /sessions", headers: ["Authorization: \(scheme) u"])

            #expect(right.status == status)
            #expect(wrong.status == 401)
        }
    }

    @Test func `a session under TLS is rejected by a server without`() async throws {
        try await withAdmin { admin in
            let response = try await admin.call("POST /sessions", #"{"bank": "till", "listen": "tls"}"#)

            #expect(response.status == 422)
            #expect(response.json["detail"]?.string?.contains("--tls") == true)
        }
    }
}
