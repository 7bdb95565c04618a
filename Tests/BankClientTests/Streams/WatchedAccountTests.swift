import BankModel
import Foundation
import Platform
import Testing

@testable import BankClient

/// An account that events keep up to date.
@Suite struct WatchedAccountTests {
    private let bank = CounterfoilBank(Reading(timeZone: .gmt))

    private func money(_ pence: Int64) -> Money { Money(minorUnits: pence, currency: currency("GBP")) }

    private func row(_ id: String, _ pence: Int64, day: Int = 1, pending: Bool? = false) -> Transaction {
        Transaction(id: id, date: CivilDate(daysSinceEpoch: day), description: id, amount: money(pence), pending: pending)
    }

    /// One with 10.00 and the row `old`, read when the newest event was number 5.
    private func account(_ rules: StreamRules = StreamRules()) -> WatchedAccount {
        var account = WatchedAccount("a", rules)
        account.apply(.removal("x"), number: 5)
        account.beginRead()
        account.endRead(Balance(balance: money(1000)), [row("old", 100)])
        return account
    }

    private func balance(_ pence: Int64, of account: String = "a") -> StreamedChange {
        .balance(Balance(balance: money(pence)), account: account)
    }

    private func shown(_ account: WatchedAccount) -> String {
        guard let shown = account.shown else { return "nothing" }
        return "\(shown.balance.balance.major) " + shown.rows.map(\.id).joined(separator: " ")
    }

    @Test func `what events bring is shown, of this account alone`() {
        var account = account()
        #expect(shown(account) == "10.00 old")
        account.apply(balance(1200), number: 6)
        account.apply(.row(row("new", 200), account: "a"), number: 7)
        account.apply(balance(9900, of: "b"), number: 8)
        account.apply(.row(row("other", 200), account: "b"), number: 9)
        #expect(shown(account) == "12.00 new old")
        account.apply(.removal("old"), number: 10)
        account.apply(.removal("nobody's"), number: nil)
        #expect(shown(account) == "12.00 new")
    }

    @Test func `of two events about the same thing the newer counts, in any order and however often`() {
        var account = account()
        for number in [8, 6, 8, 7] { account.apply(balance(Int64(number) * 100), number: number) }
        for number in [11, 9, 11] { account.apply(.row(row("new", 200), account: "a"), number: number) }
        #expect(shown(account) == "8.00 new old")
        account.apply(.removal("new"), number: 13)
        account.apply(.row(row("new", 200), account: "a"), number: 12)
        #expect(shown(account) == "8.00 old")
        account.apply(.removal("old"), number: 5)
        #expect(shown(account) == "8.00 old", "the read has seen that event")
    }

    @Test func `the latest day comes first, then pending rows, then the newest`() {
        var account = account()
        for (number, row) in [row("b", 1), row("later", 1, day: 2), row("c", 1), row("pending", 1, pending: true)].enumerated() {
            account.apply(.row(row, account: "a"), number: number + 6)
        }
        #expect(shown(account) == "10.00 later pending c b old")
    }

    @Test func `after a reset everything is read again, and numbers begin again`() {
        var account = account()
        account.apply(.reset, number: nil)
        #expect(account.needsRead)
        #expect(shown(account) == "nothing")
        account.apply(balance(1), number: 1)
        account.beginRead()
        account.apply(balance(1300), number: 2)
        account.endRead(Balance(balance: money(1200)), [])
        #expect(shown(account) == "13.00 ")
    }

    @Test func `a read that fails is repeated, and so is one after too many changes`() {
        var account = account()
        account.beginRead()
        account.abandonRead()
        #expect(account.needsRead)
        account.beginRead()
        account.endRead(Balance(balance: money(1000)), [])
        for number in 6...1006 { account.apply(.row(row("row\(number)", 1), account: "a"), number: number) }
        #expect(account.needsRead)
    }

    @Test(
        arguments: [
            ("accounts", #"{"id":"a","balance":{"amount":"12.00","currency":"GBP"}}"#, true),
            ("accounts", #"{"id":"a","balance":12}"#, false),
            (
                "transactions",
                #"{"id":"t","booked_at":"2026-01-12T09:00:00Z","direction":"credit","amount":{"amount":"1.00","currency":"GBP"},"account":"a"}"#,
                true
            ),
            (
                "transactions",
                #"{"id":"t","booked_at":"2026-01-12T09:00:00Z","direction":"credit","amount":{"amount":"1.00","currency":"GBP"}}"#, false
            ),
            ("transactions", #"{"id":"t","account":"a"}"#, false), ("transactions-removed", #"{"id":"t"}"#, true),
            ("reset", "{}", true), ("weather", #"{"id":"t"}"#, false), ("accounts", "{", false),
        ])
    func `events that cannot be read change nothing`(_ type: String, _ data: String, _ counts: Bool) {
        #expect((bank.change(ServerSentEvent(type: type, data: data)) != nil) == counts)
    }

    @Test func `the number of an event is the end of its id`() {
        #expect(["1w-7", "7", "1w-", "", "-3"].map(bank.number(of:)) == [7, 7, nil, nil, 3])
    }

    @Test func `the waits grow with failures and are never shorter than what the bank asks for`() {
        let (rules, lost) = (StreamRules(), ClientFailure(.offline, "lost", mayHaveLeft: true, retryable: true))
        #expect(rules.wait(nil, 0, .seconds(2)) == .seconds(2))
        #expect(rules.wait(lost, 1, .seconds(2)) == .seconds(2))
        #expect(rules.wait(lost, 3, .seconds(2)) == .seconds(8))
        #expect(rules.wait(nil, 0, nil) == .seconds(3))
        #expect(rules.wait(lost, 8, .seconds(2)) == nil)
        #expect(rules.wait(ClientFailure(.unauthorized, "no", mayHaveLeft: true), 1, .seconds(2)) == nil)
    }
}

/// A stream as libcurl brings it.
@Suite struct StreamTransportTests {
    private static let limits = TransportLimits(connect: .seconds(300), total: .milliseconds(200))

    /// What is handed over, and what is returned.
    private func send(_ scripted: SocketServer.Response) async throws -> (pieces: String, body: String) {
        try await SocketServer.serving(scripted) { server in
            let pieces = Locked<[UInt8]>([])
            let transport = CurlTransport(limits: Self.limits)
            let response = try await transport.send(HTTPRequest("GET", server.url), within: .seconds(300)) { bytes in
                pieces.withLock { $0 += bytes }
                return true
            }
            return (String(decoding: pieces.withLock { $0 }, as: UTF8.self), String(decoding: response.body, as: UTF8.self))
        }
    }

    @Test func `a stream is handed over, and any other response returned`() async throws {
        let head = "HTTP/1.1 200 OK\nContent-Type: text/event-stream; charset=utf-8\nTransfer-Encoding: chunked\n\n"
        let stream = try await send(.raw(head + "b\ndata: a\n\n\n0\n\n", .keep))
        #expect(stream.body == "")
        #expect(stream.pieces.hasPrefix("data: a"))

        let page = try await send(.whole(200, "{}"))
        #expect(page.pieces == "")
        #expect(page.body == "{}")
        let rejection = try await send(.whole(401, "data: a", type: "text/event-stream"))
        #expect(rejection.pieces == "")
        #expect(rejection.body == "data: a")
    }
}
