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
            let place: @Sendable () async throws -> [Bool] = {
                let before = TransportThreadTests.isOnThread()
                _ = try await transport.send(HTTPRequest("GET", server.url))
                return [before, TransportThreadTests.isOnThread()]
            }

            let chosen = try await withTaskExecutorPreference(transport.executor) { try await place() }
            let usual = try await place()

            #expect(chosen == [true, true])
            #expect(usual == [false, false])
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
            let before = TransportThreadTests.isOnThread()
            await Task.yield()
            return [before, TransportThreadTests.isOnThread()]
        }

        #expect(transport == nil)
        #expect(places == [true, true])
    }

    private static func isOnThread() -> Bool { Thread.current.name == "counterfoil-curl" }
}
