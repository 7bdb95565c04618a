import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// A bank with one account of 10.00, and a stream for each of these scripts; after the last one the token is rejected.
private final class ScriptedStream: StreamingTransport {
    enum Part: Sendable {
        case text(String)
        /// Waits until the account was read.
        case read
        /// Sends nothing until the client leaves.
        case silence
    }

    private let scripts: Locked<[[Part]]>
    private let asked = Locked<[String?]>([])
    private let read = Latch()

    init(_ scripts: [[Part]]) { self.scripts = Locked(scripts) }

    /// The `Last-Event-ID` of each request for a stream.
    var lastIDs: [String?] { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        guard request.url.hasSuffix("/transactions") else {
            return try ScriptedTransport.Outcome.json(200, #"{"id":"a","balance":{"amount":"10.00","currency":"GBP"}}"#).get()
        }
        read.open()
        return try ScriptedTransport.Outcome.json(200, #"{"transactions":[]}"#).get()
    }

    func send(
        _ request: HTTPRequest, within longest: Duration, receive: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        asked.withLock { $0.append(request.headers["Last-Event-ID"]) }
        let script = scripts.withLock { scripts -> [Part]? in scripts.isEmpty ? nil : scripts.removeFirst() }
        guard let script else { return try ScriptedTransport.Outcome.problem(401, "token-rejected").get() }
        for part in script {
            switch part {
            case .text(let text): _ = receive(Array(text.utf8))
            case .read: await read.wait()
            case .silence:
                let left = Latch()
                await withTaskCancellationHandler {
                    await left.wait()
                } onCancel: {
                    left.open()
                }
            }
        }
        return HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"])
    }
}

/// A client that watches an account, and the connections that it makes.
@Suite struct AccountWatchTests {
    private func client(_ stream: ScriptedStream) async throws -> BankClient {
        let adapter = try #require(KnownBanks.adapter("counterfoil", Reading(timeZone: .gmt)))
        var parts = ClientParts(
            adapter: adapter, baseURL: "http://bank", transport: stream, store: MemoryTokenStore(), outbox: MemoryOutbox())
        parts.stream?.quiet = .seconds(3)
        parts.stream?.patience = .seconds(300)
        parts.stream?.rules.wait = { failure, _, _ in failure?.retryable ?? true ? Duration.zero : nil }
        let client = BankClient(parts)
        try await client.signIn(token: "token", of: "ava")
        return client
    }

    private static let event =
        "id: h-2\nevent: accounts\ndata: {\"id\":\"a\",\"balance\":{\"amount\":\"12.00\",\"currency\":\"GBP\"}}\n\n"

    @Test func `events are shown, and the client comes back with the last id`() async throws {
        let stream = ScriptedStream([
            [.text("retry: 1\nid: h-1\n\n"), .read, .text(Self.event)], [.text(": welcome back\n\n"), .silence],
        ])
        let client = try await client(stream)

        let shown = try await client.watch("a")

        #expect(shown.balance.balance == pounds("12.00"))
        #expect(!shown.isStale)
        #expect(stream.lastIDs == [nil, "h-2"])
        try await client.signOut()
    }

    @Test func `a rejected token ends the watch, and is gone`() async throws {
        let stream = ScriptedStream([[.text("id: h-1\n\n"), .read]])
        let client = try await client(stream)

        let ended = await #expect(throws: ClientFailure.self) { _ = try await client.watch("a") }

        #expect(ended?.error == .unauthorized)
        #expect(stream.lastIDs == [nil, "h-1"])
        let status = try await client.status()
        #expect(!status.signedIn)
        await #expect(throws: ClientFailure.self) { _ = try await client.watch("a") }
        #expect(stream.lastIDs.count == 2)
    }

    @Test func `an event that is too long ends the watch`() async throws {
        let client = try await client(ScriptedStream([[.text("id: h-1\n\n"), .text(String(repeating: "x", count: 70_000))]]))

        let error = await #expect(throws: ClientFailure.self) { _ = try await client.watch("a") }

        #expect(error?.error == .tooLarge)
    }
}
