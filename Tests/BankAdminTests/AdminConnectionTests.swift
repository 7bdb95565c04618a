import Dispatch
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Platform
import Testing

@testable import BankAdmin
@testable import StubServer

/// One connection of the admin API, without a socket.
@Suite struct AdminConnectionTests {
    /// The names that were noted, in order.
    private final class Notes: Sendable {
        private let names = Locked<[String]>([])

        func note(_ name: String) { names.withLock { $0.append(name) } }

        var all: [String] { names.withLock { $0 } }
    }

    /// Counts the reads that reach the socket.
    private final class Reads: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = HTTPServerResponsePart

        private let number = Locked(0)

        var count: Int { number.withLock { $0 } }

        func read(context: ChannelHandlerContext) {
            number.withLock { $0 += 1 }
            context.read()
        }
    }

    /// Something that is waited for until it comes, or the task is cancelled.
    private struct Signal: Sendable {
        private let pair = AsyncStream<Void>.makeStream()

        func send() { pair.continuation.finish() }

        func wait() async { for await _ in pair.stream {} }
    }

    private func channel(
        behind handlers: [any ChannelHandler & Sendable] = [], counting answers: DispatchGroup = DispatchGroup(),
        _ answer: @escaping @Sendable (AdminRequest) async -> AdminResponse
    ) async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.submit {
            try channel.pipeline.syncOperations.addHandlers(handlers)
            try channel.pipeline.syncOperations.addHandler(AdminConnection(answers, idle: .seconds(60), answer))
        }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return channel
    }

    private func send(
        _ line: String, _ headers: HTTPHeaders = [:], version: HTTPVersion = .http1_1, to channel: NIOAsyncTestingChannel
    ) async throws {
        let words = line.split(separator: " ").map(String.init)
        let head = HTTPRequestHead(version: version, method: HTTPMethod(rawValue: words[0]), uri: words[1], headers: headers)
        try await channel.writeInbound(HTTPServerRequestPart.head(head))
        try await channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    /// The next response: its head, and its body as a text.
    private func response(_ channel: NIOAsyncTestingChannel) async throws -> (head: HTTPResponseHead, body: String) {
        guard case .head(let head) = try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self) else {
            throw Missing.head
        }
        var body = ""
        while case .body(.byteBuffer(let piece)) = try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self) {
            body += String(buffer: piece)
        }
        return (head, body)
    }

    private enum Missing: Error { case head }

    @Test func `requests are answered one at a time, in their order`() async throws {
        let (notes, signal) = (Notes(), Signal())
        let channel = try await channel { request in
            notes.note("begins \(request.path)")
            if request.path == "/1" { await signal.wait() }
            notes.note("ends \(request.path)")
            return .text("text/plain", request.path)
        }
        for number in 1...3 { try await send("GET /\(number)", to: channel) }
        signal.send()

        var bodies: [String] = []
        for _ in 1...3 { bodies.append(try await response(channel).body) }

        #expect(bodies == ["/1", "/2", "/3"])
        #expect(notes.all == (1...3).flatMap { ["begins /\($0)", "ends /\($0)"] })
    }

    @Test func `the end waits for a call whose client is gone`() async throws {
        let (notes, begun, signal, answers) = (Notes(), Signal(), Signal(), DispatchGroup())
        let channel = try await channel(counting: answers) { _ in
            begun.send()
            await signal.wait()
            notes.note("answered")
            return .done
        }
        try await send("POST /1", to: channel)
        await begun.wait()
        try await channel.close()
        let end = Task {
            await answers.ended()
            notes.note("ended")
        }
        for _ in 1...100 { await Task.yield() }
        #expect(notes.all == [])

        signal.send()
        await end.value

        #expect(notes.all == ["answered", "ended"])
        await answers.ended()
    }

    @Test func `nothing is read while a request waits for the answer to the one before`() async throws {
        let (signal, reads) = (Signal(), Reads())
        let channel = try await channel(behind: [reads]) { _ in
            await signal.wait()
            return .done
        }
        var counts: [Int] = []
        for number in 1...2 {
            try await send("GET /\(number)", to: channel)
            let before = reads.count
            try await channel.testingEventLoop.submit { channel.pipeline.read() }.get()
            counts.append(reads.count - before)
        }
        let whileOneWaits = reads.count
        signal.send()
        _ = try await (response(channel), response(channel))

        #expect(counts == [1, 0])
        #expect(reads.count == whileOneWaits + 1)
    }

    @Test func `a client that waits for 100 Continue gets it`() async throws {
        let channel = try await channel { .text("text/plain", "\($0.body.readableBytes)") }
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: ["Expect": "100-Continue"])

        try await channel.writeInbound(HTTPServerRequestPart.head(head))
        let first = try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self)
        try await channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "12345")))
        try await channel.writeInbound(HTTPServerRequestPart.end(nil))

        #expect(first == .head(HTTPResponseHead(version: .http1_1, status: .continue)))
        #expect(try await response(channel).body == "5")
    }

    @Test func `a wait is cancelled when its client is gone, and its effect follows`() async throws {
        let (begun, ended) = (Signal(), Signal())
        let channel = try await channel { _ in
            begun.send()
            // Ends by the cancellation alone.
            await Signal().wait()
            return .accepted { ended.send() }
        }

        try await send("GET /", to: channel)
        await begun.wait()
        try await channel.close()
        await ended.wait()
    }

    @Test(arguments: [true, false])
    func `a call that changes something runs to its end, even if a side disconnects`(isClient: Bool) async throws {
        let (begun, released, ended, notes) = (Signal(), Signal(), Signal(), Notes())
        let channel = try await channel { _ in
            begun.send()
            await released.wait()
            notes.note(Task.isCancelled ? "cancelled" : "done")
            return .accepted { ended.send() }
        }

        try await send("POST /", to: channel)
        await begun.wait()
        if isClient { try await channel.close() } else { channel.pipeline.fireUserInboundEventTriggered(CloseWhenIdle()) }
        // The event loop has seen it.
        try await channel.testingEventLoop.submit {}.get()
        released.send()
        await ended.wait()

        #expect(notes.all == ["done"])
    }

    @Test(arguments: [
        (HTTPVersion.http1_1, "", String?.none), (.http1_1, "close", "close"), (.http1_0, "", "close"),
        (.http1_0, "keep-alive", "keep-alive"),
    ])
    func `a connection is kept as HTTP defines, and old clients are reported`(
        _ version: HTTPVersion, _ asked: String, _ expected: String?
    ) async throws {
        let channel = try await channel { _ in .done }

        try await send("GET /", asked.isEmpty ? [:] : ["Connection": asked], version: version, to: channel)
        let (head, _) = try await response(channel)
        if expected == "close" { try await channel.closeFuture.get() }

        #expect(head.headers.first(name: "Connection") == expected)
        #expect(channel.isActive == (expected != "close"))
        // RFC 9110 §8.6
        #expect(!head.headers.contains(name: "Content-Length"))
    }

    @Test(arguments: [
        ("GET /", HTTPVersion.http1_1, String?.none, "one two"), ("GET /", .http1_0, "close", "one two"), ("HEAD /", .http1_1, nil, ""),
    ])
    func `a body in pieces has chunks, or the end of its connection`(
        _ line: String, _ version: HTTPVersion, _ expected: String?, _ body: String
    ) async throws {
        let channel = try await channel { _ in
            .fresh("text/plain", .pieces { AnySequence(["one ", "two"].map { Array($0.utf8) }) })
        }

        try await send(line, ["Connection": "keep-alive"], version: version, to: channel)
        let sent = try await response(channel)
        if expected == "close" { try await channel.closeFuture.get() }

        #expect(!sent.head.headers.contains(name: "Content-Length"))
        #expect(sent.head.version == version)
        #expect(sent.head.headers.first(name: "Connection") == expected)
        #expect(sent.body == body)
    }

    @Test(.timeLimit(.minutes(10))) func `a body without end stops when its client is gone`() async throws {
        let ended = Signal()
        let channel = try await channel { _ in
            let pieces = AdminResponse.Body.pieces { AnySequence(sequence(first: [UInt8(ascii: "x")]) { $0 }) }
            return AdminResponse(body: pieces, effect: { ended.send() })
        }

        try await send("GET /", to: channel)
        _ = try await channel.waitForOutboundWrite(as: HTTPServerResponsePart.self)
        try await channel.close()

        await ended.wait()
    }

    @Test(arguments: [true, false])
    func `what was asked is answered before the connection ends`(byClient: Bool) async throws {
        let signal = Signal()
        let channel = try await channel { request in
            if request.path == "/1" { await signal.wait() }
            return .text("text/plain", request.path)
        }

        try await send("GET /1", to: channel)
        try await send("GET /2", to: channel)
        if byClient {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            signal.send()
        } else {
            // The server ends: what waits for a change waits no longer.
            channel.pipeline.fireUserInboundEventTriggered(CloseWhenIdle())
        }
        let bodies = [try await response(channel).body, try await response(channel).body]
        try await channel.closeFuture.get()

        #expect(bodies == ["/1", "/2"])
    }

    @Test func `an idle connection ends at once with the server`() async throws {
        let channel = try await channel { _ in .done }

        channel.pipeline.fireUserInboundEventTriggered(CloseWhenIdle())

        try await channel.closeFuture.get()
    }

    @Test(arguments: [(1, "chunked", true), (0, "chunked", false), (0, nil, true)])
    func `a request of HTTP 1.0 with a transfer coding is the last of its connection`(_ minor: Int, _ coding: String?, _ isKept: Bool) {
        var head = HTTPRequestHead(version: HTTPVersion(major: 1, minor: minor), method: .POST, uri: "/")
        head.headers.add(name: "Connection", value: "keep-alive")
        if let coding { head.headers.add(name: "Transfer-Encoding", value: coding) }

        #expect(AdminRequest(head).keepsConnection == isKept)
    }

    @Test func `a query is decoded, and a broken escape stands for itself`() {
        let request = AdminRequest(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/a%20b?x=1&y=%7B%7d&x=2&z=%zz&w&v=a=b+c?d"))

        #expect(request.path == "/a%20b")
        #expect(request.query.parameters.map(\.name) == ["x", "y", "x", "z", "w", "v"])
        #expect(request.query.parameters.map(\.value) == ["1", "{}", "2", "%zz", "", "a=b+c?d"])
        #expect(request.query.all("x") == ["1", "2"])
    }

    @Test(arguments: [
        ("GET", "/__admin/health", "getHealth"), ("HEAD", "/__admin/health/", "getHealth"), ("GET", "/__adminhealth", nil),
        ("GET", "/health", nil), ("GET", "/__admin/livez", nil), ("GET", "/livez", "getLiveness"), ("GET", "/__admin", "listCalls"),
        ("DELETE", "/__admin/sessions/a/faults/release", nil), ("DELETE", "/__admin/sessions/a/faults/b", "removeRule"),
        ("GET", "/__admin/sessions/a/journal/har", "getArchive"), ("GET", "/__admin/sessions/a/journal/7", "getExchange"),
        ("GET", "/__admin/sessions/a/journal/7/8", nil), ("PUT", "/__admin/sessions/a", "putSession"),
        ("GET", "/__admin/sessions/{session}", "getSession"),
        ("DELETE", "/__admin/sessions/a/faults", "removeRules"), ("DELETE", "/__admin/sessions/a/faults/", nil),
        ("DELETE", "/__admin/sessions/", nil), ("POST", "/__admin/sessions//reset", nil), ("GET", "/__admin/sessions//faults", nil),
        ("GET", "/__admin/sessions/a/faults/", "listRules"),
    ])
    func `a request is for the call of its method and path`(_ method: String, _ path: String, _ name: String?) {
        let match = AdminCall.match(HTTPMethod(rawValue: method), path)

        #expect(match?.call.name == name)
        // An address that has the name in braces itself is no other case.
        let session = path.contains("{session}") ? "{session}" : "a"
        #expect(match?.segments["session"] == (name != nil && path.contains("/sessions/") ? session : nil))
    }
}
