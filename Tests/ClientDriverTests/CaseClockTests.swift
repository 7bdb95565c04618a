import BankClient
import BankModel
import ClientDriver
import CounterfoilDriver
import DriverProtocol
import Foundation
import Platform
import TestBanks
import Testing

/// The feature `clock`: the time of day is the harness's.
struct CaseClockTests {
    @Test func `the time sent is the time from then on, even an earlier one; waits remain real`() throws {
        let then = try #require(Instant(rfc3339: "2026-01-12T09:00:00Z"))
        let clock = CaseClock(then)

        #expect(clock.now() >= then)
        #expect(clock.now() < then + .seconds(3600))
        clock.set(nil)
        #expect(clock.now() < then + .seconds(3600))
        clock.set(then + .seconds(-86_400))
        #expect(clock.now() < then)
        #expect(clock.uptime() < .seconds(3600))
    }

    @Test func `without a time sent it is the machine's`() {
        let (before, now, after) = (SystemClock().now(), CaseClock().now(), SystemClock().now())

        #expect(before <= now)
        #expect(now <= after)
    }

    @Test func `the case's and each step's time reach the client, and a round-up is shown`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let bank = RoundUpTransport()
        let model = ModelClient { parts, _ in
            var parts = parts
            parts.caller.transport = bank
            parts.useStore(parts.store)
            return BankClient(parts)
        }
        var start = CaseStart(
            id: "c", baseURL: "http://bank", stateDirectory: folder.path, bank: "counterfoil",
            login: CaseStart.Login(user: "ava", password: "x"))
        start.timeZone = "Pacific/Auckland"
        start.now = Instant(rfc3339: "2026-01-20T09:00:00Z")
        let open = try model.open(start)
        func roundUp(_ intent: String, now: String?) async -> StepResult {
            let arguments: JSON = ["intent": .string(intent), "account": "a", "goal": "g"]
            return await open.perform(
                Step(operation: .roundUp, arguments: StepArguments(arguments), now: now.flatMap(Instant.init(rfc3339:))))
        }
        _ = await open.perform(Step(operation: .login, arguments: StepArguments([:])))

        #expect(await roundUp("A", now: nil) == .ok(view: ["amount": "0.65", "currency": "GBP", "payment": "p"]))
        #expect(await roundUp("B", now: "2026-01-21T12:00:00Z") == .error("nothing_to_do", detail: "found no purchase in the last 7 days"))

        #expect(bank.froms == ["2026-01-12T11%3A00%3A00.000Z", "2026-01-14T11%3A00%3A00.000Z"])
        #expect(model.features.contains(.clock))
    }
}

/// Signs anybody in, has one purchase of 4.35 on 13 January, accepts any payment; records the start of each list's period.
private final class RoundUpTransport: HTTPTransport {
    private let noted = Locked<[String]>([])

    var froms: [String] { noted.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        if request.url.hasSuffix("/oauth/token") { return answer(200, #"{"access_token":"t","token_type":"Bearer"}"#) }
        if request.method == "POST" { return answer(201, #"{"id":"p","state":"settled"}"#) }
        let query = request.url.split(separator: "?").last ?? ""
        noted.withLock { $0 += query.split(separator: "&").filter { $0.hasPrefix("from=") }.map { String($0.dropFirst(5)) } }
        return answer(
            200,
            #"{"transactions":[{"id":"1","booked_at":"2026-01-13T08:00:00Z","status":"booked","direction":"debit","kind":"card","#
                + #""amount":{"amount":"4.35","currency":"GBP"},"description":"x"}]}"#)
    }

    private func answer(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }
}
