import BankEngine
import BankModel
import NIOCore
import NIOEmbedded
import Platform
import TestBanks
import Testing
import TestServer

@testable import BankCore
@testable import StubServer

/// One attempt to send a webhook to a receiver that behaves badly.
@Suite struct WebhookPostTests {
    /// A message to a path of the test's own server.
    ///
    /// - Parameter host: the name of that server.
    private func message(_ admin: Admin, _ path: String, host: String = "127.0.0.1", isSlow: Bool = false) -> WebhookMessage {
        let origin = admin.stub.server.address.replacing("127.0.0.1", with: host)
        return WebhookMessage(
            delivery: 0, event: "evt_1", url: "\(origin)\(path)", header: "Counterfoil-Signature", signature: "t=1,v1=00",
            body: Array("{}".utf8), isSlow: isSlow)
    }

    /// A host name whose address changes.
    private final class MovingName: Sendable {
        private let addresses: [String]
        private let looks = Locked(0)

        /// - Parameter addresses: one for each lookup; the last for all later ones.
        init(_ addresses: String...) { self.addresses = addresses }

        /// How often it was looked up.
        var count: Int { looks.withLock { $0 } }

        func address(port: Int) throws -> SocketAddress {
            let number = looks.withLock { looks in
                looks += 1
                return looks - 1
            }
            return try SocketAddress(ipAddress: addresses[min(number, addresses.count - 1)], port: port)
        }
    }

    private func post(_ name: MovingName) -> WebhookPost {
        var post = WebhookPost(hosts: WebhookHosts(named: ["hooks.test"]))
        post.lookup = { _, port in try name.address(port: port) }
        return post
    }

    @Test func `a receiver that sends no response has got the message, and is too slow`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let set = try await admin.call("POST /sessions/till/faults", #"{"fault": "hang", "on": {"path": "/v1/hook"}}"#)
            try #require(set.status == 201, "\(set.text)")
            var post = WebhookPost(hosts: WebhookHosts())
            post.limits.silence = .milliseconds(50)

            let outcome = await post.send(message(admin, "/v1/hook"))

            #expect(outcome == .silent)
        }
    }

    @Test func `what is wrong with an open connection is not called a failure to connect`() {
        struct Unsolicited: Error {}
        #expect(ProviderFailure(ofOpen: Unsolicited()) == .malformed("Unsolicited()"))
        #expect(ProviderFailure(ofOpen: IOError(errnoCode: 32, reason: "write")) == .cut(isReset: false))
        #expect(ProviderFailure(ChannelPipelineError.notFound) == .cut(isReset: false))
    }

    @Test func `who reads from an open connection gets its error as that of an open one`() throws {
        struct Unsolicited: Error {}
        let channel = EmbeddedChannel(handler: ProviderExchange())
        let exchange = try channel.pipeline.syncOperations.handler(type: ProviderExchange.self)
        channel.pipeline.fireErrorCaught(Unsolicited())

        let part = try exchange.next(within: .seconds(1), on: channel.embeddedEventLoop).wait()

        guard case .failed(.malformed("Unsolicited()"))? = part else {
            Issue.record("found \(String(describing: part)), expected a malformed response")
            return
        }
    }

    @Test(arguments: ["169.254.169.254", "192.0.2.1"])
    func `a name is looked up once, and a second address is not connected to`(_ second: String) async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let name = MovingName("127.0.0.1", second)

            let outcome = await post(name).send(message(admin, "/v1/hook", host: "hooks.test"))

            #expect(outcome == .status(204))
            #expect(name.count == 1)
            let journal = try await admin.call("GET /sessions/till/journal").json
            #expect(journal["entries"]?.array?.count == 1)
        }
    }

    @Test func `a name is checked again at each attempt`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let name = MovingName("169.254.169.254", "127.0.0.1", "fe80::1")
            let sent = message(admin, "/v1/hook", host: "hooks.test")

            let (first, second, third) = await (post(name).send(sent), post(name).send(sent), post(name).send(sent))

            #expect(first == .failed("cannot connect: hooks.test is 169.254.169.254, to which nothing is sent"))
            #expect(second == .status(204))
            #expect(third == .failed("cannot connect: hooks.test is fe80::1, to which nothing is sent"))
            let journal = try await admin.call("GET /sessions/till/journal").json
            #expect(journal["entries"]?.array?.count == 1)
        }
    }

    @Test func `localhost that leads to another machine is not followed`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            var post = WebhookPost(hosts: WebhookHosts())
            post.lookup = { _, port in try SocketAddress(ipAddress: "192.0.2.1", port: port) }

            let outcome = await post.send(message(admin, "/v1/hook", host: "localhost"))

            #expect(outcome == .failed("cannot connect: localhost is 192.0.2.1 and not this machine"))
        }
    }

    @Test(arguments: [200, 413])
    func `a response counts although the body is still being sent`(_ status: Int) async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let rule = #"{"fault": {"early-reply": {"status": \#(status), "then": "drain"}}, "on": {"path": "/v1/hook"}}"#
            let set = try await admin.call("POST /sessions/till/faults", rule)
            try #require(set.status == 201, "\(set.text)")

            let outcome = await WebhookPost(hosts: WebhookHosts()).send(message(admin, "/v1/hook", isSlow: true))

            #expect(outcome == .status(status))
        }
    }

    @Test func `of a response of ten megabytes the status counts`() async throws {
        var files = TestFiles.withWebhooks.replacing(
            "till/bank.yaml", "  hook: {request", with: "  big: {request: POST /big, open: true, reply: {file: big.txt}}\n  hook: {request")
        files.files["till/big.txt"] = String(repeating: "a", count: 10_000_000)
        try await withAdmin(files: files) { admin in
            let outcome = await WebhookPost(hosts: WebhookHosts()).send(message(admin, "/v1/big"))

            #expect(outcome == .status(200))
        }
    }
}
