import BankModel
import EventStore
import Faults
import Foundation
import Platform
import StubServer
import Subprocess
import TestBanks
import Testing
import TestServer

@testable import BankEngine

/// Server-sent events, as a client reads them.
@Suite struct EventStreamTests {
    private static let files = TestFiles.living.replacing(
        "till/bank.yaml", "  clock: {",
        with: """
              watch: {request: GET /watch, stream: {tables: [entries], retry: 2s, heartbeat: 1h}}
              pulse: {request: GET /pulse, stream: {tables: [entries], heartbeat: 1s}}
              clock: {
            """)

    private func withStream(_ test: (Stub) async throws -> Void) async throws {
        try await withStub([try source(Self.files)], test)
    }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - id: the last event's that the client has.
    ///   - path: `pulse` sends a comment each second; the other one sends nothing for as long as a test takes.
    private func open(_ stub: Stub, token: String, after id: String? = nil, _ path: String = "watch") async throws -> Reader {
        let client = try stub.client()
        await client.send(request("GET /v1/\(path)", token: token, headers: id.map { ["Last-Event-ID: \($0)"] } ?? []))
        return Reader(client)
    }

    private func payIn(_ stub: Stub, _ amount: String, to account: String = "a1") throws {
        var event = BankEvent(.paymentIn)
        (event.account, event.amount) = (account, amount)
        _ = try stub.till.happen(event)
    }

    /// A client that reads a stream, the chunks' sizes among it.
    private final class Reader {
        let client: RawClient
        private(set) var text = ""

        init(_ client: RawClient) { self.client = client }

        /// Reads on until the text is there; false if the stream ends before.
        func reads(_ wanted: String) async -> Bool {
            while !text.contains(wanted) {
                guard case .bytes(let bytes) = await client.more() else { return false }
                text += String(decoding: bytes, as: UTF8.self)
            }
            return true
        }

        /// The lines, without those between chunks.
        var lines: [Substring] { text.replacing("\r\n", with: "\n").split(separator: "\n") }

        /// The ids of the events with data, in the order in which they came.
        var ids: [Substring] {
            var (last, ids): (Substring, [Substring]) = ("", [])
            for line in lines {
                if line.hasPrefix("id: ") { last = line.dropFirst(4) }
                if line.hasPrefix("data: ") { ids.append(last) }
            }
            return ids
        }

