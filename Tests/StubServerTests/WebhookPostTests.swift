import BankEngine
import BankModel
import NIOCore
import TestBanks
import TestServer
import Testing

@testable import BankCore
@testable import StubServer

/// One attempt to send a webhook to a receiver that behaves badly.
@Suite struct WebhookPostTests {
    /// A message to a path of the test's own server.
    private func message(_ admin: Admin, _ path: String) -> WebhookMessage {
        WebhookMessage(
            delivery: 0, event: "evt_1", url: "\(admin.stub.server.address)\(path)", header: "Counterfoil-Signature",
            signature: "t=1,v1=00",
            body: Array("{}".utf8), isSlow: false)
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
