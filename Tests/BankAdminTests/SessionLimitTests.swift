import BankCore
import BankModel
import Foundation
import Platform
import Testing
import TestServer

@testable import BankAdmin
@testable import BankEngine
@testable import StubServer

/// A full session.
@Suite struct SessionLimitTests {
    private func limited(_ configuration: inout ServerConfiguration) { configuration.paymentLimit = 3 }

    @Test func `a full session rejects as its bank does, keeps nothing of it, and answers all else`() async throws {
        try await withAdmin(configure: limited) { admin in
            let token = try admin.stub.token()
            func pay(_ key: String) async throws -> RawResponse { try await admin.stub.ask(payment("1.00", key: key, token: token)) }
            var first = ""
            for number in 1...3 {
                let response = try await pay("k\(number)")
                #expect(response.status == 201)
                if number == 1 { first = response.text }
            }
            let balance = try await admin.stub.ask(request("GET /v1/accounts/a1", token: token)).text

            let rejected = try await pay("k4")

            #expect(rejected.status == 503, "\(rejected.text)")
            #expect(rejected.json["error"]?.string == "maintenance", "\(rejected.text)")
            let state = try admin.stub.till.inner.withLock { $0.state }
            #expect(state.ledger.movements.count == 3)
            #expect(state.keys.known().map(\.id.key) == ["k1", "k2", "k3"])
            #expect(try await admin.stub.ask(request("GET /v1/accounts/a1", token: token)).text == balance)
            let again = try await pay("k1")
            #expect(again.status == 201)
            #expect(again.text == first)
            #expect(again.header("Idempotent-Replayed") == "true")
            #expect(try await pay("k4").status == 503)
            #expect(try admin.stub.till.journal().entries.last?.response == "maintenance")
            let metrics = try await admin.call("GET /metrics").text
            #expect(metrics.contains("counterfoil_payments_stored{bank=\"till\"} 3\n"))
            #expect(metrics.contains("counterfoil_refused_full{bank=\"till\"} 2\n"))

            #expect(try await admin.call("POST /sessions/till/reset").status == 204)

            let other = try admin.stub.token()
            #expect(try await admin.stub.ask(payment("1.00", key: "k4", token: other)).status == 201)
            #expect(try await admin.call("GET /metrics").text.contains("counterfoil_refused_full{bank=\"till\"} 0\n"))
        }
    }

    @Test func `rows, keys and tokens count too`() async throws {
        try await withAdmin(configure: limited) { admin in
            let token = try admin.stub.token()
            // Rejected payments whose keys are remembered: no movement is made.
            for number in 1...3 {
                #expect(try await admin.stub.ask(payment("900000.00", key: "k\(number)", token: token)).status == 422)
            }
            let state = try admin.stub.till.inner.withLock { $0.state }
            #expect(state.ledger.movements.isEmpty)
            #expect(state.keys.known().count == 3)
            #expect(try await admin.stub.ask(payment("1.00", key: "k4", token: token)).status == 503)

            var issued = 0
            while issued < 20, try await admin.call("POST /sessions/till/tokens", "{}").status == 201 { issued += 1 }
            let tokens = try admin.stub.till.tokens.count
            #expect(tokens <= 7)
            #expect(tokens >= 6)
            let more = try await admin.call("POST /sessions/till/tokens", "{}")
            #expect(more.status == 422, "\(more.text)")
            #expect(more.json["detail"]?.string?.contains("--session-limit") == true, "\(more.text)")
            #expect(try await admin.stub.ask(request("GET /v1/accounts/a1", token: token)).status == 200)
        }
    }

