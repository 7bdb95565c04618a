import BankModel
import Foundation
import Testing

@testable import BankClient

/// The client's receiver of webhooks: signatures, copies, order, and what survives the end of the process.
@Suite struct WebhookReceiverTests {
    /// The signature of `{"id":"evt_1"}` at 1700000000 with the secret `whsec_test`, by Python's hmac.
    private static let signed = (
        header: "t=1700000000,v1=c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925", body: Array(#"{"id":"evt_1"}"#.utf8)
    )

    @Test(arguments: [
        (0, "whsec_test", true), (299, "whsec_test", true), (-299, "whsec_test", true), (301, "whsec_test", false),
        (-301, "whsec_test", false), (0, "whsec_other", false),
    ])
    func `a signature is checked with its time`(after: Int64, secret: String, isGenuine: Bool) {
        let now = Instant(seconds: 1_700_000_000 + after)
        #expect(WebhookCode(Self.signed.header).isGenuine(Self.signed.body, secret: secret, now: now) == isGenuine)
    }

    @Test(arguments: [
        "", "t=1700000000", "v1=00", "t=x,v1=00", "t=1700000000,v1=zz", "t=9223372036854775807,v1=00", "t=1700000000,v2=CODE",
    ])
    func `a header without a valid code is rejected`(header: String) {
        let header = header.replacing("CODE", with: Self.signed.header.dropFirst("t=1700000000,v1=".count))
        #expect(!WebhookCode(header).isGenuine(Self.signed.body, secret: "whsec_test", now: Instant(seconds: 1_700_000_000)))
    }

    @Test func `one of two codes is enough, and another body is rejected`() {
        let rotated = Self.signed.header.replacing("v1=", with: "v1=00,v1=")
        let now = Instant(seconds: 1_700_000_000)
        #expect(WebhookCode(rotated).isGenuine(Self.signed.body, secret: "whsec_test", now: now))
        #expect(!WebhookCode(rotated).isGenuine(Self.signed.body + [0x20], secret: "whsec_test", now: now))
    }

    // MARK: what it acts on

    private func receiver(in folder: URL, _ change: (inout ReceiverRules) -> Void = { _ in }) -> WebhookReceiver {
        var parts = ReceiverParts(file: folder.appending(path: "webhooks.jsonl").path)
        parts.rules.isGenuine = { signature, _, secret, _ in signature == secret }
        change(&parts.rules)
        return WebhookReceiver(parts, clock: SystemClock())
    }

    private func event(_ id: String, _ type: String = "payment.settled", state: String = "settled", created: Int = 1) -> [UInt8] {
        Array(
            #"{"id":"\#(id)","type":"\#(type)","created":\#(created),"data":{"object":{"id":"pay-1","state":"\#(state)","amount":"90071992547409.93"}}}"#
                .utf8)
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "receiver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `an event is acted on once, and an unknown type not at all`() throws {
        try inFolder { folder in
            let receiver = receiver(in: folder)
            let address = try receiver.report(secret: nil, isHeld: false).address
            #expect(address.hasPrefix("http://127.0.0.1:") && address.hasSuffix("/hook"))
            #expect(receiver.status("s", event("e1")) == 400, "it has no secret yet")
            _ = try receiver.report(secret: "s", isHeld: false)
            #expect(receiver.status("other", event("e1")) == 400)
            #expect(receiver.status("s", Array("{".utf8)) == 400)
            #expect(receiver.status("s", event("e1")) == 204)
            #expect(receiver.status("s", event("e1")) == 204)
            #expect(receiver.status("s", event("e2", "payment.reviewed")) == 204)
            let report = try receiver.report(secret: nil, isHeld: false)
            #expect(report.events.map(\.id) == ["e1"])
            #expect(report.events.first?.amount == "90071992547409.93")
        }
    }

    @Test func `the newest event counts, not the last that came`() throws {
        try inFolder { folder in
            let receiver = receiver(in: folder)
            _ = try receiver.report(secret: "s", isHeld: false)
            #expect(receiver.status("s", event("e2", "payment.returned", state: "returned", created: 2)) == 204)
            #expect(receiver.status("s", event("e1", created: 1)) == 204)
            #expect(try receiver.report(secret: nil, isHeld: false).payments == [.init(id: "pay-1", state: "returned")])
        }
    }

    @Test func `what was answered is acted on after a restart, even if it was not before`() throws {
        try inFolder { folder in
            let before = receiver(in: folder)
            _ = try before.report(secret: "s", isHeld: true)
            #expect(before.status("s", event("e1")) == 204)
            #expect(try before.report(secret: nil, isHeld: true).events.isEmpty)
            // A kill in the middle of the next one leaves a part of it.
            let file = try FileHandle(forWritingTo: folder.appending(path: "webhooks.jsonl"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("\n{\"id\":\"e2".utf8))
            try file.close()
            let after = receiver(in: folder)
            #expect(try after.report(secret: "s", isHeld: false).events.map(\.id) == ["e1"])
            #expect(after.status("s", event("e1")) == 204)
            #expect(after.status("s", event("e3")) == 204)
            #expect(try after.report(secret: nil, isHeld: false).events.map(\.id) == ["e1", "e3"])
            #expect(try receiver(in: folder).report(secret: nil, isHeld: false).events.map(\.id) == ["e1", "e3"])
        }
    }

    @Test func `an event that cannot be stored is not answered with 2xx`() throws {
        try inFolder { folder in
            let receiver = receiver(in: folder)
            _ = try receiver.report(secret: "s", isHeld: false)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "webhooks.jsonl"), withIntermediateDirectories: false)
            #expect(receiver.status("s", event("e1")) == 503)
            #expect(try receiver.report(secret: nil, isHeld: false).events.isEmpty)
        }
    }
}
