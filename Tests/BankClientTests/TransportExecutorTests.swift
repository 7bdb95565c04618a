import BankClient
import BankModel
import Foundation
import Testing

/// Tasks that run on the transport's own thread.
@Suite(.timeLimit(.minutes(10)))
struct TransportExecutorTests {
    private static func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test func `tasks that prefer the transport run on its thread, side by side, before an answer and after it`() async throws {
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()

            let threads = try await withTaskExecutorPreference(transport) {
                try await withThrowingTaskGroup(of: [ObjectIdentifier].self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let before = Self.thread()
                            let response = try await transport.send(HTTPRequest("GET", server.url))
                            #expect(response.status == 200)
                            return [before, Self.thread()]
                        }
                    }
                    return try await group.reduce(into: [Self.thread()]) { $0 += $1 }
                }
            }

            #expect(threads.count == 41)
            #expect(Set(threads).count == 1)
            #expect(threads.first != Self.thread())
        }
    }

    @Test func `a task on the transport's thread is cancelled like any other`() async throws {
        try await SocketServer.serving(.raw("", .hang)) { server in
            let transport = transport()
            let task = Task(executorPreference: transport) { await sendingFailure(HTTPRequest("GET", server.url), by: transport) }
            await server.hasRead(1)

            task.cancel()

            #expect(await task.value?.error == .cancelled)
            #expect(await transport.load().transfers == 0)
        }
    }

    @Test func `a transport that only its own task still holds ends with it`() async throws {
        try await SocketServer.serving(.whole(200, "{}")) { server in
            weak var seen: CurlTransport?
            do {
                let transport = transport()
                seen = transport
                let url = server.url
                let status = await Task(executorPreference: transport) { try? await transport.send(HTTPRequest("GET", url)).status }.value
                #expect(status == 200)
            }
            // The task's end frees it on the loop's thread, a moment after its value is known.
            while seen != nil { await Task.yield() }
        }
    }
}