        var lastID: String { lines.last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) } ?? "" }
    }

    @Test func `events come as they happen, with ids, and a comment in a silence`() async throws {
        try await withStream { stub in
            let (token, reader) = (try stub.token(), try await open(stub, token: try stub.token()))
            #expect(await reader.reads("retry: 2000\nid: "))
            #expect(reader.text.contains("200 OK"))
            #expect(reader.text.contains("Content-Type: text/event-stream"))
            #expect(reader.text.lowercased().contains("transfer-encoding: chunked"))
            try payIn(stub, "12.00")
            #expect(await reader.reads(#""amount":"12.00""#))
            #expect(reader.text.contains("event: entries\ndata: {"))
            try payIn(stub, "13.00")
            #expect(await reader.reads(#""amount":"13.00""#))
            #expect(reader.ids.count == 2)
            let pulse = try await open(stub, token: token, "pulse")
            #expect(await pulse.reads("\n\n"))
            #expect(!pulse.text.contains("retry"))
            #expect(await pulse.reads(": still here\n\n"))
        }
    }

    @Test func `HEAD states no length of a stream, and opens none`() async throws {
        try await withStream { stub in
            let (token, client) = (try stub.token(), try stub.client())
            for _ in 1...20 {
                await client.send(request("HEAD /v1/watch", token: token))
                let head = try #require(await client.response(isHead: true))
                #expect(head.status == 200)
                #expect(head.header("Content-Length") == nil)
                #expect(head.header("Transfer-Encoding") == "chunked")
            }
            let reader = try await open(stub, token: token)
            #expect(await reader.reads("id: "))
        }
    }

    @Test func `a fault's response in place of a stream is complete, and leaves no stream open`() async throws {
        try await withStream { stub in
            let token = try stub.token()
            let redirect = #"{"fault": {"redirect": {"to": "loop", "executed": true}}, "on": {"operation": "watch"}, "times": 20}"#
            _ = try stub.till.set(try rule(redirect))
            for _ in 1...20 {
                let response = try await stub.ask(request("GET /v1/watch", token: token))
                #expect(response.status == 302)
                #expect(response.header("Transfer-Encoding") == nil)
            }
            let reader = try await open(stub, token: token)
            #expect(await reader.reads("id: "))
        }
    }

    @Test func `a payment that settles by the session clock is shown without a request`() async throws {
        try await withStream { stub in
            try stub.till.freeze()
            let token = try stub.token()
            let reader = try await open(stub, token: token)
            #expect(try await stub.ask(payment("5.00", key: "k1", token: token)).status == 201)
            #expect(await reader.reads(#""state":"pending""#))
            try stub.till.advance(.seconds(61))
            #expect(await reader.reads("event: entries-removed\n"))
            #expect(await reader.reads(#""state":"booked""#))
        }
    }

    @Test func `a client that comes back gets what it has missed, once`() async throws {
        try await withStream { stub in
            let token = try stub.token()
            let first = try await open(stub, token: token)
            #expect(await first.reads("id: "))
            try payIn(stub, "1.00")
            #expect(await first.reads(#""amount":"1.00""#))
            first.client.close()
            try payIn(stub, "2.00")
            try payIn(stub, "3.00")

            let second = try await open(stub, token: token, after: first.lastID)
            #expect(await second.reads(#""amount":"3.00""#))
            #expect(second.text.contains(#""amount":"2.00""#))
            #expect(!second.text.contains(#""amount":"1.00""#))
            #expect(!second.text.contains("event: reset"))
            let third = try await open(stub, token: token, after: first.lastID)
            #expect(await third.reads(#""amount":"3.00""#))
            #expect(third.ids == second.ids)
        }
    }

    @Test(arguments: [(1000, false), (1001, true)])
    func `a client that has missed more events than are kept is asked to read everything again`(_ missed: Int, _ isReset: Bool) async throws
    {
        try await withStream { stub in
            let token = try stub.token()
            let first = try await open(stub, token: token)
            #expect(await first.reads("id: "))
            first.client.close()
            for _ in 1..<missed { try payIn(stub, "1.00") }
            try payIn(stub, "2.00")

            let second = try await open(stub, token: token, after: first.lastID)
            #expect(await second.reads(isReset ? "event: reset\n" : #""amount":"2.00""#))
            #expect(second.text.contains("event: reset") == isReset)
            #expect(isReset || second.ids.count == missed)
        }
    }

    @Test func `an event behind many that only others see comes at once`() async throws {
        try await withStream { stub in
            let token = try stub.token()
            let first = try await open(stub, token: token, "pulse")
            #expect(await first.reads("id: "))
            first.client.close()
            for _ in 1...250 { try payIn(stub, "1.00", to: "b1") }
            try payIn(stub, "2.00")

            let second = try await open(stub, token: token, after: first.lastID, "pulse")
            #expect(await second.reads(#""amount":"2.00""#))
            #expect(!second.text.contains(": still here"), "it has waited for no heartbeat")
            #expect(!second.text.contains(#""amount":"1.00""#))
        }
    }

    @Test func `an event that was undone with its change is not in the history`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await withStub([try source(Self.files)], configure: { $0.keep(in: folder.path + "/state") }) { stub in
            let (till, token) = (try stub.till, try stub.token())
            let first = try await open(stub, token: token)
            #expect(await first.reads("id: "))
            let before = first.lastID
            try payIn(stub, "1.00")
            #expect(await first.reads(#""amount":"1.00""#))
            let (seq, ticket) = till.inner.withLock { ($0.log?.seq, $0.log?.last) }
            till.lose(LostCommands(session: till.id, first: try #require(seq), ticket: try #require(ticket)))

            let second = try await open(stub, token: token, after: before)
            #expect(await second.reads("id: "))
            #expect(second.text.contains("event: reset"))
            #expect(!second.text.contains(#""amount":"1.00""#))
        }
    }

    @Test(arguments: ["x-1", "7", "", "-", "9999999999999999999999-1"])
    func `a client with an id of another history is asked to read everything again`(_ id: String) async throws {
        try await withStream { stub in
            let reader = try await open(stub, token: try stub.token(), after: id)
            #expect(await reader.reads("event: reset\ndata: {}\nid: "))
        }
    }

    @Test func `after a reset an id from before is one of another history`() async throws {
        try await withStream { stub in
            let first = try await open(stub, token: try stub.token())
            #expect(await first.reads("id: "))
            try payIn(stub, "1.00")
            #expect(await first.reads(#""amount":"1.00""#))
            try stub.till.reset()
            #expect(await first.reads("\r\n0\r\n\r\n"))
            let second = try await open(stub, token: try stub.token(), after: first.lastID)
            #expect(await second.reads("event: reset\n"))
        }
    }

    @Test func `a session has 16 streams at most, and one that ends makes room`() async throws {
        try await withStream { stub in
            let token = try stub.token()
            var readers: [Reader] = []
            for _ in 0..<16 {
                readers.append(try await open(stub, token: token, "pulse"))
                #expect(await readers.last?.reads("id: ") == true)
            }
            #expect(try await stub.ask(request("GET /v1/watch", token: token)).status == 429)
            #expect(try await stub.ask(request("GET /v1/accounts", token: token)).status == 200)
            readers.removeFirst().client.close()
            _ = try await stub.till.entries { $0.first?.durationMicroseconds != nil }
            let last = try await open(stub, token: token)
            #expect(await last.reads("id: "))
        }
    }

    @Test func `a stream ends with its client, without a heartbeat`() async throws {
        try await withStream { stub in
            let reader = try await open(stub, token: try stub.token())
            #expect(await reader.reads("id: "))

            reader.client.close()

            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.clientGone])
        }
    }

    @Test func `a stream whose client left while a fault held the request ends when it begins`() async throws {
        try await withStream { stub in
            let till = try stub.till
            _ = try till.set(try rule(#"{"fault": {"delay": {"at_point": "request", "until": "released"}}, "times": 1}"#))
            let reader = try await open(stub, token: try stub.token())
            #expect(await till.holds(1))

            reader.client.shutdownWriting()
            till.release()

            #expect(await till.ended(1).map(\.receipt.end) == [.clientGone])
        }
    }

    @Test(arguments: [true, false]) func `a stream ends with its token, as a whole response`(isRevoked: Bool) async throws {
        try await withStream { stub in
            let reader = try await open(stub, token: try stub.token())
            #expect(await reader.reads("id: "))
            if isRevoked { try stub.till.revokeTokens() } else { try stub.till.expireTokens() }
            #expect(await reader.reads("\r\n0\r\n\r\n"))
            let entries = try await stub.till.ended(1)
            #expect(entries.map(\.status) == [200])
            #expect(entries.first?.receipt.end == .kept)
        }
    }

    @Test(arguments: ["close", "keep-alive"])
    func `a client of HTTP 1.0 gets a stream without chunks, which ends with the connection`(_ connection: String) async throws {
        try await withStream { stub in
            let (client, token) = (try stub.client(), try stub.token())
            await client.send("GET /v1/watch HTTP/1.0\r\nConnection: \(connection)\r\nAuthorization: Bearer \(token)\r\n\r\n")
            let reader = Reader(client)
            #expect(await reader.reads("id: "))
            try payIn(stub, "1.00")
            #expect(await reader.reads("data: {"))
            try stub.till.revokeTokens()
            #expect(await !reader.reads("the end"), "the connection has ended")

            #expect(reader.text.hasPrefix("HTTP/1.1 200"))
            let parts = reader.text.split(separator: "\r\n\r\n", maxSplits: 1)
            try #require(parts.count == 2)
            #expect(!parts[0].lowercased().contains("transfer-encoding"))
            #expect(parts[0].contains("Connection: close"))
            #expect(parts[1].hasPrefix("retry: 2000\nid: "), "no size of a chunk")
            #expect(!parts[1].contains("\r\n"))
            #expect(try await stub.till.ended(1).map(\.receipt.end) == [.fin])
        }
    }

    @Test func `a stream ends with the server, at once`() async throws {
        try await withStub([try source(Self.files)]) { stub in
            let reader = try await open(stub, token: try stub.token())
            #expect(await reader.reads("id: "))
            async let ending: Void = stub.server.shutdown(grace: .seconds(60))
            #expect(await reader.reads("\r\n0\r\n\r\n"))
            reader.client.close()
            await ending
        }
    }

    @Test func `on HTTP 2 events are data frames`() async throws {
        try await withStream { stub in
            let (session, port, token) = (try stub.till, stub.port, try stub.token())
            var event = BankEvent(.paymentIn)
            (event.account, event.amount) = ("a1", "12.00")
            let arguments = [
                "-sSN", "--max-time", "300", "--http2-prior-knowledge", "-H", "Authorization: Bearer \(token)",
                "http://127.0.0.1:\(port)/v1/watch",
            ]
            let curl = try await Subprocess.run(
                .name("curl"), arguments: Arguments(arguments), input: .none, output: .sequence, error: .currentStandardError
            ) { [event] execution in
                var read: [String] = []
                var text = ""
                for try await buffer in execution.standardOutput {
                    text += buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                    if read.isEmpty, text.contains("id: ") {
                        read.append(text)
                        text = ""
                        _ = try session.happen(event)
                    } else if read.count == 1, text.contains("data: ") {
                        read.append(text)
                        try session.revokeTokens()
                    }
                }
                return read
            }
            let read = curl.closureResult
            try #require(read.count == 2)
            #expect(read[0].hasPrefix("retry: 2000\nid: "))
            #expect(read[1].contains(#""amount":"12.00""#))
            #expect(curl.terminationStatus == .exited(0))
        }
    }

    @Test func `a stream that a fault ends has not sent its first event, which the client gets when it comes back`() async throws {
        try await withStream { stub in
            _ = try stub.till.set(try rule(#"{"fault": {"stream-events": {"by": "end"}}, "times": 1}"#))
            let token = try stub.token()
            let first = try await open(stub, token: token)
            #expect(await first.reads("id: "))
            try payIn(stub, "1.00")
            #expect(await first.reads("\r\n0\r\n\r\n"))
            #expect(first.ids == [])
            let second = try await open(stub, token: token, after: first.lastID)
            #expect(await second.reads(#""amount":"1.00""#))
            #expect(second.ids.count == 1)
        }
    }

    @Test(arguments: [("drop", [2, 4]), ("duplicate", [1, 1, 2, 2, 3, 3, 4, 4]), ("reorder", [2, 1, 4, 3])])
    func `a fault changes which events come`(_ way: String, _ expected: [Int]) async throws {
        try await withStream { stub in
            _ = try stub.till.set(try rule(#"{"fault": {"stream-events": {"by": "\#(way)"}}, "on": {"operation": "pulse"}}"#))
            let reader = try await open(stub, token: try stub.token(), "pulse")
            #expect(await reader.reads("id: "))
            for amount in 1...4 { try payIn(stub, "\(amount).00") }
            #expect(await reader.reads("\"amount\":\"\(expected[expected.count - 1]).00\""))
            #expect(await reader.reads(": still here"))
            let amounts = reader.lines.filter { $0.hasPrefix("data: ") }.compactMap { line in
                (1...4).first { line.contains("\"amount\":\"\($0).00\"") }
            }
            #expect(amounts == expected)
            #expect(try stub.till.journal().entries.first?.faults.map(\.kind) == ["stream-events"])
        }
    }
}
