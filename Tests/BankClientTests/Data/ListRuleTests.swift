import BankClient
import BankModel
import Testing

/// The treatment of a list's rows: odd ones, duplicates, their order.
struct ListRuleTests {
    private static let days = [
        "counterfoil": ["2026-01-10T10:00:00Z", "2026-01-12T10:00:00Z", "2026-01-11T10:00:00Z"],
        "roundup": ["2026-01-10T10:00:00Z", "2026-01-12T10:00:00Z", "2026-01-11T10:00:00Z"],
        "bins": ["2026-01-10T10:00:00Z", "2026-01-12T10:00:00Z", "2026-01-11T10:00:00Z"],
        "snapshot": ["10/01/2026", "12/01/2026", "11/01/2026"], "feed": ["2026-01-10", "2026-01-12", "2026-01-11"],
    ]

    @Test(arguments: Rows.banks)
    func `the latest comes first, in whatever order the bank sends; rows of the same time stay in its order`(_ bank: String) async throws {
        let days = try #require(Self.days[bank])
        let rows = [("a", days[0]), ("b", days[1]), ("c", days[2]), ("d", days[1]), ("e", days[1])]

        let client = try await Rows.client(bank, rows.map { Rows.row(bank, $0.0, $0.1) }).client

        #expect(try await client.transactions(of: Rows.account(bank)).rows.map(\.id) == ["b", "d", "e", "c", "a"])
    }

    @Test(arguments: Rows.banks)
    func `of rows with one id the newest counts, at any index; of equally new ones one`(_ bank: String) async throws {
        let days = try #require(Self.days[bank])
        let rows = [("a", days[0]), ("a", days[1]), ("b", days[1]), ("b", days[0]), ("c", days[2]), ("c", days[2])]

        let client = try await Rows.client(bank, rows.map { Rows.row(bank, $0.0, $0.1) }).client
        let listing = try await client.transactions(of: Rows.account(bank))

        #expect(listing.rows.map { "\($0.id) \($0.date.day)" } == ["a 12", "b 12", "c 11"])
        #expect(listing.setAside == 0)
    }

