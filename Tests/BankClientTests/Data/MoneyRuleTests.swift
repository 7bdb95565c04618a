import BankClient
import BankModel
import Testing

/// Money: whole minor units of the currency, never floating point, never rounded, never truncated.
struct MoneyRuleTests {
    @Test(
        arguments: [
            ("JPY", "1280", "1280"), ("JPY", "0.5", nil), ("GBP", "2", "2.00"), ("GBP", "0.01", "0.01"), ("GBP", "160.20", "160.20"),
            ("GBP", "0.010", "0.01"), ("GBP", "0.001", nil), ("BHD", "0.001", "0.001"), ("BHD", "3.25", "3.250"), ("BHD", "0.0001", nil),
            ("CLF", "77.0415", "77.0415"), ("CLF", "0.00001", nil), ("UYW", "1", "1.0000"), ("gbp", "1.00", nil), ("GBPX", "1.00", nil),
            ("GBP", "90071992547409.93", "90071992547409.93"), ("GBP", "92233720368547758.07", "92233720368547758.07"),
            ("GBP", "92233720368547758.08", nil), ("JPY", "9007199254740993", "9007199254740993"),
            ("GBP", "99999999999999999999999999999999999999999", nil),
        ] as [(String, String, String?)])
    func `an amount has the digits of its currency: none, two, three, four`(
        _ currency: String, _ amount: String, _ shown: String?
    ) async throws {
        let number = #"{"value":\#(amount),"currency_iso":"\#(currency)"}"#
        let feed = #"{"id":"t","date":"2026-01-12","description":"","amount":\#(number)}"#
        let bodies = [
            "counterfoil": Rows.body(
                "counterfoil", [Rows.counterfoil("t", "2026-01-12T00:00:00Z", amount: amount, currency: currency), anchor("counterfoil")]),
            "feed": Rows.body("feed", [feed, Rows.row("feed", "anchor", "2000-01-01")]),
        ]
        for (name, body) in bodies {
            let bank = try await Bank(name) { _, _ in .json(200, body) }

            let listing = try await bank.client.transactions(of: Rows.account(name))

            #expect(listing.rows.first { $0.id == "t" }?.amount.major == shown, "\(name)")
            #expect(listing.setAside == (shown == nil ? 1 : 0), "\(name)")
        }
    }

    @Test(
        arguments: [
            ("9007199254740993", "-90071992547409.93"), ("9223372036854775807", "-92233720368547758.07"), ("9223372036854775808", nil),
            ("-9223372036854775808", nil), ("1.5", nil), ("100.0", "-1.00"), ("1e2", "-1.00"), ("\"100\"", nil), ("null", nil),
        ] as [(String, String?)])
    func `minor units are whole numbers of 64 bits; above 2^53 too`(_ units: String, _ shown: String?) async throws {
        let row =
            #"{"feedItemUid":"t","amount":{"currency":"GBP","minorUnits":\#(units)},"direction":"OUT","transactionTime":"2026-01-12T00:00:00Z"}"#
        let client = try await Rows.client("roundup", [row, anchor("roundup")]).client

        let listing = try await client.transactions(of: "a")

        #expect(listing.rows.first { $0.id == "t" }?.amount.major == shown)
    }

    @Test func `the sum of rows and fees is exact, where Float has 55.749977 and Double loses a cent`() async throws {
        let amounts = [
            "160.20,\"fee\":-0.01", "2557.68", "0.10,\"fee\":-0.20", "90071992547409.93", "-0.70,\"fee\":0", "33.33,\"fee\":-1.05",
        ]
        let rows = amounts.enumerated().map { #"{"id":\#($0),"date":"2026-01-12T00:00:00Z","amount":\#($1)}"# }

        let balance = try await sum(rows).balance()

        #expect(balance.balance.major == "90071992550159.28")
        #expect(!balance.statesCurrency)
    }

    @Test func `a fee that is missing or null is 0; one that is not an amount sets its row aside`() async throws {
        let row = { @Sendable (id: Int, rest: String) in #"{"id":\#(id),"date":"2026-01-12T00:00:00Z","amount":10.00\#(rest)}"# }

        let client = try await sum([row(1, ""), row(2, #","fee":null"#), row(3, #","fee":-0.50"#), row(4, #","fee":"0.50""#)])

        #expect(try await client.balance().balance.major == "29.50")
    }

    @Test func `a sum that overflows is reported, not wrapped; no rows give 0`() async throws {
        let row = { @Sendable (id: Int) in #"{"id":\#(id),"date":"2026-01-12T00:00:00Z","amount":92233720368547758.07}"# }
        let bank = try await Bank("bins") { _, _ in .json(200, "[\(row(1)),\(row(2))]") }

        #expect(await bank.error { try await $0.balance() } == .decode)
        #expect(try await sum([]).balance().balance.major == "0.00")
    }

    @Test func `the direction gives the sign of unsigned amounts; an unknown direction sets the row aside`() async throws {
        let day = "2026-01-12T00:00:00Z"
        let rows = ["credit", "debit", "sideways"].map { Rows.counterfoil($0, day, direction: $0) }

        let listing = try await Rows.client("counterfoil", rows).client.transactions(of: "a")

        #expect(listing.rows.map(\.amount.major) == ["1.00", "-1.00"])
        #expect(listing.setAside == 1)
    }

    private func anchor(_ bank: String) -> String { Rows.row(bank, "anchor", "2000-01-01T00:00:00Z") }

    private func sum(_ rows: [String]) async throws -> BankClient {
        try await Bank("bins") { _, _ in .json(200, "[\(rows.joined(separator: ","))]") }.client
    }
}
