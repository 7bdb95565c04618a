@testable import CounterfoilDriver
import DriverProtocol
import Foundation
import Testing

@Suite struct ShownTests {
    @Test(arguments: [(1230 as Int64, "GBP", "12.30"), (-5, "GBP", "-0.05"), (1230, "JPY", "1230"), (1230, "KWD", "1.230")])
    func `an amount has the digits of its currency`(_ units: Int64, _ currency: String, _ text: String) {
        #expect(Shown.amount(minorUnits: units, currency: currency) == text)
        #expect(Shown.minorUnits(text, currency: currency) == units)
    }

    @Test func `a decimal is shown with all digits, and never rounded`() throws {
        #expect(Shown.amount(try #require(Decimal(string: "12.3")), currency: "GBP") == "12.30")
        #expect(Shown.amount(try #require(Decimal(string: "12.345")), currency: "GBP") == nil)
    }

    @Test(arguments: [("Europe/London", "2026-01-12"), ("Pacific/Auckland", "2026-01-13"), ("America/New_York", "2026-01-12")])
    func `a day is that of the case's time zone`(_ zone: String, _ day: String) throws {
        let instant = try Date("2026-01-12T23:30:00Z", strategy: .iso8601)

        #expect(Shown.day(instant, in: try #require(TimeZone(identifier: zone))) == day)
    }

    @Test func `the words after --try are an address and operations with their arguments`() {
        let trial = Trial(["http://127.0.0.1:8080/counterfoil/", "login", "user=ava", "password=a=b", "balance"])

        #expect(trial?.url == "http://127.0.0.1:8080/counterfoil")
        #expect(
            trial?.steps == [
                Trial.Asked(operation: "login", arguments: ["user": "ava", "password": "a=b"]), Trial.Asked(operation: "balance"),
            ])
        #expect(trial?.start(banks: ["roundup", "counterfoil"], in: "/tmp").bank == "counterfoil")
    }

    @Test(arguments: [[], ["login"], ["http://127.0.0.1:1", "user=ava"]])
    func `words that are not of a trial are rejected`(_ words: [String]) {
        #expect(Trial(words) == nil)
    }
}