    @Test func `bins: half a second decides which row of an id is the newest, in the list and in the sum`() async throws {
        let rows = [("10:20:41.750", 5), ("10:20:41.250", 9)].map { #"{"id":1,"date":"2026-01-12T\#($0)Z","amount":\#($1)}"# }
        let list = "[" + rows.joined(separator: ",") + "]"
        let bank = try await Bank("bins") { request, _ in
            .json(200, request.url.contains("/pages") ? #"{"items":\#(list)}"# : list)
        }

        #expect(try await bank.client.transactions().rows.map(\.amount.major) == ["5.00"])
        #expect(try await bank.client.balance().balance.major == "5.00")
    }

    @Test(
        arguments: [
            (
                "counterfoil",
                #"{"id":"odd","booked_at":"2026-01-12T10:00:00Z","direction":"credit","amount":{"amount":"1.00","currency":"GBP","x":1}}"#
            ),
            (
                "counterfoil",
                #"{"id":"odd","booked_at":"2026-01-12T10:00:00Z","status":"held","kind":"barter","direction":"credit","amount":{"amount":"1.00","currency":"XTS"},"description":null,"fee":7,"atm_id":9}"#
            ),
            (
                "roundup",
                #"{"feedItemUid":"odd","amount":{"currency":"GBP","minorUnits":100},"direction":"IN","transactionTime":"2026-01-12T10:00:00Z","source":"CARRIER_PIGEON","status":"DREAMT","new":[]}"#
            ),
            ("bins", #"{"id":"odd","date":"2026-01-12T10:00:00Z","amount":1,"more":{}}"#),
            ("bins", #"{"id":"odd","date":"2026-01-12T10:00:00Z","amount":1,"description":null,"fee":null}"#),
            ("snapshot", #"{"id":"odd","effectiveDate":"12/01/2026","amount":1,"atmId":"nobody's","extra":true}"#),
            (
                "feed",
                #"{"id":"odd","date":"2026-01-12","category_id":4711,"currency":"EUR","amount":{"value":1},"product":{"title":"New Bank"}}"#
            ),
        ])
    func `extra members, unknown names and missing optional ones lose no row`(_ bank: String, _ odd: String) async throws {
        let plain = Rows.row(bank, "plain", try #require(Self.days[bank])[0])

        let listing = try await Rows.client(bank, [odd, plain]).client.transactions(of: Rows.account(bank))

        #expect(listing.rows.map(\.id) == ["odd", "plain"])
        #expect(listing.rows.map(\.atm) == [nil, nil])
    }

    @Test func `an unknown status means neither pending nor booked`() async throws {
        let rows = ["booked", "pending", "held"].map { Rows.counterfoil($0, "2026-01-12T10:00:00Z", status: $0) }

        let listing = try await Rows.client("counterfoil", rows).client.transactions(of: "a")

        #expect(listing.rows.map(\.pending) == [false, true, nil])
    }

    @Test(
        arguments: Rows.banks,
        ["{}", "null", "7", "[]", #"{"id":null}"#, "\"row\""])
    func `an unreadable row is set aside and counted, the others are shown`(_ bank: String, _ bad: String) async throws {
        let plain = Rows.row(bank, "plain", try #require(Self.days[bank])[0])

        let listing = try await Rows.client(bank, [bad, plain]).client.transactions(of: Rows.account(bank))

        #expect(listing.rows.map(\.id) == ["plain"])
        #expect(listing.setAside == 1)
    }

    @Test(arguments: Rows.banks)
    func `a list without rows is empty; one with unreadable rows only is not an answer`(_ bank: String) async throws {
        let empty = try await Rows.client(bank, []).client.transactions(of: Rows.account(bank))
        let nonsense = try await Rows.client(bank, ["{}", "{}"])

        #expect(empty == Listing([]))
        #expect(await nonsense.error { try await $0.transactions(of: Rows.account(bank)) } == .decode)
    }

    @Test(arguments: Rows.banks)
    func `a row that the bank withdrew is gone`(_ name: String) async throws {
        let days = try #require(Self.days[name])
        let before = Rows.body(name, [Rows.row(name, "a", days[0]), Rows.row(name, "b", days[1])])
        let after = Rows.body(name, [Rows.row(name, "a", days[0])])
        let bank = try await Bank(name) { _, count in .json(200, count == 0 ? before : after) }

        #expect(try await bank.client.transactions(of: Rows.account(name)).rows.map(\.id) == ["b", "a"])
        #expect(try await bank.client.transactions(of: Rows.account(name)).rows.map(\.id) == ["a"])
    }

    @Test func `a pending row that settled under a new id counts once; one that never settled stays`() async throws {
        let day = "2026-01-12T10:00:00Z"
        let rows = [
            Rows.counterfoil("new", day, more: #""replaces":"old""#), Rows.counterfoil("old", day, status: "pending"),
            Rows.counterfoil("open", day, status: "pending"),
        ]

        #expect(try await Rows.client("counterfoil", rows).client.transactions(of: "a").rows.map(\.id) == ["new", "open"])
    }

    @Test func `only a readable row replaces a pending one, and never itself or a booked one`() async throws {
        let day = "2026-01-12T10:00:00Z"
        let rows = [
            Rows.counterfoil("broken", "soon", more: #""replaces":"old""#), Rows.counterfoil("old", day, status: "pending"),
            Rows.counterfoil("self", day, more: #""replaces":"self""#), Rows.counterfoil("other", day, more: #""replaces":"self""#),
        ]

        let listing = try await Rows.client("counterfoil", rows).client.transactions(of: "a")

        #expect(listing.rows.map(\.id) == ["old", "self", "other"])
        #expect(listing.setAside == 1)
    }

    @Test func `snapshot: pending and cleared are one list by day, pending first; a row in both is cleared`() async throws {
        let cleared = [("a", "12/01/2026"), ("b", "10/01/2026"), ("both", "9/01/2026")].map { Rows.row("snapshot", $0.0, $0.1) }
        let pending = [("p", "12/01/2026"), ("q", "11/01/2026"), ("both", "10/01/2026")].map { Rows.row("snapshot", $0.0, $0.1) }
        let body = Rows.body("snapshot", cleared, pending: pending + ["{}"])
        let bank = try await Bank("snapshot") { _, _ in .json(200, body) }

        let listing = try await bank.client.transactions()

        #expect(listing.rows.map(\.id) == ["p", "a", "q", "b", "both"])
        #expect(listing.rows.map(\.pending) == [true, false, true, false, false])
        #expect(listing.setAside == 1)
    }

    @Test(
        arguments: [
            ("a<br/>b<BR />c<br>d<Br\\t/>e", "a\nb\nc\nd\ne"), ("Kettle & Co, 3 < 4", "Kettle & Co, 3 < 4"),
            ("<b>x</b> &amp;", "<b>x</b> &amp;"),
            ("<br/><br/>", "\n\n"), ("<brx/>", "<brx/>"), ("🎟️<br/>é", "🎟️\né"),
        ])
    func `<br/> ends a line in any spelling; everything else is unchanged text`(_ text: String, _ shown: String) async throws {
        let row = #"{"id":"t","effectiveDate":"12/01/2026","description":"\#(text)","amount":1}"#

        #expect(try await Rows.client("snapshot", [row]).client.transactions().rows.map(\.description) == [shown])
    }

    @Test func `counterfoil: machines are requested only if a row names one; if that fails the rows have no links`() async throws {
        let plain = try await Rows.client("counterfoil", [Rows.counterfoil("t", "2026-01-12T10:00:00Z")])
        _ = try await plain.client.transactions(of: "a")
        #expect(plain.transport.requests.count == 1)

        let row = Rows.counterfoil("t", "2026-01-12T10:00:00Z", more: #""atm_id":"m""#)
        let failing = try await Bank { request, _ in
            request.url.contains("/atms") ? .problem(404, "not-found") : .json(200, Rows.body("counterfoil", [row]))
        }
        let listing = try await failing.client.transactions(of: "a")
        #expect(listing.rows.map(\.id) == ["t"])
        #expect(listing.rows.map(\.atm) == [nil])
    }
}
