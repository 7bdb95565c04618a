import BankModel
import Contracts
import Testing

/// Whole clients that do right in their own ways: no rule may be broken.
@Suite struct InnocentTests {
    @Test(arguments: clients) func `no rule is broken`(_ client: Client) {
        let report = JournalReport(session: "s", bank: "toy", journal: Story.numbered(client.journal))

        #expect(report.rules.filter { $0.verdict == .fail }.map(\.violations) == [])
        for id in client.met { #expect(report.rules.first { $0.id == id }?.verdict == .pass, "\(id)") }
    }

    struct Client: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let journal: [JournalEntry]
        /// The rules that it must have met.
        let met: [String]

        init(_ name: String, _ journal: [JournalEntry], _ met: [String]) {
            testDescription = name
            self.journal = journal
            self.met = met
        }
    }

    static let clients: [Client] = [
        Client(
            "it polls every two seconds through an outage, and waits as long as Retry-After demands", polling,
            ["retry.bounded", "retry.maintenance-honoured"]),
        Client("it reads its accounts side by side when the token dies", parallel, ["auth.one-refresh-for-parallel-rejections"]),
        Client("it reads again what failed", retrying, ["retry.bounded"]),
        Client("its user pays the same twice, seconds and minutes apart", equalOrders, ["auth.no-empty-bearer"]),
        Client("it renews its token ahead of time", ahead, ["auth.refresh-rotation-persisted"]),
        Client("it asks for the status before it sends again", asking, ["pay.transport-resend-harmless", "pay.retry-same-bytes"]),
        Client("it signs in again", signingIn, ["auth.token-cleared-on-rejection"]),
        Client("it never tries again", neverAgain, ["retry.payment-bounded", "retry.bounded", "pay.final-refusal-not-retried"]),
        Client(
            "it makes a connection for each request", manyConnections, ["auth.token-cleared-on-rejection", "pay.server-error-same-key"]),
        Client("it speaks HTTP/2, sixty streams at once", streams, ["auth.one-refresh-for-parallel-rejections"]),
    ]

    private static let polling: [JournalEntry] = (0..<150).map { n in
        let ms = Int64(n) * 2_000
        return (30..<120).contains(n) ? .read(ms, status: 503).saying("Retry-After", "1") : .read(ms)
    }

    /// Concurrent reads of different accounts, on `connections` connections, in rounds of 30 ms.
    private static func reads(
        _ start: Int64, _ token: String, _ response: DialectResponseName? = nil, on connections: Int
    ) -> [JournalEntry] {
        (0..<12).map { n in
            let ms = start + Int64(n / connections * 30 + n % connections)
            return .read(ms, token, response, path: "/v1/accounts/\(n)", on: n % connections + 1)
        }
    }

    private static let parallel: [JournalEntry] =
        [.login(0)] + reads(1_000, "token#1", on: 6) + reads(901_000, "token#1", .tokenExpired, on: 6)
        + [.refresh(901_100, on: 1)] + reads(901_200, "token#2", on: 6)

    private static let retrying: [JournalEntry] = [
        .login(0), .read(100).lost, .read(300, on: 2).lost, .read(700, status: 500, on: 3), .read(1_500, on: 3),
        .read(5_000, status: 502, on: 3), .read(5_200, on: 3), .read(9_000, "token#1", .rateLimited, on: 3), .read(9_400, on: 3),
    ]

    private static let equalOrders: [JournalEntry] = [
        .login(0), .pay(10_000, "key-1"), .pay(13_000, "key-2"), .pay(200_000, "key-3"),
        .pay(300_000, "key-4", .internalError), .pay(302_500, "key-5"), .pay(400_000, "key-6").lost, .pay(580_000, "key-7", on: 2),
    ]

    private static let ahead: [JournalEntry] = (0..<8).flatMap { n -> [JournalEntry] in
        let start = Int64(n) * 840_000
        return [.refresh(start, sends: "refresh#\(n)", gives: n + 1), .read(start + 20, "token#\(n + 1)")]
    }

    private static let asking: [JournalEntry] = {
        func status(_ ms: Int64, _ status: Int) -> JournalEntry {
            .exchange(ms, "GET", "/v1/payments/key-a", "payment", [], token: "token#1", status: status, on: 2)
        }
        return [
            .login(0), .pay(1_000).lost, status(1_100, 404), status(1_400, 404), status(1_700, 404), .pay(2_000, on: 2), status(2_100, 200),
        ]
    }()

    private static let signingIn: [JournalEntry] = [
        .login(0), .read(100), .read(60_000, "token#1", .tokenRejected), .login(75_000, gives: "token#2"), .read(75_050, "token#2"),
        .logout(90_000, "token#2"), .login(120_000, gives: "token#3"), .read(120_050, "token#3"),
    ]

    private static let neverAgain: [JournalEntry] = [
        .login(0), .pay(1_000, "key-1", .internalError), .pay(30_000, "key-2", .insufficientFunds, body: "900.00"),
        .pay(60_000, "key-3").lost,
        .read(70_000, status: 500, on: 2), .read(90_000, on: 2),
    ]

    private static let manyConnections: [JournalEntry] = [
        .login(0, on: 1), .read(50, on: 2), .pay(1_000, "key-1", .internalError, on: 3), .pay(1_300, "key-1", on: 4),
        .read(9_000, "token#1", .tokenExpired, on: 5), .refresh(9_030, on: 6), .read(9_060, "token#2", on: 7),
    ]

    private static let streams: [JournalEntry] = {
        func reads(_ start: Int64, _ token: String, _ response: DialectResponseName? = nil) -> [JournalEntry] {
            (0..<60).map { .read(start + Int64($0), token, response, path: "/v1/accounts/\($0)") }
        }
        let all = [.login(0)] + reads(1_000, "token#1", .tokenExpired) + [.refresh(1_100)] + reads(1_200, "token#2")
        return all.map { entry in entry.with { $0.wireProtocol = .h2 } }
    }()
}
