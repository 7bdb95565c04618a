import BankEngine
import BankModel
import NIOCore
import NIOPosix
import Platform
import Testing
import TestServer

@testable import StubServer

/// A port that shuts and opens.
@Suite struct RestartableListenerTests {
    /// Another socket that listens at the port.
    private func taking(_ port: Int) throws -> StreamSocket {
        let other = try #require(StreamSocket.open())
        other.reuseAddress()
        try #require(other.bind(to: port))
        try #require(other.listen(backlog: 1))
        return other
    }

    @Test func `a listener that is closed while it shuts frees its port`() async throws {
        try await withStub { stub in
            let loop = stub.server.group.next()
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            let context = WireContext(choice, stub.server.configuration)
            var free = 0
            for _ in 1...10 {
                let gate = try await RestartableListener(
                    host: "127.0.0.1", port: 0, WireListener(group: loop), context, ConnectionSet()
                ) { _ in }

                gate.set(isOpen: false)
                gate.close()
                await gate.waitForChange()

                // The listener closes on its loop.
                try await loop.submit {}.get()
                let other = try #require(StreamSocket.open())
                if other.bind(to: gate.port) { free += 1 }
                other.close()
            }

            #expect(free >= 8, "another test may take a port that has just become free")
        }
    }

    @Test func `a listener whose loops have ended is closed`() async throws {
        try await withStub { stub in
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            let context = WireContext(choice, stub.server.configuration)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let listener = try await RestartableListener(
                host: "127.0.0.1", port: 0, WireListener(group: group), context, ConnectionSet()
            ) { _ in }
            try await group.shutdownGracefully()

            listener.close()

            let client = try #require(StreamSocket.open())
            defer { client.close() }
            #expect(!client.connect(to: listener.port))
        }
    }

    @Test(.enabled(if: StreamSocket.endsSharedSockets))
    func `a stopped listener refuses connections, though a process that starts has copies of its sockets`() async throws {
        try await withStub { stub in
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            let context = WireContext(choice, stub.server.configuration)
            let listener = WireListener(group: stub.server.group.next())
            let gate = try await RestartableListener(host: "127.0.0.1", port: 0, listener, context, ConnectionSet()) { _ in }
            defer { gate.close() }
            func isRefused() throws -> Bool {
                let client = try #require(StreamSocket.open())
                defer { client.close() }
                return !client.connect(to: gate.port) && errno == ECONNREFUSED
            }
            // A child has them between fork and exec.
            let copies = (3..<8192 as Range<Int32>).filter { StreamSocket(descriptor: $0).port == gate.port }.map { dup($0) }
            defer { for copy in copies { close(copy) } }
            try #require(!copies.isEmpty)
            try #require(!(try isRefused()))

            gate.set(isOpen: false)
            await gate.waitForChange()
            #expect(try isRefused())

            gate.set(isOpen: true)
            await gate.waitForChange()
            #expect(!(try isRefused()))
        }
    }

    @Test func `a listener whose port is taken opens once it is free`() async throws {
        try await withStub { stub in
            let loop = stub.server.group.next()
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            let context = WireContext(choice, stub.server.configuration)
            let gate = try await RestartableListener(
                host: "127.0.0.1", port: 0, WireListener(group: loop), context, ConnectionSet(), patience: .max
            ) { _ in }
            gate.set(isOpen: false)
            await gate.waitForChange()
            let other = try taking(gate.port)

            gate.set(isOpen: true)
            // Rounds of the loop, in which the first attempt fails.
            for _ in 1...100 { try await loop.submit {}.get() }
            other.close()
            await gate.waitForChange()

            let client = try RawClient(port: gate.port)
            await client.send(request("GET /v1/clock"))
            #expect(await client.response()?.status == 200)
            gate.close()
        }
    }

    @Test func `no start waits without end for a port that stays taken, and it opens all the same once it is free`() async throws {
        try await withStub { stub in
            let loop = stub.server.group.next()
            let choice = SessionChoice(mount: .session(try stub.till), registry: stub.server.registry)
            let context = WireContext(choice, stub.server.configuration)
            let warnings = Locked<[String]>([])
            let gate = try await RestartableListener(
                host: "127.0.0.1", port: 0, WireListener(group: loop), context, ConnectionSet(), patience: 2
            ) { text in warnings.withLock { $0.append(text) } }
            gate.set(isOpen: false)
            await gate.waitForChange()
            let other = try taking(gate.port)

            // Again after it was shut meanwhile: the attempts of the first opening have ended.
            for opening in 1...2 {
                gate.set(isOpen: true)
                await gate.waitForChange()

                #expect(warnings.withLock { $0.count } == opening)
                gate.set(isOpen: opening == 2)
                await gate.waitForChange()
            }

            #expect(warnings.withLock { $0.allSatisfy { $0.contains("port \(gate.port) ") && $0.contains("in use") } })
            other.close()
            // The gate tries every 50 ms. An attempt to connect that is given the port itself as its own is connected
            // to itself (RFC 9293 §3.5), and reads its request.
            var status: Int?
            let end = ContinuousClock.now + .seconds(300)
            while status != 200, ContinuousClock.now < end {
                if let client = try? RawClient(port: gate.port) {
                    await client.send(request("GET /v1/clock"))
                    status = await client.response()?.status
                }
                await Task.yield()
            }
            #expect(status == 200)
            gate.close()
        }
    }
}
