import BankModel
import Foundation
import Testing

@testable import BankClient

/// Cancelled requests leave nothing behind. `COUNTERFOIL_SOAK=1` in the environment makes 2,000 of them 100,000.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Descriptors.canBeCounted, "there is no /proc on this machine to count them"))
struct CancellingTests {
    static let isSoak = ProcessInfo.processInfo.environment["COUNTERFOIL_SOAK"] != nil

    /// The progress of requests when they are cancelled.
    enum Moment: CaseIterable {
        /// Some are not yet with libcurl, some are.
        case beginning
        /// The connection is requested and never established.
        case connecting
        /// The server has read the request and sends nothing.
        case waiting
        /// A part of the body has arrived.
        case receiving
    }

    /// The number of requests in progress at once, and the number of such batches.
    private static let (batch, batches) = (50, (isSoak ? 100_000 : 2000) / 50 / Moment.allCases.count)

    @Test(
        arguments: Moment.allCases)
    func `cancelled requests leave no transfer, no handle beyond the spare ones, and no descriptor`(_ moment: Moment) async throws {
        let begun = moment == .receiving ? "HTTP/1.1 200 OK\nContent-Length: 1000\n\nsome" : ""
        try await SocketServer.serving(.raw(begun, .hang)) { server in
            let full = try FullListener()
            let port = moment == .connecting ? full.port : server.port
            let transport = transport(TransportLimits(connect: .seconds(200), total: .seconds(300)))
            // Those that fill the queue are of this process too.
            let (fills, waitingFills) = (try Descriptors.sockets(to: port), try Descriptors.sockets(to: port, in: .connecting))
            var before = 0

            for number in 0..<CancellingTests.batches {
                try await withThrowingTaskGroup(of: ClientError?.self) { group in
                    for _ in 0..<CancellingTests.batch {
                        group.addTask { await sendingFailure(HTTPRequest("GET", "http://127.0.0.1:\(port)"), by: transport)?.error }
                    }
                    await hasCome(to: moment, (number + 1) * CancellingTests.batch, transport, server)
                    if number == 0, moment == .connecting {
                        // libcurl opens a transfer's socket some turns of its loop after it has taken the transfer.
                        var connecting = 0
                        while connecting < CancellingTests.batch + waitingFills {
                            await Task.yield()
                            connecting = try Descriptors.sockets(to: port, in: .connecting)
                        }
                        #expect(connecting == CancellingTests.batch + waitingFills)
                    }
                    group.cancelAll()
                    for try await error in group { #expect(error == .cancelled) }
                }
                await server.hasClosedAll()
                if number == 0 { before = try Descriptors.all() }
            }

            let (left, load) = (try Descriptors.sockets(to: port), await transport.load())
            #expect(load.transfers == 0)
            #expect(load.handles <= CancellingTests.batch)
            #expect(left == fills)
            // A leak of one for each request would be 450 at the least. It remains, unlike what other tests of this process have open now.
            let end = ContinuousClock.now + .seconds(300)
            var after = try Descriptors.all()
            while after - before >= 200, ContinuousClock.now < end {
                await Task.yield()
                after = try Descriptors.all()
            }
            #expect(after - before < 200, "descriptors before \(before), after \(after)")
        }
    }

    /// Returns once the requests of this batch, `total` with those before it, have reached that moment.
    private func hasCome(to moment: Moment, _ total: Int, _ transport: CurlTransport, _ server: SocketServer) async {
        switch moment {
        case .beginning: await Task.yield()
        case .connecting:
            while await transport.load().transfers < CancellingTests.batch { await Task.yield() }
            // The loop has begun with the last of them, and requested its connection by the time it counts again.
            _ = await transport.load()
        case .waiting: await server.hasRead(total)
        case .receiving: while await transport.load().receiving < CancellingTests.batch { await Task.yield() }
        }
    }
}
