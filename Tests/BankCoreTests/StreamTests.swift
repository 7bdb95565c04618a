import BankModel
import TestBanks
import Testing

@testable import BankCore

/// The events that a stream shows: rows that appear, change and disappear, and balances.
@Suite struct StreamTests {
    private struct Watched {
        var till: Till
        let ann: String
        var mark = RowWatermark()
        let stream: RequestedStream

        init() throws {
            till = try Till(
                TestFiles.living.replacing(
                    "till/bank.yaml", "  clock: {",
                    with: "  watch: {request: GET /watch, stream: {tables: [accounts, entries], retry: 2s}}\n  clock: {"))
            ann = try till.token()
            stream = try #require(till.send("GET", "/v1/watch", token: ann).stream)
            _ = till.state.events(in: stream.policy.tables, since: &mark)
        }

        /// What is new, in short: the table, `-` for a row that is gone, and a field.
        mutating func new() -> [String] {
            till.state.settle(at: till.now)
            return till.state.events(in: stream.policy.tables, since: &mark).filter { till.state.shows($0, in: stream) }.map { event in
                let balance = event.json["balance"]?.string.map { "\($0)/\(event.json["booked"]?.string ?? "")" }
                let shown = balance ?? event.json["state"]?.string ?? event.json.text
                return event.isRemoval ? "-\(event.table)" : "\(event.table) \(shown)"
            }
        }
    }

    @Test func `the response is one of events, and nobody gets one without a token`() throws {
        var watched = try Watched()
        let response = watched.till.send("GET", "/v1/watch", token: watched.ann)

        #expect(response.header("Content-Type") == "text/event-stream")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.stream?.policy == StreamPolicy(tables: ["accounts", "entries"], retry: .seconds(2)))
        #expect(watched.till.send("GET", "/v1/watch").stream == nil)
        #expect(watched.till.send("GET", "/v1/accounts", token: watched.ann).stream == nil)
    }

    @Test func `a payment is shown when it is made and when it settles`() throws {
        var watched = try Watched()
        #expect(watched.new() == [])
        #expect(watched.till.pay("10.00", key: "k1", token: watched.ann).status == 201)
        #expect(watched.new() == ["accounts 90.00/100.00", "entries pending"])
        #expect(watched.new() == [])

        watched.till.now = watched.till.now + .seconds(61)
        #expect(watched.new() == ["accounts 90.00/90.00", "-entries", "entries booked"])
    }

    @Test func `a row names the one that it belongs to`() throws {
        var watched = try Watched()
        #expect(watched.till.pay("10.00", key: "k1", token: watched.ann).status == 201)
        watched.till.state.settle(at: watched.till.now)
        let events = watched.till.state.events(in: ["entries"], since: &watched.mark)
        #expect(events.map { $0.json["account"]?.string } == ["a1"])
        #expect(events.map { $0.json["_account"] == nil } == [true])
    }

    @Test func `a rejected payment shows nothing, and one that is rejected later takes its row back`() throws {
        var watched = try Watched()
        #expect(watched.till.pay("1000.00", key: "k1", token: watched.ann).error == "insufficient-funds")
        #expect(watched.new() == [])

        #expect(watched.till.pay("10.00", key: "k2", token: watched.ann).status == 201)
        _ = watched.new()
        _ = try watched.till.happen(BankEvent(.paymentRejected))
        #expect(watched.new() == ["accounts 100.00/100.00", "-entries"])
    }

    @Test func `a row that is changed is shown again, and a fixture's row that is removed is gone`() throws {
        var watched = try Watched()
        _ = watched.till.send("PATCH", "/v1/entries/e4", token: watched.ann, body: #"{"note": "mine"}"#)
        #expect(watched.new().map { $0.contains(#""note":"mine""#) } == [true])

        #expect(watched.till.send("DELETE", "/v1/entries/e6", token: watched.ann).status == 204)
        #expect(watched.new() == ["-entries"])
        #expect(watched.till.send("DELETE", "/v1/entries/e4", token: watched.ann).status == 204)
        #expect(watched.new() == ["-entries"])
    }

    @Test func `a customer's stream shows no rows of others`() throws {
        var watched = try Watched()
        let bob = try watched.till.token("bob")
        let body = #"{"from": "b1", "to": "p1", "amount": "1.00"}"#
        #expect(watched.till.send("POST", "/v1/payments", token: bob, key: "k1", body: body).status == 201)
        #expect(watched.new() == [])
    }

    @Test func `a stream is authorized for as long as its token`() throws {
        var watched = try Watched()
        #expect(watched.till.state.authorizes(watched.stream, at: watched.till.now))
        #expect(!watched.till.state.authorizes(watched.stream, at: watched.till.now + .seconds(600)))
        _ = watched.till.send("POST", "/v1/revoke", body: "token=\(watched.ann)")
        #expect(!watched.till.state.authorizes(watched.stream, at: watched.till.now))
    }
}
