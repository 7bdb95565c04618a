import BankCore
import BankEngine
import BankModel
import Foundation
import NIOCore
import TestBanks
import Testing
import TestServer

@testable import StubServer

/// Webhooks on the wire: the bank of the test receives its own.
@Suite struct WebhookDeliveryTests {
    private static let salary = #"{"event": "payment-in", "account": "a1", "amount": "5.00"}"#

    /// Registers the bank's own operation, and makes the given number of events happen.
    private func register(_ admin: Admin, events: Int = 0, path: String = "/v1/hook") async throws {
        let made = try await admin.call("POST /sessions/till/webhooks", #"{"url": "\#(admin.stub.server.address)\#(path)"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json["id"] == "webhook-1")
        #expect(made.json["secret"]?.string?.hasPrefix("whsec_") == true)
        for _ in 0..<events { _ = try await admin.call("POST /sessions/till/events", Self.salary) }
    }

    /// The deliveries, once all of them have ended, or as they are after five minutes.
    private func ended(_ session: BankSession, attempts: Int = 1) async -> [Delivery] {
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            let deliveries = session.webhooks.deliveries
            if !deliveries.isEmpty, deliveries.allSatisfy({ $0.next == nil || $0.attempts.count >= attempts }) { return deliveries }
            await Task.yield()
        }
        return session.webhooks.deliveries
    }

