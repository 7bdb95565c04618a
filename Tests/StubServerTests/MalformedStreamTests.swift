import BankEngine
import BankModel
import StubServer
import TestServer
import Testing

/// A malformed request of HTTP/2 ends its stream alone, and none of it is executed (RFC 9113 §8.1.1).
@Suite struct MalformedStreamTests {
    private static let clock = [(":method", "GET"), (":scheme", "http"), (":authority", "bank"), (":path", "/v1/clock")]
    private static let form = "grant_type=password&username=ann&password=apple"
    private static let login = [
        (":method", "POST"), (":scheme", "http"), (":authority", "bank"), (":path", "/v1/token"),
        ("content-type", "application/x-www-form-urlencoded"),
    ]

    struct Malformed: CustomTestStringConvertible {
        let name: String
        let fields: [(String, String)]
        var testDescription: String { name }
    }

    static let malformed = [
        Malformed(name: "no path", fields: Array(clock.dropLast())), Malformed(name: "a path twice", fields: clock + [clock[3]]),
        Malformed(name: "an unknown pseudo-header", fields: clock + [(":odd", "x")]),
        Malformed(name: "a field of the connection", fields: clock + [("connection", "close")]),
        Malformed(name: "a line end in a value", fields: clock + [("x", "a\r\nb: c")]),
        Malformed(name: "a length without a body", fields: clock + [("content-length", "5")]),
    ]

    @Test(arguments: malformed)
    func `a malformed request ends its stream and not its neighbours`(_ malformed: Malformed) async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let first = await client.send(malformed.fields)
            let second = await client.send(Self.clock)

            await client.read { $0.haveEnded([first, second]) }

            #expect(client.streams[first]?.reset == 1, "PROTOCOL_ERROR")
            #expect(client.streams[first]?.status == nil)
            #expect(client.streams[second]?.status == 200)
            #expect(client.goAway == nil)
        }
    }

    struct Rejected: CustomTestStringConvertible {
        let name: String
        let fields: [(String, String)]
        let status: Int
        var testDescription: String { name }
    }

    static let rejected = [
        Rejected(name: "CONNECT", fields: [(":method", "CONNECT"), (":authority", "bank:443")], status: 400),
        Rejected(name: "201 headers", fields: clock + (1...201).map { ("x-\($0)", "y") }, status: 431),
        Rejected(name: "an unknown expectation", fields: clock + [("expect", "201-created")], status: 417),
    ]

    @Test(arguments: rejected)
    func `a head is rejected as on HTTP 1.1, and the connection stays`(_ rejected: Rejected) async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let first = await client.send(rejected.fields)
            let second = await client.send(Self.clock)

            await client.read { $0.haveEnded([first, second]) }

            #expect(client.streams[first]?.status == rejected.status)
            #expect(client.streams[second]?.status == 200)
            #expect(client.goAway == nil)
            #expect(try stub.till.journal().entries.map(\.path) == ["/v1/clock"])
        }
    }

    @Test(arguments: rejected.dropFirst())
    func `a head is rejected before its body has come`(_ rejected: Rejected) async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let stream = await client.send(rejected.fields, ends: false)

            await client.read { $0.streams[stream]?.reset != nil }

            #expect(client.streams[stream]?.status == rejected.status)
            #expect(client.streams[stream]?.isWhole == true)
            #expect(client.streams[stream]?.reset == 0, "NO_ERROR")
            #expect(client.end == nil)
            #expect(try stub.till.journal().entries.isEmpty)
        }
    }

    @Test(arguments: ["5", "48", "0", "-1", "+47", "47, 47", "x", "18446744073709551663"])
    func `a body of another length than declared is not acted on`(_ length: String) async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let wrong = await client.send(Self.login + [("content-length", length)], body: Self.form)
            let right = await client.send(Self.login + [("content-length", "\(Self.form.utf8.count)")], body: Self.form)

            await client.read { $0.haveEnded([wrong, right]) }

            #expect(client.streams[wrong]?.reset == 1)
            #expect(client.streams[wrong]?.status == nil)
            #expect(client.streams[right]?.status == 200)
        }
    }

    @Test func `half a request behind which nothing can come ends the connection`() async throws {
        try await withStub { stub in
            let client = try await HTTP2Client(stub)
            let half = await client.send(Self.login, body: "grant_type=pass", ends: false)
            let whole = await client.send(Self.clock)
            client.endSending()

            await client.read { $0.end != nil }

            #expect(client.streams[half]?.status == nil)
            #expect(client.streams[whole]?.status == 200)
            #expect(client.end == .fin)
        }
    }
}
