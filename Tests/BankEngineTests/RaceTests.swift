import BankCore
import BankEngine
import BankModel
import Foundation
import Platform
import StubServer
import TestBanks
import Testing
import TestServer

/// Many at once: one key moves money once, and a reset leaves nothing of the earlier state.
@Suite struct RaceTests {
    private static let parallel = 200

    @Test(arguments: [false, true]) func `two hundred parallel requests with one key move money once`(isKept: Bool) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await withStub(
            configure: {
                $0.eventLoops = 2
                if isKept { $0.keep(in: folder.path + "/state") }
            }
        ) { stub in
            let token = try stub.token()
            let clients = try (0..<Self.parallel).map { _ in try stub.client() }

            for round in 1...(isKept ? 10 : 100) {
                // In every fourth round the first to arrive is held, so that all others find a key in flight.
                let isHeld = round.isMultiple(of: 4)
                if isHeld {
                    let text = #"{"fault": {"delay": {"at_point": "request", "until": "released"}}, "on": {"role": "pay"}, "times": 1}"#
                    _ = try stub.till.set(rule(text))
                    try stub.till.clearJournal()
                }
                let bytes = Array(payment("0.01", key: "round-\(round)", token: token).utf8)
                for client in clients { await client.send(Array(bytes.dropLast())) }
                for client in clients { await client.send([bytes[bytes.count - 1]]) }
                if isHeld {
                    _ = try await stub.till.entries { $0.count == Self.parallel }
                    stub.server.registry.session("till")?.release()
                }
                var responses: [RawResponse] = []
                for client in clients { if let response = await client.response() { responses.append(response) } }

                let kinds = Dictionary(grouping: responses) { Kind($0) }.mapValues(\.count)
                // A late response would count for the next round.
                try #require(kinds == [.fresh: 1, isHeld ? .inFlight : .replay: 199], "round \(round)")
                let bodies = Set(responses.filter { $0.status == 201 }.map(\.body))
                #expect(bodies.count == 1, "round \(round)")
                let ledger = try stub.till.ledger
                #expect(ledger.movements.map(\.key) == (1...round).map { "round-\($0)" }, "round \(round)")
                #expect(ledger.isBalanced, "round \(round)")
            }
        }
    }

    @Test(arguments: [false, true]) func `resets amid payments leave no mixed state`(isKept: Bool) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let (payers, resets) = (8, 60)
        try await withStub(
            configure: {
                $0.eventLoops = 2
                if isKept { $0.keep(in: folder.path + "/state") }
            }
        ) { stub in
            let till = try stub.till
            let race = Race()

            try await withThrowingTaskGroup(of: Void.self) { group in
                for payer in 1...payers {
                    group.addTask {
                        while !race.isOver.withLock({ $0 }) {
                            try await pay(stub, payer) { response in
                                if let response { race.paid.withLock { $0.append(response) } }
                                race.answered.yield()
                                return !race.isOver.withLock { $0 }
                            }
                        }
                    }
                }
                group.addTask {
                    defer { race.isOver.withLock { $0 = true } }
                    var answers = race.answers.makeAsyncIterator()
                    for reset in 0..<resets {
                        // Some wait before they are executed, so that a reset occurs in the middle.
                        _ = try till.set(rule(#"{"fault": {"delay": {"at_point": "request", "fixed": "1ms"}}, "on": {"role": "pay"}}"#))
                        for _ in 1...30 { _ = await answers.next() }
                        let strays = till.ledger.movements.compactMap(\.key).filter { !$0.hasPrefix("e\(reset)-") }
                        race.mixed.withLock { $0 += strays.map { "\($0) after \(reset) resets" } }
                        till.reset()
                    }
                    for _ in 1...30 { _ = await answers.next() }
                }
                try await group.waitForAll()
            }

            #expect(race.mixed.withLock(\.self) == [])
            till.removeRules()
            let (ledger, token) = (till.ledger, try stub.token())
            #expect(ledger.isBalanced)
            let keys = ledger.movements.compactMap(\.key)
            #expect(Set(keys).count == keys.count)
            #expect(keys.allSatisfy { $0.hasPrefix("e\(resets)-") })
            let responses = race.paid.withLock(\.self)
            #expect(Set(responses.map(\.epoch)).count > resets / 2)
            for response in responses.suffix(400) {
                let read = try await stub.ask(request("GET /v1/payments/\(response.id)", token: token))
                guard response.epoch == resets else {
                    #expect(read.status == 404, "\(response.key) is of before the last reset")
                    continue
                }
                #expect(keys.contains(response.key), "\(response.key)")
                #expect(read.body == response.body, "\(response.key)")
                let again = try await stub.ask(payment("0.01", key: response.key, token: token))
                #expect(again.header("Idempotent-Replayed") == "true", "\(response.key)")
                #expect(again.body == response.body, "\(response.key)")
            }
            #expect(till.ledger.movements.count == keys.count, "replays move nothing")
        }
    }

    /// The result of a payment.
    private enum Kind: Hashable {
        case fresh, replay, inFlight
        case other(Int, String)

        init(_ response: RawResponse) {
            switch response.status {
            case 201: self = response.header("Idempotent-Replayed") == "true" ? .replay : .fresh
            case 409 where response.error == "key-in-flight": self = .inFlight
            default: self = .other(response.status, response.text)
            }
        }
    }

    /// The shared state of payers, the resetting task and the test.
    private final class Race: Sendable {
        let paid = Locked<[Paid]>([])
        /// Movements under keys from before a reset.
        let mixed = Locked<[String]>([])
        let isOver = Locked(false)
        /// One element for each response, and for each missing one.
        let (answers, answered) = AsyncStream<Void>.makeStream()
    }

    /// A payment's result for the client.
    private struct Paid {
        let key: String
        /// The number of resets before its token was issued.
        let epoch: Int
        let body: [UInt8]
        var id: String { (try? JSON(parsing: body))?["id"]?.string ?? "none" }
    }

    /// Pays with one token, on one connection, for as long as `goOn` returns true.
    private func pay(_ stub: Stub, _ payer: Int, _ goOn: (Paid?) -> Bool) async throws {
        let (token, client) = (try stub.token(), try stub.client())
        let epoch = token.split(separator: "_").dropFirst(2).first.flatMap { Int($0) } ?? -1
        while true {
            let key = "e\(epoch)-\(payer)-\(UInt32.random(in: 0 ... .max))"
            await client.send(payment("0.01", key: key, token: token))
            guard let response = await client.response(), response.status == 201 else {
                _ = goOn(nil)
                return
            }
            guard goOn(Paid(key: key, epoch: epoch, body: response.body)) else { return }
        }
    }
}
