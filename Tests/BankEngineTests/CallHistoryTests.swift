import BankModel
import Platform
import StubServer
import TestBanks
import Testing
import TestServer

/// Many clients at once, with the order in which their calls began and ended: what a client received holds for every call that begins later.
@Suite struct CallHistoryTests {
    /// The beginnings and ends of all calls, in one order.
    private final class History: Sendable {
        struct Call {
            enum Outcome: Equatable {
                case paid, replayed, inFlight
                /// The pennies that have left the account.
                case read(Int)
            }

            let key: String?
            let begin: Int
            let end: Int
            let outcome: Outcome
        }

        let payersLeft: Locked<Int>
        private let clock = Locked(0)
        private let recorded = Locked<[Call]>([])

        init(payers: Int) { payersLeft = Locked(payers) }

        var calls: [Call] { recorded.withLock { $0 } }

        /// Makes one call and records it.
        func call(_ client: RawClient, _ request: String, key: String? = nil) async throws {
            let begin = tick()
            await client.send(request)
            let response = try #require(await client.response())
            let call = Call(key: key, begin: begin, end: tick(), outcome: try outcome(response))
            recorded.withLock { $0.append(call) }
        }

        private func tick() -> Int {
            clock.withLock { clock in
                clock += 1
                return clock
            }
        }

        private func outcome(_ response: RawResponse) throws -> Call.Outcome {
            switch response.status {
            case 201: return response.header("Idempotent-Replayed") == "true" ? .replayed : .paid
            case 409: return .inFlight
            default:
                let balance = try #require(
                    response.json["accounts"]?.array?.first?["balance"]?.string, "\(response.status) \(response.text)")
                return .read(10_000 - (try #require(Int(balance.filter(\.isNumber)))))
            }
        }
    }

    @Test(arguments: [false, true]) func `a read shows each payment acknowledged before, and a key pays once`(isKept: Bool) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let history = History(payers: 4)
        try await withStub(
            configure: {
                $0.eventLoops = 2
                if isKept { $0.keep(in: folder.path + "/state") }
            }
        ) { stub in
            let token = try stub.token()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for payer in 0..<4 {
                    group.addTask {
                        defer { history.payersLeft.withLock { $0 -= 1 } }
                        let client = try stub.client()
                        for number in 0..<80 {
                            // Two payers share each key, so that some of their payments are in flight together.
                            let key = "pair\(payer / 2)-\(number)"
                            try await history.call(client, payment("0.01", key: key, token: token), key: key)
                        }
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        let client = try stub.client()
                        while history.payersLeft.withLock({ $0 }) > 0 {
                            try await history.call(client, request("GET /v1/accounts", token: token))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        check(history.calls)
    }

    private func check(_ calls: [History.Call]) {
        let payments = calls.filter { $0.key != nil }
        #expect(payments.count == 320)
        let paid = payments.filter { $0.outcome == .paid }
        #expect(paid.count == 160 && Set(paid.compactMap(\.key)).count == 160, "each key pays once")
        for call in payments where call.outcome != .paid {
            guard let first = paid.first(where: { $0.key == call.key }) else { continue }
            #expect(first.begin < call.end, "\(call) repeats a payment that has not begun")
            if call.outcome == .inFlight { #expect(call.begin < first.end, "\(call) is in flight after \(first) has ended") }
        }
        var latest: (end: Int, shown: Int) = (0, 0)
        for call in calls.sorted(by: { $0.begin < $1.begin }) {
            guard case .read(let shown) = call.outcome else { continue }
            #expect(shown >= paid.count { $0.end < call.begin }, "\(call) lacks a payment that was acknowledged before")
            #expect(shown <= paid.count { $0.begin < call.end }, "\(call) shows a payment that has not begun")
            if latest.end < call.begin { #expect(shown >= latest.shown, "\(call) shows less than an earlier read") }
            if shown > latest.shown { latest = (call.end, shown) }
        }
        #expect(latest.end > 0, "no read saw a payment")
    }
}
