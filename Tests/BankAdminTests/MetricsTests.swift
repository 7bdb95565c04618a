import BankEngine
import BankModel
import StubServer
import TestBanks
import TestServer
import Testing

@testable import BankAdmin

/// The counts for Prometheus.
@Suite struct MetricsTests {
    /// The samples of a text by name and labels.
    private func samples(_ text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            try #require(parts.count == 2, "\(line)")
            #expect(samples.updateValue(try #require(Double(parts[1]), "\(line)"), forKey: String(parts[0])) == nil, "\(line)")
        }
        return samples
    }

    @Test func `exchanges, faults, payments and replays are counted`() async throws {
        try await withAdmin { admin in
            let stub = admin.stub
            let token = try stub.token()
            for _ in 1...3 { #expect(try await stub.ask(request("GET /v1/accounts", token: token)).status == 200) }
            #expect(try await stub.ask(request("GET /v1/nothing")).status == 404)
            for _ in 1...2 { #expect(try await stub.ask(payment(key: "k", token: token)).status == 201) }
            _ = try stub.till.set(rule(#"{"fault": {"status": {"status": 503}}, "on": {"path": "/v1/clock"}, "times": 1}"#))
            #expect(try await stub.ask(request("GET /v1/clock")).status == 503)
            _ = try stub.till.set(rule(#"{"fault": "close", "on": {"path": "/v1/clock"}, "times": 1}"#))
            let closed = try stub.client()
            await closed.send(request("GET /v1/clock"))
            #expect(await closed.response() == nil)
            #expect(try await stub.till.ended(8).count == 8)

            let found = try samples(try await admin.call("GET /metrics").text)

            let exchanges = "counterfoil_exchanges_total"
            #expect(found[#"\#(exchanges){bank="till",operation="accounts",status="200"}"#] == 3)
            #expect(found[#"\#(exchanges){bank="till",operation="",status="404"}"#] == 1)
            #expect(found[#"\#(exchanges){bank="till",operation="pay",status="201"}"#] == 2)
            #expect(found[#"\#(exchanges){bank="till",operation="clock",status="503"}"#] == 1)
            #expect(found[#"\#(exchanges){bank="till",operation="clock",status="none"}"#] == 1)
            #expect(found[#"counterfoil_faults_fired_total{kind="status"}"#] == 1)
            #expect(found[#"counterfoil_faults_fired_total{kind="close"}"#] == 1)
            #expect(found[#"counterfoil_payments_total{state="settled"}"#] == 1)
            #expect(found["counterfoil_replays_total"] == 1)
            #expect(found[#"counterfoil_payments_stored{bank="till"}"#] == 1)
            let histogram = "counterfoil_exchange_duration_seconds"
            #expect(found[#"\#(histogram)_count{bank="till"}"#] == 8)
            #expect(found[#"\#(histogram)_bucket{bank="till",le="+Inf"}"#] == 8)
            #expect((found["process_cpu_seconds_total"] ?? 0) > 0)
        }
    }

    @Test func `payments of standing orders are counted, and events are not`() async throws {
        try await withAdmin(files: TestFiles.withOrders) { admin in
            let clock = try await admin.call("PUT /sessions/till/clock", #"{"mode": "frozen", "now": "2040-01-20T10:00:00Z"}"#)
            try #require(clock.status == 200, "\(clock.text)")
            let body = #"{"from": "a1", "to": "p1", "amount": "1.00", "starts": "2040-01-31", "every": "month"}"#
            let order = try request("POST /v1/orders", token: admin.stub.token(), key: "o1", body: body)
            #expect(try await admin.stub.ask(order).status == 201)
            let salary = try await admin.call("POST /sessions/till/events", #"{"event": "payment-in", "account": "a1", "amount": "5.00"}"#)
            #expect(salary.status == 201)

            #expect(try await admin.call("POST /sessions/till/clock/advance", #"{"by": "45d"}"#).status == 200)
            #expect(try await admin.call("GET /sessions/till/ledger").json["movements"]?.array?.count == 3)

            let found = try samples(try await admin.call("GET /metrics").text)
            let payments = found.filter { $0.key.hasPrefix("counterfoil_payments_total") }.values.reduce(0, +)
            #expect(payments == 2)
        }
    }

    @Test func `counters do not fall when a session is reset or removed`() async throws {
        try await withAdmin { admin in
            _ = try await admin.stub.server.openSession(bank: "till", name: "brief")
            for path in ["/s/brief/v1/clock", "/v1/clock"] { #expect(try await admin.stub.ask(request("GET \(path)")).status == 200) }

            #expect(try await admin.call("POST /sessions/till/reset").status == 204)
            #expect(try await admin.call("DELETE /sessions/brief").status == 204)

            let found = try samples(try await admin.call("GET /metrics").text)
            #expect(found[#"counterfoil_exchanges_total{bank="till",operation="clock",status="200"}"#] == 2)
            #expect(found[#"counterfoil_sessions{bank="till"}"#] == 1)
        }
    }

    @Test func `counters do not fall while sessions are removed`() async throws {
        try await withAdmin { admin in
            let registry = admin.stub.server.registry
            func total() -> Int { registry.sums.values.flatMap(\.exchanges.values).reduce(0, +) }
            let names = (1...20).map { "brief-\($0)" }
            for name in names {
                _ = try await admin.stub.server.openSession(bank: "till", name: name)
                #expect(try await admin.stub.ask(request("GET /s/\(name)/v1/clock")).status == 200)
                await registry.session(name)?.waitForExchanges(within: .seconds(60))
            }
            #expect(total() == names.count)

            let removal = Task { for name in names { try registry.remove(name) } }
            var totals: Set<Int> = []
            while registry.session("brief-20") != nil {
                totals.insert(total())
                await Task.yield()
            }
            try await removal.value

            #expect(totals.union([total()]) == [names.count])
        }
    }

    @Test func `an exchange whose record the journal has dropped is counted without its operation`() async throws {
        try await withAdmin(configure: { $0.journalCapacity = 1 }) { admin in
            _ = try admin.stub.till.set(rule(#"{"fault": "hang", "on": {"path": "/v1/accounts"}}"#))
            let held = try admin.stub.client()
            await held.send(request("GET /v1/accounts"))
            #expect(try await admin.stub.till.holds(1))
            #expect(try await admin.stub.ask(request("GET /v1/clock")).status == 200)

            #expect(try await admin.call("DELETE /sessions/till/faults").status == 204)
            _ = await held.end()
            let till = try admin.stub.till
            await till.watchJournal(within: .seconds(300)) { till.tally.exchanges.values.reduce(0, +) == 2 }

            let found = try samples(try await admin.call("GET /metrics").text)
            #expect(found[#"counterfoil_exchanges_total{bank="till",operation="",status="none"}"#] == 1)
            #expect(found[#"counterfoil_exchange_duration_seconds_count{bank="till"}"#] == 1)
        }
    }

    @Test func `a label's value is escaped, and buckets add up`() {
        var text = MetricsText()
        text.add("odd", .gauge, "Odd.", [(["name": "a\"b\\c\nd"], 1)])
        text.add(histogram: "lasted_seconds", "Time.", bounds: [0.5, 1], [(label: ("bank", "till"), counts: [2, 0, 3], sum: 9.5)])
        text.add("left", .gauge, "Left.", one: 7)

        #expect(
            text.text == """
                # HELP odd Odd.
                # TYPE odd gauge
                odd{name="a\\"b\\\\c\\nd"} 1
                # HELP lasted_seconds Time.
                # TYPE lasted_seconds histogram
                lasted_seconds_bucket{bank="till",le="0.5"} 2
                lasted_seconds_bucket{bank="till",le="1.0"} 2
                lasted_seconds_bucket{bank="till",le="+Inf"} 5
                lasted_seconds_sum{bank="till"} 9.5
                lasted_seconds_count{bank="till"} 5
                # HELP left Left.
                # TYPE left gauge
                left 7

                """)
    }
}
