import BankCore
import BankEngine
import BankModel
import Crypto
import Faults
import StubServer
import TestBanks
import TestServer
import Testing

/// The journal's record of an exchange, and the parts it must not contain.
@Suite struct JournalTests {
    let clock = request("GET /v1/clock")

    @Test func `receipts are what the client saw`() async throws {
        try await withStub { stub in
            let token = try stub.token()
            let asked = [
                clock, request("GET /v1/accounts", token: token), request("GET /v1/accounts", token: token),
                request("HEAD /v1/document.json"),
                payment(key: "k1", token: token), request("GET /v1/nothing"), request("GET /v1/elsewhere"),
            ]

            let responses = try await stub.ask(asked)

            let entries = try await stub.till.ended(asked.count)
            #expect(entries.map(\.seq) == Array(1...asked.count))
            #expect(entries.map(\.connection) == Array(1...asked.count))
            #expect(entries.map(\.status) == responses.map(\.status))
            #expect(entries.map(\.receipt.headBytes) == responses.map(\.head.count))
            #expect(entries.map(\.receipt.bodyBytes) == responses.map(\.body.count))
            #expect(entries.allSatisfy { $0.requestOnConnection == 1 && $0.receipt.end == .kept })
            for (entry, response) in zip(entries, responses) where !response.body.isEmpty { #expect(entry.responseBody == response.body) }
        }
    }

    @Test func `tokens never stand in it as text`() async throws {
        let echo = "  echo: {request: GET /echo, open: true, reply: {word: {query: word}}}\n  clock:"
        try await withStub([source(TestFiles().replacing("till/bank.yaml", "  clock:", with: echo))]) { stub in
            let token = try stub.token()
            let body = "token=\(token)"
            let asked = [
                request("GET /v1/accounts/\(token)?q=\(token)", token: token, headers: ["X-Mine: \(token)", "Cookie: s=\(token)"]),
                request("GET /v1/echo?word=\(token)"), request("GET /v1/echo?word=\(token)"),
                payment(key: token, token: token),
                request("POST /v1/revoke", headers: ["Content-Type: application/x-www-form-urlencoded"], body: body),
            ]

            let responses = try await stub.ask(asked)

            #expect(responses.map(\.status) == [404, 200, 200, 201, 200])
            let entries = try await stub.till.ended(asked.count)
            for entry in entries {
                #expect(!entry.json.text.contains(token), "\(entry.seq)")
                #expect(!String(decoding: entry.responseBody + entry.requestBody, as: UTF8.self).contains(token), "\(entry.seq)")
            }
            #expect(entries.first?.token == "token#1")
            #expect(entries.first?.path == "/v1/accounts/token#1")
            #expect(String(decoding: entries.last?.requestBody ?? [], as: UTF8.self) == "token=token#1")
        }
    }

    @Test func `tokens never stand in it percent encoded either`() async throws {
        let echo = "  echo: {request: GET /echo, open: true, when: {raw_query: {like: \"*\"}}, reply: {word: {query: word}}}\n  clock:"
        try await withStub([source(TestFiles().replacing("till/bank.yaml", "  clock:", with: echo))]) { stub in
            let token = try stub.token()
            let forms = [
                token.replacing("_", with: "%5F"), token.replacing("_", with: "%5f"), "%63" + token.dropFirst(),
                token.utf8.map { "%" + String($0, radix: 16) }.joined(),
            ]

            for form in forms { _ = try await stub.ask(request("GET /v1/echo?word=\(form)&more=%6e%")) }

            for (entry, form) in zip(try await stub.till.ended(forms.count), forms) {
                #expect(!entry.json.text.contains(form), "\(form)")
                #expect(!entry.json.text.contains(token), "\(form)")
                #expect(entry.json.text.contains("word=token#1&more=%6e%"), "\(entry.json.text)")
            }
        }
    }

    @Test func `a password is hidden`() async throws {
        try await withStub { stub in
            let body = "grant_type=password&username=ann&password=apple"
            let response = try await stub.ask(request("POST /v1/token", body: body))

            #expect(response.status == 200)
            let entry = try #require(try await stub.till.ended(1).first)
            #expect(String(decoding: entry.requestBody, as: UTF8.self) == "grant_type=password&username=ann&password=[redacted]")
            let issued = try #require(response.json["access"]?.string)
            #expect(!String(decoding: entry.responseBody, as: UTF8.self).contains(issued))
            #expect(entry.bodyBytes == body.utf8.count)
        }
    }

    @Test func `unmatched requests are listed with the nearest operation`() async throws {
        try await withStub { stub in
            _ = try await stub.ask(request("PUT /v1/payments"))
            _ = try await stub.ask(clock)

            let unmatched = try stub.till.unmatched

            let entry = try #require(unmatched.records.first)
            #expect(unmatched.records.map(\.seq) == [1])
            #expect(unmatched.nearest(to: entry).first?.operation == "pay")
            #expect(unmatched.nearest(to: entry).first?.reasons == ["method: found PUT, expected POST"])
        }
    }

    @Test func `its count is bounded`() async throws {
        try await withStub(configure: { $0.journalCapacity = 3 }) { stub in
            for _ in 1...5 { _ = try await stub.ask(clock) }

            #expect(try stub.till.journal().entries.map(\.seq) == [3, 4, 5])
            #expect(try stub.till.journal().dropped == 2)
            #expect(try stub.till.journal(since: 4).entries.map(\.seq) == [5])
            try stub.till.clearJournal()
            #expect(try stub.till.journal().dropped == 0)
            #expect(try stub.till.journal().entries.isEmpty)
            _ = try await stub.ask(clock)
            #expect(try stub.till.journal().entries.map(\.seq) == [6])
        }
    }

    @Test func `its bytes are bounded for all sessions together`() async throws {
        try await withStub(configure: { $0.journalMemory = 20_000 }) { stub in
            let other = try await stub.server.openSession(bank: "till", name: "other")
            let noise = String(repeating: "n", count: 4000)
            for _ in 1...6 {
                _ = try await stub.ask(request("POST /v1/nothing", body: noise))
                _ = try await stub.ask(request("POST /s/other/v1/nothing", body: noise))
            }

            let kept = try stub.till.journal().entries.count + other.journal().entries.count
            #expect((2...5).contains(kept))
            #expect(try stub.till.journal().dropped + other.journal().dropped == 12 - kept)
        }
    }

    @Test(arguments: [8192, 8193]) func `of a body it has the first 8 KiB, and the length and digest of all`(_ bytes: Int) async throws {
        try await withStub { stub in
            let body = String(repeating: "b", count: bytes)
            _ = try await stub.ask(request("POST /v1/nothing", body: body))

            let entry = try #require(try await stub.till.ended(1).first)
            #expect(entry.requestBody == Array(body.utf8.prefix(8192)))
            #expect(entry.bodyBytes == bytes)
            #expect(entry.bodySHA256 == hexadecimal(Array(SHA256.hash(data: Array(body.utf8)))))
        }
    }

    @Test func `request IDs are echoed or made`() async throws {
        try await withStub { stub in
            let echoed = try await stub.ask(request("GET /v1/clock", headers: ["x-request-id: mine-1"]))
            #expect(echoed.header("X-Request-Id") == "mine-1")
            let made = try await stub.ask([clock, clock]).map { $0.header("X-Request-Id") }
            #expect(made[0] != made[1])
            #expect(made.allSatisfy { $0?.hasPrefix("req-") == true })
        }
    }

    @Test func `attempts are counted by key or operation and body`() async throws {
        try await withStub { stub in
            let token = try stub.token()
            for key in ["k1", "k2", "k1"] { _ = try await stub.ask(payment(key: key, token: token)) }
            for body in ["a", "b", "a"] { _ = try await stub.ask(request("POST /v1/revoke", body: body)) }

            #expect(try await stub.till.ended(6).map(\.attempt) == [1, 1, 2, 1, 1, 2])
        }
    }

    @Test func `a date follows the session clock and its skew`() async throws {
        try await withStub { stub in
            let noon = try #require(Instant(rfc3339: "2090-01-02T12:00:00Z"))
            try stub.till.withClock { clock, machine throws(ClockError) in
                try clock.set(to: noon, machine: machine)
                clock.setMode(.frozen, machine: machine)
            }
            #expect(try await stub.ask(clock).header("Date") == "Mon, 02 Jan 2090 12:00:00 GMT")

            try stub.till.withClock { clock, _ in clock.skew = .seconds(-3600) }

            let response = try await stub.ask(clock)
            #expect(response.header("Date") == "Mon, 02 Jan 2090 11:00:00 GMT")
            #expect(
                response.json["now"]?.string?.hasPrefix("2090-01-02T12:00:00") == true
                    || response.json["now"]?.int == noon.nanoseconds / 1_000_000)
        }
    }
}
