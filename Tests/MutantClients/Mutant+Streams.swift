import BankClient
import BankModel
import Platform

/// Mistakes of clients that watch an account by the bank's stream.
extension Mutant {
    static var streams: [Mutant] {
        [
            watching(
                "ignores-streamed-events", "opens the stream, and keeps showing its first read", killedBy: ["stream.event-shown"]
            ) { $0.rules.change = { change in if case .reset = change { change } else { nil } } },
            watching(
                "reconnects-without-last-id", "connects again without the id of the last event that it has",
                killedBy: ["stream.reconnects-without-a-gap"]
            ) { $0.rules.resumes = false },
            watching(
                "a-row-for-each-event", "adds a row for each event of the stream", killedBy: ["stream.duplicate-shown-once"]
            ) { $0.rules.identity = { id, count in "\(id) \(count)" } },
            watching(
                "last-event-counts", "uses the balance of the event that arrived last", killedBy: ["stream.newest-balance-stays"]
            ) { $0.rules.isNewer = { _, _ in true } },
            Mutant(
                "reads-a-balance-once", "reads a balance once, and leaves the rest to the stream", killedBy: ["stream.read-repairs"]
            ) { parts, _ in
                let read = Locked<[String: HTTPResponse]>([:])
                parts.around { request, base throws(TransportFailure) in
                    guard request.url.hasSuffix("/v1/accounts/nils-gbp") else { return try await base.send(request) }
                    if let before = read.withLock({ $0[request.url] }) { return before }
                    let response = try await base.send(request)
                    if response.status == 200 { read.withLock { $0[request.url] = response } }
                    return response
                }
            },
            watching(
                "reconnects-without-end", "asks for the stream again and again after its token was rejected",
                killedBy: ["stream.ends-with-the-token"]
            ) { $0.transport = RepeatingTransport(base: $0.transport) },
        ]
    }

    /// A client that watches in another way.
    private static func watching(
        _ name: String, _ mistake: String, killedBy: [String], change: @escaping @Sendable (inout StreamParts) -> Void
    ) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy) { parts, _ in
            guard var stream = parts.stream else { return }
            change(&stream)
            parts.stream = stream
        }
    }
}

/// Sends a request for a stream again, many times, when it is rejected.
private struct RepeatingTransport: StreamingTransport {
    let base: any StreamingTransport

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse { try await base.send(request) }

    func send(
        _ request: HTTPRequest, within longest: Duration, receive: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        var response = try await base.send(request, within: longest, receive: receive)
        for _ in 0..<20 where response.status == 401 { response = try await base.send(request, within: longest, receive: receive) }
        return response
    }
}
