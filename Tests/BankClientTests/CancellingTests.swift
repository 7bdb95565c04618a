import BankModel
import Foundation
import Testing

@testable import BankClient

/// Requests that are called off leave nothing behind. `COUNTERFOIL_SOAK=1` in the environment makes 2,000 of them 100,000.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CancellingTests {
    static let isSoak = ProcessInfo.processInfo.environment["COUNTERFOIL_SOAK"] != nil

    @Test("cancelled requests leave no transfer, no handle beyond those kept for the next ones, and no file descriptor")
    func leak() async throws {
        try await SocketServer.serving(.raw("", .hang)) { server in
            let transport = transport(TransportLimits(connect: .seconds(20), total: .seconds(50)))
            let (batch, batches) = (50, (CancellingTests.isSoak ? 100_000 : 2000) / 50)
            try await cancelBatch(of: batch, transport, server)
            let before = try descriptors()

            for _ in 1..<batches { try await cancelBatch(of: batch, transport, server) }

            let after = try descriptors()
            let load = await transport.load()
            #expect(load.transfers == 0)
            #expect(load.handles <= 64)
            // Other tests of this process open files too: a leak of one in a request would be thousands.
            #expect(after - before < batch * batches / 4, "descriptors before \(before), after \(after)")
        }
    }

    /// Sends so many requests, calls them off at once (some before they begin, some amid them), and waits for their ends.
    private func cancelBatch(of count: Int, _ transport: CurlTransport, _ server: SocketServer) async throws {
        await withTaskGroup(of: ClientError?.self) { group in
            for _ in 0..<count {
                group.addTask { await sendingFailure(HTTPRequest("GET", server.url), by: transport)?.error }
            }
            if Bool.random() { await Task.yield() }
            group.cancelAll()
            for await error in group { #expect(error == .cancelled) }
        }
    }

    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