    @Test func `a session that was kept is as full as it was`() async throws {
        let file = newStateFile()
        defer { removeStateFile(file) }
        var token = ""
        func life(_ test: (Stub) async throws -> Void) async throws {
            let configure = { (configuration: inout ServerConfiguration) in
                configuration.keep(in: file)
                configuration.paymentLimit = 3
            }
            try await withStub(configure: configure, test)
        }
        try await life { stub in
            token = try stub.token()
            for number in 1...3 { #expect(try await stub.ask(payment("1.00", key: "k\(number)", token: token)).status == 201) }
            #expect(try await stub.ask(payment("1.00", key: "k4", token: token)).status == 503)
            try await stub.till.durable()
        }
        try await life { stub in
            #expect(try await stub.ask(payment("1.00", key: "k4", token: token)).status == 503)
            #expect(try await stub.ask(payment("1.00", key: "k2", token: token)).header("Idempotent-Replayed") == "true")
            #expect(try stub.till.ledger.movements.count == 3)
            try stub.till.reset()
            #expect(try await stub.ask(payment("1.00", key: "k4", token: try stub.token())).status == 201)
        }
    }
}

/// The metrics and ledgers of a server, of any length.
@Suite struct LongListTests {
    @Test func `of many sessions the counts are summed, and their text does not grow`() async throws {
        try await withAdmin { admin in
            for number in 1..<300 { _ = try await admin.stub.server.openSession(bank: "till", name: "s-\(number)") }
            for name in ["s-7", "s-299", "till"] {
                _ = try admin.stub.server.registry.session(name)?.set(rule(#"{"fault": "hang", "nth": 9}"#))
            }

            let (summed, each) = (try await admin.call("GET /metrics").text, try await admin.call("GET /metrics?sessions=true").text)

            let lines = Set(summed.split(separator: "\n").map(String.init))
            #expect(
                lines.isSuperset(of: [#"counterfoil_sessions{bank="till"} 300"#, #"counterfoil_rules{bank="till"} 3"#]), "\(summed)")
            #expect(lines.count < 80)
            #expect(!summed.contains("s-7"))
            #expect(each.contains("counterfoil_session_rules{session=\"s-7\",bank=\"till\"} 1\n"))
            #expect(try await admin.call("GET /metrics?sessions=yes").status == 400)
        }
    }

    /// A response's body, in any framing.
    private func read(_ url: String) async throws -> [UInt8] { try await Curl([], url: url).body }

    @Test(arguments: [0, 1, 512, 513, 1400]) func `a ledger is written in pieces, all of it or its end`(_ count: Int) async throws {
        try await withAdmin { admin in
            let session = try admin.stub.till
            let currency = try #require(Currency("GBP"))
            session.inner.withLock { inner in
                for number in 0..<count {
                    inner.state.apply(
                        .moved(
                            Movement(
                                id: "movement-\(number + 1)", operation: "pay", key: "k\(number)", customer: "ann", state: .settled,
                                from: .init(table: "accounts", id: "a1"), to: .init(table: "payees", id: "p1"),
                                amount: Money(minorUnits: 1, currency: currency), at: Instant(seconds: 1_763_553_600))))
                }
            }
            let ids = (0..<count).map { "movement-\($0 + 1)" }

            for (query, wanted) in [("", ids), ("?last=30", ids.suffix(30)), ("?last=0", [])] {
                let url = "http://127.0.0.1:\(admin.port)/__admin/sessions/till/ledger\(query)"
                let ledger = try JSON(parsing: await read(url))
                #expect(ledger["movements"]?.array?.compactMap { $0["id"]?.string } == Array(wanted))
                #expect(ledger["postings"]?.array?.compactMap { $0["movement"]?.string } == wanted.flatMap { [$0, $0] })
                #expect(ledger["accounts"]?.array?.count == (count == 0 ? 0 : 2))
                #expect(ledger["balanced"] == true)
                #expect(ledger.object?.keys == ["accounts", "postings", "movements", "idempotency", "balanced"])
            }
        }
    }

    @Test func `a ledger that somebody reads stays as it was while payments go on`() async throws {
        try await withStub { stub in
            let token = try stub.token()
            #expect(try await stub.ask(payment(key: "k1", token: token)).status == 201)
            let text = try stub.till.ledgerText()
            #expect(try await stub.ask(payment(key: "k2", token: token)).status == 201)

            let json = try JSON(parsing: text.pieces.flatMap(\.self))

            #expect(json["movements"]?.array?.count == 1)
            #expect(json["idempotency"]?.array?.count == 1)
            #expect(try stub.till.ledger.movements.count == 2)
        }
    }

    @Test func `a ledger has no key whose window is over`() async throws {
        try await withStub { stub in
            func keys() throws -> [String?]? {
                try JSON(parsing: stub.till.ledgerText().pieces.flatMap(\.self))["idempotency"]?.array?.map { $0["key"]?.string }
            }
            #expect(try await stub.ask(payment(key: "k1", token: stub.token())).status == 201)
            try stub.till.advance(.seconds(23 * 3600))
            #expect(try await stub.ask(payment(key: "k2", token: stub.token())).status == 201)
            #expect(try keys() == ["k1", "k2"])

            try stub.till.advance(.seconds(3600))

            #expect(try keys() == ["k2"])
        }
    }
}
