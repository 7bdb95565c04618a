import BankCore
import BankModel
import TestBanks
import Testing

/// Reads that a fault changes.
@Suite struct ReadAlterationTests {
    /// The ids of a page of ann's entries, two a page, and the cursor of the next.
    private func page(
        _ till: inout Till, _ cursor: String?, _ alteration: ReadAlteration?, token: String
    ) throws -> (ids: [String], next: String?) {
        let response = try #require(
            read(&till, "/v1/accounts/a1/entries?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""), alteration, token))
        return (response.json["entries"]?.array?.compactMap { $0["id"]?.string } ?? [], response.json["next"]?.string)
    }

    private func read(_ till: inout Till, _ target: String, _ alteration: ReadAlteration?, _ token: String) -> BankResponse? {
        guard case .success(.ready(let ticket)) = till.admit("GET", target, token: token) else { return nil }
        return till.state.execute(ticket, at: till.now, alteration: alteration)
    }

    @Test func `a replayed page names itself as the next`() throws {
        var till = try Till()
        let ann = try till.token()
        let first = try page(&till, nil, nil, token: ann)

        let second = try page(&till, first.next, .samePageAgain, token: ann)

        #expect(second.ids == ["e2", "e3"])
        #expect(second.next == first.next)
        #expect(try page(&till, second.next, nil, token: ann).ids == ["e2", "e3"])
    }

    @Test func `a shifted page begins one row too early`() throws {
        var till = try Till()
        let ann = try till.token()
        let first = try page(&till, nil, .overlap, token: ann)

        let second = try page(&till, first.next, .overlap, token: ann)

        #expect(first.ids == ["e6", "e4"])
        #expect(second.ids == ["e4", "e2"])
    }

    @Test func `an expired cursor is rejected in the dialect's words`() throws {
        var till = try Till()
        let ann = try till.token()
        let next = try page(&till, nil, .expiredCursor, token: ann).next

        let target = "/v1/accounts/a1/entries?limit=2&cursor=\(try #require(next))"

        #expect(read(&till, target, .expiredCursor, ann)?.error == "cursor-expired")
    }

    @Test func `an endless list starts again under cursors that never come twice`() throws {
        var till = try Till()
        let ann = try till.token()
        var cursor: String?
        var pages: [[String]] = []
        var cursors: Set<String> = []

        for _ in 1...9 {
            let next = try page(&till, cursor, .endless, token: ann)
            pages.append(next.ids)
            cursor = next.next
            #expect(cursors.insert(try #require(cursor)).inserted)
        }

        let round = [["e6", "e4"], ["e2", "e3"], ["e1"]]
        #expect(pages == round + round + round)
    }

    @Test func `a stale read shows rows and balances of then`() throws {
        var till = try Till()
        let ann = try till.token()
        let early = try #require(till.pay("10.00", key: "k1", token: ann).json["id"]?.string)
        till.now = till.now + .seconds(60)
        let late = try #require(till.pay("5.00", key: "k2", token: ann).json["id"]?.string)
        func balance(_ alteration: ReadAlteration?) -> String? { read(&till, "/v1/accounts/a1", alteration, ann)?.json["balance"]?.string }

        #expect(balance(nil) == "85.00")
        #expect(balance(.stale(.seconds(30))) == "90.00")
        #expect(balance(.stale(.seconds(90))) == "100.00")
        #expect(read(&till, "/v1/payments/\(late)", .stale(.seconds(30)), ann)?.status == 404)
        #expect(read(&till, "/v1/payments/\(early)", .stale(.seconds(30)), ann)?.status == 200)
        #expect(till.state.ledger.movements.count == 2, "looking back changes nothing")
        #expect(balance(nil) == "85.00")
    }
}
