import BankClient
import BankModel
import Testing

/// Dates are parsed strictly; a row without its agreed date is set aside, and never rolls over.
struct DateRuleTests {
    private static let instants = ["counterfoil", "roundup", "bins"]

    @Test(
        arguments: instants,
        [
            ("2026-01-12T09:15:00Z", "2026-01-12"), ("2026-01-12T09:15:00.000Z", "2026-01-12"), ("2026-01-12T23:59:59.5Z", "2026-01-12"),
            ("2026-01-12T23:59:59.999999Z", "2026-01-12"), ("2026-01-12T09:15:00+13:00", "2026-01-11"),
            ("2026-01-12T23:30:00-01:00", "2026-01-13"), ("2026-01-12T09:15:00+0000", "2026-01-12"), ("2024-02-29T00:00:00Z", "2024-02-29"),
            ("2026-01-12t09:15:00z", "2026-01-12"),
        ])
    func `an instant is read with and without fraction, with Z and with an offset, and shown on its day in UTC`(
        _ bank: String, _ text: (date: String, day: String)
    ) async throws {
        let client = try await Rows.client(bank, [Rows.row(bank, "t", text.date)]).client

        let listing = try await client.transactions(of: Rows.account(bank))

        #expect(listing.rows.map(\.date.description) == [text.day])
    }

    @Test(
        arguments: instants,
        [
            "2026-02-30T10:00:00Z", "2026-02-29T10:00:00Z", "2026-13-01T10:00:00Z", "2026-00-10T10:00:00Z", "2026-01-32T10:00:00Z",
            "2018-07-30T19:36:60.000Z", "2018-07-24T56.000Z", "07-22T13:51:12.000Z", "2018--11T11:31:27.000Z", "2026-01-12T24:00:00Z",
            "2026-01-12T10:60:00Z", "2026-01-12T10:00:00", "2026-01-12 10:00:00Z", "2026-01-12T10:00Z", "2026-01-12", "26-01-12T10:00:00Z",
            "2026-1-12T10:00:00Z", "2026-01-12T10:00:00.Z", "2026-01-12T10:00:00Zx", "",
        ])
    func `a text that is not an instant sets its row aside, and only that one`(_ bank: String, _ text: String) async throws {
        let rows = [Rows.row(bank, "good", "2026-01-12T10:00:00Z"), Rows.row(bank, "bad", text)]

        let listing = try await Rows.client(bank, rows).client.transactions(of: Rows.account(bank))

        #expect(listing.rows.map(\.id) == ["good"])
        #expect(listing.setAside == 1)
    }

    @Test(
        arguments: [
            ("4/11/2015", "2015-11-04"), ("04/11/2015", "2015-11-04"), ("29/02/2024", "2024-02-29"), ("31/12/2023", "2023-12-31"),
            ("30/02/2015", nil), ("29/02/2015", nil), ("31/04/2015", nil), ("22/08/20", nil), ("0/11/2015", nil), ("4/13/2015", nil),
            ("4/1/2015", nil), ("004/11/2015", nil), (" 4/11/2015", nil), ("4/11/2015 ", nil), ("4-11-2015", nil), ("2015-11-04", nil),
            ("4/11", nil), ("4/11/2015/1", nil), ("٤/11/2015", nil), ("", nil),
        ] as [(String, String?)])
    func `snapshot's day may lack its zero; a year of two digits and a day that is none are set aside`(
        _ text: String, _ day: String?
    ) async throws {
        let rows = [Rows.row("snapshot", "t", text), Rows.row("snapshot", "anchor", "01/01/2000")]

        let listing = try await Rows.client("snapshot", rows).client.transactions()

        #expect(listing.rows.first { $0.id == "t" }?.date.description == day)
        #expect(listing.setAside == (day == nil ? 1 : 0))
    }

    @Test(
        arguments: [
            ("2026-01-12", "2026-01-12"), ("2024-02-29", "2024-02-29"), ("2026-02-30", nil), ("2026-1-12", nil), ("26-01-12", nil),
            ("2026-01-12T00:00:00Z", nil), ("12/01/2026", nil), ("2026-01-00", nil), ("", nil),
        ] as [(String, String?)])
    func `feed's day is the text's own, and nothing else counts as one`(_ text: String, _ day: String?) async throws {
        let rows = [Rows.row("feed", "t", text), Rows.row("feed", "anchor", "2000-01-01")]

        let listing = try await Rows.client("feed", zone: "Pacific/Kiritimati", rows).client.transactions()

        #expect(listing.rows.first { $0.id == "t" }?.date.description == day)
        #expect(listing.setAside == (day == nil ? 1 : 0))
    }

    @Test(
        arguments: [
            ("America/Santiago", "2019-09-08T03:59:59.999Z", "2019-09-07"), ("America/Santiago", "2019-09-08T04:00:00Z", "2019-09-08"),
            ("America/Sao_Paulo", "2018-11-04T02:59:59Z", "2018-11-03"), ("America/Sao_Paulo", "2018-11-04T03:00:00.000Z", "2018-11-04"),
            ("Asia/Beirut", "2022-03-26T22:00:00Z", "2022-03-27"), ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"),
        ], instants)
    func `a day without a midnight begins an hour later, and loses no row`(
        _ moment: (zone: String, date: String, day: String), _ bank: String
    ) async throws {
        let client = try await Rows.client(bank, zone: moment.zone, [Rows.row(bank, "t", moment.date)]).client

        let listing = try await client.transactions(of: Rows.account(bank))

        #expect(listing.rows.map(\.date.description) == [moment.day])
    }

    @Test(arguments: [("feed", "2019-09-08"), ("snapshot", "8/09/2019")])
    func `a date without a time stays that day in a zone where the day has no midnight`(
        _ bank: String, _ date: String
    ) async throws {
        let client = try await Rows.client(bank, zone: "America/Santiago", [Rows.row(bank, "t", date)]).client
        let noon = try #require(Instant(rfc3339: "2019-09-08T15:00:00Z"))

        let listing = try await client.transactions(of: nil, Period(from: noon, to: noon))

        #expect(listing.rows.map(\.date.description) == ["2019-09-08"])
    }

    @Test(
        arguments: [
            ("bins", ["2026-01-11T11:59:59.999Z", "2026-01-11T12:00:00Z", "2026-01-12T12:00:00Z", "2026-01-12T12:00:00.001Z"]),
            // In Auckland the period is from the 12th to the 13th.
            ("feed", ["2026-01-11", "2026-01-12", "2026-01-13", "2026-01-14"]),
            ("snapshot", ["11/01/2026", "12/01/2026", "13/01/2026", "14/01/2026"]),
        ])
    func `a period's ends are included: as instants where rows have times, as days in the user's zone where they have none`(
        _ name: String, _ dates: [String]
    ) async throws {
        let from = try #require(Instant(rfc3339: "2026-01-11T12:00:00Z"))
        let to = try #require(Instant(rfc3339: "2026-01-12T12:00:00Z"))
        let bank = try await Rows.client(name, zone: "Pacific/Auckland", zip("abcd", dates).map { Rows.row(name, String($0), $1) })

        let listing = try await bank.client.transactions(of: nil, Period(from: from, to: to))

        #expect(listing.rows.map(\.id) == ["c", "b"])
        if name == "feed" { #expect(bank.transport.requests.map(\.url) == ["http://bank/v2/transactions?since=2026-01-12"]) }
    }
}