    @Test func `an event is sent once, signed, with its id`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            try await register(admin, events: 3)
            let deliveries = await ended(try admin.stub.till)
            #expect(deliveries.map(\.state) == [.delivered, .delivered, .delivered])
            #expect(deliveries.map { $0.attempts.map(\.status) } == [[204], [204], [204]])
            let entries = try await admin.call("GET /sessions/till/journal").json["entries"]?.array ?? []
            #expect(entries.count == 3)
            let bodies = entries.compactMap { $0["request_body"]?.string }
            for delivery in deliveries { #expect(bodies.contains { $0.contains(delivery.event.id) }) }
            #expect("\(entries[0]["request_headers"] ?? .null)".contains("Counterfoil-Signature"))
        }
    }

    @Test func `a webhook cannot control the server`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let hook = #"{"url": "http://127.0.0.1:\#(admin.port)/__admin/sessions/till/reset"}"#
            #expect(try await admin.call("POST /sessions/till/webhooks", hook).status == 201)
            _ = try await admin.call("POST /sessions/till/events", Self.salary)

            let deliveries = await ended(try admin.stub.till)

            #expect(deliveries.map { $0.attempts.map(\.status) } == [[403]])
            #expect(try admin.stub.till.ledger.movements.count == 1)
        }
    }

    @Test func `a JWT is sent as such, without a signature in a header`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let hook = #"{"url": "\#(admin.stub.server.address)/v1/hook", "sign": "jwt"}"#
            let made = try await admin.call("POST /sessions/till/webhooks", hook)
            #expect(made.status == 201, "\(made.text)")
            _ = try await admin.call("POST /sessions/till/events", Self.salary)
            let delivery = try #require(await ended(try admin.stub.till).first)
            #expect(delivery.state == .delivered)
            let entries = try await admin.call("GET /sessions/till/journal").json["entries"]?.array ?? []
            let headers = "\(entries.first?["request_headers"] ?? .null)"
            #expect(headers.contains("application/jwt"))
            #expect(!headers.contains("Counterfoil-Signature"))
            let token = try #require(JSONWebToken(entries.first?["request_body"]?.string ?? ""))
            #expect(token.claims["id"] == .string(delivery.event.id))
        }
    }

    @Test func `a failed delivery is tried again when the clock has come that far`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            _ = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen"}"#)
            let rule = #"{"fault": {"status": {"status": 500}}, "on": {"path": "/v1/hook"}, "times": 2}"#
            let set = try await admin.call("POST /sessions/till/faults", rule)
            #expect(set.status == 201, "\(set.text)")
            try await register(admin, events: 1)
            _ = await ended(try admin.stub.till)
            #expect(try await admin.call("POST /sessions/till/clock/advance", #"{"by": "5s"}"#).status == 200)
            _ = await ended(try admin.stub.till, attempts: 2)
            #expect(try await admin.call("POST /sessions/till/clock/advance", #"{"by": "3d"}"#).status == 200)
            let delivery = try #require(await ended(try admin.stub.till, attempts: 3).first)
            #expect(delivery.attempts.map(\.status) == [500, 500, 204])
            #expect(delivery.state == .delivered)
            let entries = try await admin.call("GET /sessions/till/journal").json["entries"]?.array ?? []
            #expect(Set(entries.compactMap { $0["request_body"]?.string }).count == 1, "each attempt has the same body")
        }
    }

    @Test func `a delivery is tried again without a request, although a later one about its payment waits`() async throws {
        let files = TestFiles.withWebhooks.replacing("till/bank.yaml", "retries: [5s, 5m, 1h]", with: "retries: [50ms, 5m, 1h]")
        try await withAdmin(files: files) { admin in
            _ = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen"}"#)
            let rule = #"{"fault": {"status": {"status": 500}}, "on": {"path": "/v1/hook"}, "times": 1}"#
            try #require(try await admin.call("POST /sessions/till/faults", rule).status == 201)
            try await register(admin)
            let debit = #"{"event": "direct-debit", "account": "a1", "amount": "5.00"}"#
            try #require(try await admin.call("POST /sessions/till/events", debit).status == 201)
            _ = await ended(try admin.stub.till)
            try #require(try await admin.call("POST /sessions/till/events", #"{"event": "payment-returns"}"#).status == 201)
            #expect(try await admin.call("PUT /sessions/till/clock", #"{"mode": "running"}"#).status == 200)
            let deliveries = await ended(try admin.stub.till, attempts: 9)
            #expect(deliveries.first?.attempts.map(\.status) == [500, 204])
            #expect(deliveries.allSatisfy { $0.state == .delivered })
        }
    }

    @Test func `a payment that settles once more after a restore is delivered without a request`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let hook = #"{"url": "\#(admin.stub.server.address)/v1/hook", "events": ["payment.settled"]}"#
            try #require(try await admin.call("POST /sessions/till/webhooks", hook).status == 201)
            try #require(try await admin.stub.ask(payment(key: "k1", token: try admin.stub.token())).status == 201)
            #expect(try await admin.call("POST /sessions/till/snapshot").status == 204)
            #expect(try await admin.call("POST /sessions/till/clock/advance", #"{"by": "1m"}"#).status == 200)
            _ = await ended(try admin.stub.till)

            #expect(try await admin.call("POST /sessions/till/restore").status == 204)

            let deliveries = await ended(try admin.stub.till)
            #expect(deliveries.map(\.state) == [.delivered, .delivered])
        }
    }

    @Test func `a scheduled event is delivered at its time without a request`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            try await register(admin)
            let later = #"{"in": "50ms", "event": "payment-in", "account": "a1", "amount": "5.00"}"#
            let made = try await admin.call("POST /sessions/till/schedule", later)
            #expect(made.status == 201, "\(made.text)")
            let delivery = try #require(await ended(try admin.stub.till).first)
            #expect(delivery.state == .delivered)
        }
    }

    @Test(arguments: ["reset", "close", "garbage"])
    func `a receiver that does not answer is reported, and the bank goes on`(_ fault: String) async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            _ = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen"}"#)
            let set = try await admin.call("POST /sessions/till/faults", #"{"fault": "\#(fault)", "on": {"path": "/v1/hook"}}"#)
            try #require(set.status == 201, "\(set.text)")
            try await register(admin, events: 1)
            let delivery = try #require(await ended(try admin.stub.till).first)
            #expect(delivery.attempts.first?.failure != nil)
            #expect(delivery.state == .waiting)
        }
    }

    @Test func `a redirect is a failure and is not followed`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            _ = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen"}"#)
            let rule = #"{"fault": {"redirect": {"to": "loop"}}, "on": {"path": "/v1/hook"}}"#
            try #require(try await admin.call("POST /sessions/till/faults", rule).status == 201)
            try await register(admin, events: 1)
            let delivery = try #require(await ended(try admin.stub.till).first)
            #expect(delivery.attempts.first?.status.map { (300..<400).contains($0) } == true)
            #expect(delivery.state == .waiting)
            #expect(try await admin.call("GET /sessions/till/journal").json["entries"]?.array?.count == 1)
        }
    }

    @Test func `deliveries wait in the state file and are sent after a restart`() async throws {
        let file = NSTemporaryDirectory() + "counterfoil-webhooks-\(UUID().uuidString).sqlite"
        defer { for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: file + ending) } }
        var event: String?
        try await withAdmin(files: TestFiles.withWebhooks, configure: { $0.keep(in: file) }) { admin in
            _ = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen"}"#)
            // Nobody listens there.
            _ = try await admin.call("POST /sessions/till/webhooks", #"{"url": "http://127.0.0.1:1/hook"}"#)
            _ = try await admin.call("POST /sessions/till/events", Self.salary)
            let delivery = try #require(await ended(try admin.stub.till).first)
            #expect(delivery.attempts.first?.failure?.contains("cannot connect") == true)
            event = delivery.event.id
        }
        try await withAdmin(files: TestFiles.withWebhooks, configure: { $0.keep(in: file) }) { admin in
            let before = try admin.stub.till.webhooks.deliveries
            #expect(before.map(\.event.id) == [event])
            _ = try await admin.call("POST /sessions/till/clock/advance", #"{"by": "5s"}"#)
            let after = await ended(try admin.stub.till, attempts: 2)
            #expect(after.map(\.event.id) == [event])
            #expect(after.first?.attempts.count == 2)
        }
    }

    /// Lets a client register a webhook by the bank's own API.
    private func registerByClient(_ admin: Admin, _ url: String) async throws -> RawResponse {
        let body = #"{"url": "\#(url)", "types": ["listed"]}"#
        return try await admin.stub.ask(request("POST /v1/hooks", token: try admin.stub.token(), body: body))
    }

    @Test func `a webhook that a client registers gets events, until the client deletes it`() async throws {
        try await withAdmin(files: TestFiles.withSubscriptions) { admin in
            let made = try await registerByClient(admin, "\(admin.stub.server.address)/v1/hook")
            let id = try #require(made.json["id"]?.string, "\(made.text)")
            _ = try await admin.call("POST /sessions/till/events", Self.salary)
            let delivery = try #require(await ended(try admin.stub.till).first)
            #expect(delivery.state == .delivered)
            let removed = try await admin.stub.ask(request("DELETE /v1/hooks/\(id)", token: try admin.stub.token()))
            #expect(removed.status == 204)
            _ = try await admin.call("POST /sessions/till/events", Self.salary)
            #expect(try admin.stub.till.webhooks.deliveries.count == 1)
            #expect(try await admin.call("GET /sessions/till/webhooks").json["webhooks"] == [])
        }
    }

    @Test func `a client registers no other address than the admin API, after a restart too`() async throws {
        let file = NSTemporaryDirectory() + "counterfoil-webhooks-\(UUID().uuidString).sqlite"
        defer { for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: file + ending) } }
        for run in 1...2 {
            try await withAdmin(files: TestFiles.withSubscriptions, configure: { $0.keep(in: file) }) { admin in
                let rejected = try await registerByClient(admin, "http://10.0.0.1/hook")
                #expect(rejected.status == 400)
                #expect(rejected.text.contains("--webhooks-to 10.0.0.1"), "\(rejected.text)")
                let long = try await registerByClient(admin, "http://127.0.0.1/" + String(repeating: "a", count: 1984))
                #expect(long.status == 400)
                #expect(long.text.contains("found an address of 2001 bytes, expected at most 2000"), "\(long.text)")
                let count = try admin.stub.till.webhooks.webhooks.count
                #expect(count == run - 1, "what was registered before the restart")
                let made = try await registerByClient(admin, "http://127.0.0.1:1/" + String(repeating: "a", count: 1981))
                #expect(made.status == 201, "\(made.text)")
            }
        }
    }

    @Test(
        arguments: [
            (#"{"url": "http://169.254.169.254/latest"}"#, 422, "never sends"),
            (#"{"url": "http://[fe80::1]/"}"#, 422, "never sends"),
            (#"{"url": "http://[::ffff:169.254.169.254]/"}"#, 422, "never sends"),
            (#"{"url": "http://0.0.0.0:9/"}"#, 422, "never sends"),
            (#"{"url": "http://10.0.0.1/"}"#, 422, "--webhooks-to 10.0.0.1"),
            (#"{"url": "http://hooks.example.test/"}"#, 422, "expected this machine"),
            (#"{"url": "http://localhost.example.test/"}"#, 422, "expected this machine"),
            (#"{"url": "http://user@127.0.0.1/"}"#, 422, "without user"),
            (#"{"url": "http://127.0.0.1/#x"}"#, 422, "without user"),
            (#"{"url": "file:///etc/passwd"}"#, 422, "expected one such as"),
            (#"{"url": "http://127.0.0.1:9/a\r\nX: y"}"#, 422, "expected one such as"),
            (#"{"url": "http://127.0.0.1/", "events": ["payment.setled"]}"#, 400, "did you mean `payment.settled`?"),
            (#"{"url": "http://127.0.0.1/", "events": []}"#, 400, "found an empty list"),
            (#"{"url": "http://127.0.0.1/", "sign": "rot13"}"#, 400, "timestamped"),
            (#"{"events": ["*"]}"#, 400, "`url` is missing"),
        ])
    func `a wrong webhook is a problem, and nothing is registered`(_ body: String, _ status: Int, _ detail: String) async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            let rejected = try await admin.call("POST /sessions/till/webhooks", body)
            #expect(rejected.status == status, "\(rejected.text)")
            #expect(rejected.text.contains(detail), "\(rejected.text)")
            #expect(try await admin.call("GET /sessions/till/webhooks").json["webhooks"] == [])
        }
    }

    @Test func `a webhook shows its secret and deliveries, takes faults, and is removed`() async throws {
        try await withAdmin(files: TestFiles.withWebhooks) { admin in
            try await register(admin)
            let path = "/sessions/till/webhooks/webhook-1"
            #expect(try await admin.call("POST \(path)/faults", #"{"fault": "missing"}"#).status == 201)
            _ = try await admin.call("POST /sessions/till/events", Self.salary)
            let shown = try await admin.call("GET \(path)").json
            let delivery = try #require(shown["deliveries"]?.array?.first)
            #expect(delivery["state"] == "failed")
            #expect(delivery["attempts"]?.array?.first?["fault"] == "missing")
            #expect(try await admin.call("POST \(path)/resend", "{}").json["resent"] == 1)
            #expect(await ended(try admin.stub.till, attempts: 2).first?.state == .delivered)
            let rotated = try await admin.call("POST \(path)/secret")
            #expect(rotated.json["secret"] != shown["secret"])
            #expect(!(try await admin.call("GET /sessions/till/webhooks").text.contains("whsec_")), "a list has no secret")
            #expect(try await admin.call("DELETE \(path)").status == 204)
            #expect(try await admin.call("GET \(path)").status == 404)
            #expect(try await admin.call("POST \(path)/faults", #"{"fault": "loud"}"#).status == 400)
        }
    }

    @Test func `a bank without webhooks reports it`() async throws {
        try await withAdmin { admin in
            let rejected = try await admin.call("POST /sessions/till/webhooks", #"{"url": "http://127.0.0.1:9/"}"#)
            #expect(rejected.status == 422)
            #expect(rejected.text.contains("has no `webhooks`"))
        }
    }

    // MARK: addresses

    @Test(
        arguments: [
            ("127.0.0.1", NetworkRange.loopback), ("127.255.0.9", .loopback), ("::1", .loopback), ("::ffff:127.0.0.1", .loopback),
            ("169.254.169.254", .forbidden), ("::ffff:169.254.169.254", .forbidden), ("64:ff9b::a9fe:a9fe", .forbidden),
            ("2002:a9fe:a9fe::1", .forbidden), ("fe80::1", .forbidden), ("febf::1", .forbidden), ("fec0::1", .forbidden),
            ("::", .forbidden), ("::169.254.169.254", .forbidden), ("0.0.0.0", .forbidden), ("224.0.0.1", .forbidden),
            ("255.255.255.255", .forbidden), ("ff02::1", .forbidden), ("fd00:ec2::254", .forbidden), ("100.100.100.200", .forbidden),
            ("10.0.0.1", .elsewhere), ("192.0.2.1", .elsewhere), ("2001:db8::1", .elsewhere), ("2002:c000:0201::1", .elsewhere),
            ("100.100.100.1", .elsewhere), ("64:ff9b:1::a9fe:a9fe", .forbidden), ("64:ff9b:1:ffff::1", .forbidden),
            ("64:ff9b:2::a9fe:a9fe", .elsewhere), ("64:ff9b::c000:0201", .elsewhere), ("::ffff:0:a9fe:a9fe", .forbidden),
            ("::ffff:0:c000:0201", .elsewhere), ("2001:0:4136:e378:8000:63bf:5601:5601", .forbidden),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", .forbidden), ("2001:1::1", .elsewhere),
        ])
    func `an address is classified by where it leads`(_ text: String, _ range: NetworkRange) throws {
        #expect(NetworkRange(try SocketAddress(ipAddress: text, port: 80)) == range)
    }

    @Test func `a server that others share sends to its own machine only if that is named`() async throws {
        let shared = WebhookHosts(named: ["localhost"], isShared: true)
        #expect(throws: WebhookError.self) { try shared.address("http://127.0.0.1:9/") }
        #expect(throws: WebhookError.self) { try shared.address("http://[::1]:9/") }
        #expect(throws: Never.self) { try shared.address("http://localhost:9/") }
        let local = try #require(ProviderAddress("http://localhost:80"))
        guard case .success = await shared.resolved(local) else {
            Issue.record("localhost is named and not reached")
            return
        }
    }

    @Test func `a named host may be reached, but not where nothing is sent`() async throws {
        let hosts = WebhookHosts(named: ["10.0.0.1", "169.254.169.254", "localhost"])
        #expect(throws: Never.self) { try hosts.address("http://10.0.0.1:80/hook?x=1") }
        #expect(throws: WebhookError.self) { try hosts.address("http://169.254.169.254/") }
        let local = try #require(ProviderAddress("http://localhost:80"))
        guard case .success(let found) = await hosts.resolved(local) else {
            Issue.record("localhost is not resolved")
            return
        }
        #expect(NetworkRange(found) == .loopback)
        let other = try #require(ProviderAddress("http://192.0.2.1"))
        guard case .failure = await hosts.resolved(other) else {
            Issue.record("a host that is not named is reached")
            return
        }
    }
}
