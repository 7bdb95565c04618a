import BankCore
import BankEngine
import BankModel
import StubServer
import TestServer
import Testing

/// Invalid keys reach the bank and are rejected in its dialect; none ends the connection.
@Suite struct OddKeyTests {
    private static let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#

    static let keys: [(String, [UInt8])] = [
        ("10 kB", Array(repeating: UInt8(ascii: "k"), count: 10_240)),
        ("16 KiB", Array(repeating: UInt8(ascii: "k"), count: 16_384)),
        ("Latin-1", [0x6B, 0xE9]), ("half of a UTF-8 character", [0x6B, 0xC3]), ("UTF-8", Array("k\u{1F511}".utf8)),
        ("no UTF-8 at all", [0xFF, 0xFE]), ("a tab within", Array("k\t1".utf8)), ("a quote", Array("\"k".utf8)),
    ]

    @Test(arguments: keys) func `a key that is none is a bad request`(_ name: String, _ key: [UInt8]) async throws {
        try await withStub { stub in
            let token = try stub.token()
            let client = try stub.client()
            let head = "POST /v1/payments HTTP/1.1\r\nHost: bank\r\nAuthorization: Bearer \(token)\r\nIdempotency-Key: "
            let rest = "\r\nContent-Length: \(Self.body.utf8.count)\r\n\r\n\(Self.body)"

            await client.send(Array(head.utf8) + key + Array(rest.utf8))
            let response = await client.response()
            await client.send(payment(key: "k1", token: token))

            #expect(response?.status == 400, "\(name): \(response?.text ?? "nothing")")
            #expect(response?.json["error"] == "bad-request", "\(name): \(response?.text ?? "nothing")")
            #expect(await client.response()?.status == 201, "the connection goes on")
            #expect(try stub.till.ledger.movements.map(\.key) == ["k1"])
        }
    }

    @Test func `two key headers are a bad request`() async throws {
        try await withStub { stub in
            let token = try stub.token()

            let response = try await stub.ask(
                request("POST /v1/payments", token: token, key: "k1", headers: ["idempotency-key: k2"], body: Self.body))

            #expect(response.status == 400)
            #expect(response.text.contains("more than once"))
            #expect(try stub.till.ledger.movements.isEmpty)
        }
    }
}
