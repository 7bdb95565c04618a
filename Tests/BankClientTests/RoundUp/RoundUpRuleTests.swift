@testable import BankClient
import BankModel
import Foundation
import Testing

/// The rows that are rounded up, and the amounts.
struct RoundUpRuleTests {
    private let now = Instant(rfc3339: "2026-01-20T09:00:00Z") ?? Instant(seconds: 0)

    @Test(
        arguments: [
            ("GBP", [435, 520, 87], 158), ("GBP", [400, 1, 2000], 99), ("GBP", [101], 99), ("GBP", [0, 50], 50), ("JPY", [1280, 7], nil),
            ("BHD", [3250, 1], 1749), ("CLF", [10_001], 9999), ("GBP", [100, 200], nil), ("GBP", [], nil),
            ("GBP", [9_007_199_254_740_993], 7),
        ] as [(String, [Int64], Int64?)])
    func `each purchase is rounded to the next whole unit of its currency`(_ code: String, _ purchases: [Int64], _ expected: Int64?) {
        let rows = purchases.map { row($0, currency(code)) }

        #expect(sum(rows) == expected.map { .success($0) } ?? .failure(.nothingToDo))
    }

    @Test func `incoming, unsettled and internal movements do not count`() {
        var (incoming, pending, transfer) = (row(150), row(150), row(150))
        incoming.isOutgoing = false
        pending.isSettled = false
        transfer.isInternal = true

        #expect(sum([incoming, pending, transfer, row(130)]) == .success(70))
        #expect(sum([incoming, pending, transfer]) == .failure(.nothingToDo))
    }

    @Test func `purchases in two currencies are not added up; rows that do not count may be in any`() {
        var foreign = row(150, currency("EUR"))
        #expect(sum([row(130), foreign]) == .failure(.rejected))

        foreign.isSettled = false
        #expect(sum([row(130), foreign]) == .success(70))
    }

    @Test(
        arguments: [
            ("UTC", "2026-01-13T00:00:00Z"), ("America/New_York", "2026-01-13T05:00:00Z"), ("Pacific/Auckland", "2026-01-12T11:00:00Z"),
        ])
    func `the window opens at the first instant of the day seven days ago where the device is`(_ zone: String, _ opens: String) throws {
        let rules = RoundUpRules(timeZone: try #require(TimeZone(identifier: zone)))
        let first = try #require(Instant(rfc3339: opens))
        let period = rules.period(until: now)
        let rows = [first + .milliseconds(-1), first, now, now + .milliseconds(1)].map { row(199, at: $0) }

        #expect(period == Period(from: first, to: now))
        #expect(try rules.amount(of: rows, in: period).minorUnits == 2)
    }

    @Test func `a day without midnight opens when it begins`() throws {
        let rules = RoundUpRules(timeZone: try #require(TimeZone(identifier: "America/Santiago")))
        let later = try #require(Instant(rfc3339: "2019-09-15T12:00:00Z"))

        #expect(rules.period(until: later).from == Instant(rfc3339: "2019-09-08T04:00:00Z"))
    }

    private func row(_ minorUnits: Int64, _ currency: Currency = currency("GBP"), at: Instant? = nil) -> RoundUpRow {
        RoundUpRow(
            at: at ?? now, amount: Money(minorUnits: minorUnits, currency: currency), isOutgoing: true, isSettled: true, isInternal: false)
    }

    private func sum(_ rows: [RoundUpRow]) -> Result<Int64, ClientError> {
        let rules = RoundUpRules(timeZone: .gmt)
        do throws(ClientFailure) {
            return .success(try rules.amount(of: rows, in: rules.period(until: now)).minorUnits)
        } catch {
            return .failure(error.error)
        }
    }
}
