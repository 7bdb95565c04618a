import BankClient
import BankEngine
import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Logging
import Platform
import StubServer
import TestBanks
import Testing

@testable import Harness

/// The dates of what a conforming client shows, beside those that the bank serves.
@Suite struct ExpectedDateTests {
    /// A machine whose wall clock is a day later at each reading, until it is held.
    private final class DailyClock: Sendable {
        private let state = Locked((readings: Int64(0), isHeld: false))

        var clock: MachineClock {
            MachineClock(
                now: {
                    self.state.withLock { state in
                        if !state.isHeld { state.readings += 1 }
                        return Instant(seconds: 1_795_600_000 + state.readings * 86_400)
                    }
                }, monotonic: { 1_000_000_000_000 })
        }

        func hold() { state.withLock { $0.isHeld = true } }
    }

    /// A case that opened its session just before midnight accused the client of a wrong day.
    @Test func `expected dates follow the start that the session itself has`() async throws {
        let loaded = try Clone.library.load("feed")
        let source = BankSource(bank: loaded.bank, files: [], reload: { throw CancellationError() })
        let daily = DailyClock()
        var configuration = ServerConfiguration(seed: 1)
        configuration.clock = daily.clock
        let server = try await StubServer([source], configuration, logger: Logger(label: "test"))
        let bank = StubServerBank(server, [loaded])

        let session = try await bank.openSession(SessionParameters(bank: "feed", name: "s", seed: 1))
        daily.hold()
        let transport = CurlTransport(limits: TransportLimits(connect: .seconds(300), total: .seconds(300)))
        let response = try await transport.send(HTTPRequest("GET", "\(session.baseURL)/v2/5b33bdb43200008f/"))
        let view = try #require(session.expectedViews(customer: "ava", timeZone: "UTC")[.transactions])
        await session.close()
        await bank.shutdown()

        let shown = view["transactions"]?.array?.compactMap { $0["date"]?.string?.prefix(10) }.map(String.init) ?? []
        let served = String(decoding: response.body, as: UTF8.self)
        #expect(shown.count > 5)
        #expect(shown.filter { !served.contains($0) }.isEmpty, "shown \(shown), served \(served)")
    }
}
