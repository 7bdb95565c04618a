import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore
import StubServer
import TestServer
import Testing

/// The reuse of connections, and their ends.
@Suite struct ConnectionTests {
    let clock = request("GET /v1/clock")

    @Test func `a connection carries many requests`() async throws {
        try await withStub { stub in
            let client = try stub.client()
            for _ in 1...3 {
                await client.send(clock)
                #expect(await client.response()?.status == 200)
            }

            #expect(try await stub.till.ended(3).map(\.requestOnConnection) == [1, 2, 3])
            #expect(try await stub.till.ended(3).map(\.connection) == [1, 1, 1])
        }
    }

    @Test(arguments: [
        (#"{"lose-reply": {"by": "close"}}"#, RawClient.End.fin), (#"{"truncate": {"at": 10}}"#, .fin),
        (#"{"reset-body": {"at": 10}}"#, .rst),
    ])
    func `the journal shows an exchange once its end was received`(fault: String, end: RawClient.End) async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))
            for seq in 1...300 {
                let client = try stub.client()
                await client.send(request("GET /v1/document.json"))
                #expect(await client.end().end == end)

                let entry = try #require(try stub.till.journal().entries.last)
                #expect(entry.seq == seq)
                #expect(entry.json["receipt"] != .null)
                #expect(entry.receipt.end == (end == .fin ? .fin : .rst))
            }
        }
    }

    @Test func `an unfinished exchange has no receipt`() async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": "hang"}"#))
            let client = try stub.client()
            await client.send(clock)
            #expect(try await stub.till.holds(1))

            #expect(try stub.till.journal().entries.map { $0.json["receipt"] } == [.null])
        }
    }

    @Test func `connections that are ended at once wait for no drain`() async throws {
        try await withStub { stub in
            let (ends, end) = AsyncStream<String>.makeStream()
            let drained = try stub.client()
            await drained.send(clock)
            #expect(await drained.response()?.status == 200)
            for connection in try stub.till.endIdleConnections(drains: true) { connection.whenClosed { end.yield("drained") } }
            let other = try stub.client()
            await other.send(clock)
            #expect(await other.response()?.status == 200)

            for connection in try stub.till.endIdleConnections(drains: false) { connection.whenClosed { end.yield("closed") } }

            // The one that is being drained has had its FIN already, and ends with the others.
            var ended: Set<String> = []
            for await name in ends where ended.insert(name).inserted && ended.count == 2 { break }
            #expect(ended == ["closed", "drained"])
            #expect(await other.end() == (.fin, []))
        }
    }

    /// Heads that repeat and heads that nearly do, of which the next may have come in part when one is answered.
    @Test func `pipelined requests are answered in order, wherever the bytes are cut`() async throws {
        let kinds = [
            request("GET /v1/document.json"), clock, request("GET /v1/nothing"),
            "POST /v1/nothing HTTP/1.1\r\nHost: bank\r\nContent-Length: 2\r\n\r\nxy",
        ]
        try await withStub { stub in
            let bodies = try await stub.ask(kinds).map(\.body)
            #expect(Set(bodies).count >= 3)
            var random = SeededGenerator(seed: 7)
            for _ in 1...40 {
                let chosen = (1...12).map { _ in Int.random(in: 0..<kinds.count, using: &random) }
                let bytes = Array(chosen.map { kinds[$0] }.joined().utf8)
                let client = try stub.client()
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...200, using: &random))
                    await client.send(String(decoding: piece, as: UTF8.self))
                    rest = rest.dropFirst(piece.count)
                }

                let answers = await client.responses(chosen.count).map { $0?.body }

                // The clock's body differs from one response to the next in digits alone.
                #expect(answers.map { $0?.count } == chosen.map { bodies[$0].count })
            }
        }
    }

    @Test func `HEAD has no body but the Content-Length of GET`() async throws {
        try await withStub { stub in
            let get = try await stub.ask(request("GET /v1/document.json"))
            let client = try stub.client()

            await client.send(request("HEAD /v1/document.json") + clock)

            let head = try #require(await client.response(isHead: true))
            #expect(head.contentLength == get.body.count)
            #expect(!get.body.isEmpty)
            #expect(await client.response()?.status == 200)
        }
    }

    @Test(arguments: ["GET /v1/clock HTTP/1.0\r\n\r\n", "GET /v1/clock HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n"])
    func `without keep alive the response is followed by FIN`(request: String) async throws {
        try await withStub { stub in
            let client = try stub.client()
            await client.send(request)

            let response = try #require(await client.response())

            #expect(response.status == 200)
            #expect(response.header("Connection") == "close")
            #expect(await client.end() == (.fin, []))
            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.fin])
        }
    }
}
