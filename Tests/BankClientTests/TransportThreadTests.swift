import BankClient
import BankModel
import Foundation
import Testing

/// Tasks that have chosen the transport's own thread.
@Suite(.timeLimit(.minutes(1)))
struct TransportThreadTests {
    @Test("such a task sends, waits and goes on there; others do not")
    func goesOn() async throws {
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()
            let thread = await withTaskExecutorPreference(transport.executor) { TransportThreadTests.thread() }
            let places: @Sendable () async throws -> [UInt] = {
                let before = TransportThreadTests.thread()
                _ = try await transport.send(HTTPRequest("GET", server.url))
                return [before, TransportThreadTests.thread()]
            }

            let within = try await withTaskExecutorPreference(transport.executor) { try await places() }
            let child = try await Task(executorPreference: transport.executor) { try await places() }.value
            let usual = try await places()

            // Where it begins is where the closure was called; from its first wait on it is on the thread it has chosen.
            #expect(within.last == thread)
            #expect(child == [thread, thread])
            #expect(!usual.contains(thread))
        }
    }

    @Test("many at once are all answered, and those called off end as such")
    func many() async throws {
        try await SocketServer.serving(.whole(200, "{}")) { server in
            let transport = transport()
            let statuses = try await withTaskExecutorPreference(transport.executor) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<100 { group.addTask { try await transport.send(HTTPRequest("GET", server.url)).status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }

            #expect(statuses == Array(repeating: 200, count: 100))
        }
        try await SocketServer.serving(.raw("", .hang)) { server in
            let transport = transport()
            let failures = await withTaskExecutorPreference(transport.executor) {
                await withTaskGroup(of: ClientError?.self) { group in
                    for _ in 0..<10 {
                        group.addTask { await sendingFailure(HTTPRequest("GET", server.url), by: transport)?.error }
                    }
                    await server.hasRead(10)
                    group.cancelAll()
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            let load = await transport.load()

            #expect(failures == Array(repeating: .cancelled, count: 10))
            #expect(load.transfers == 0)
        }
    }

    @Test("the thread stays for as long as a task runs on it, also without the transport")
    func outlives() async throws {
        var transport: CurlTransport? = CurlTransport()
        let executor = try #require(transport?.executor)
        transport = nil

        let places = await withTaskExecutorPreference(executor) {
            let before = TransportThreadTests.thread()
            await Task.yield()
            return [before, TransportThreadTests.thread()]
        }

        #expect(transport == nil)
        #expect(places[0] == places[1])
        #expect(places[0] != TransportThreadTests.thread())
    }

    private static func thread() -> UInt { UInt(pthread_self()) }
}
