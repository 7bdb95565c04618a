import CounterfoilTesting
import Foundation
import Testing

/// The banks `bins`, `snapshot`, `feed` and `login`, as apps of the exercises behind them read them.
@Suite struct StrictReadTests {
    // MARK: bins

    private struct Entry: Decodable {
        var id: Int
        var date: String
        var amount: Decimal
        var fee: Decimal
        var description: String
    }

    @Test func `the bare list loads: an id, a date, a fee and a text in every row`() async throws {
        try await withStubBank(.bins) { bank in
            let app = StrictApp(baseURL: bank.url)

            let data = try await app.send(
                "GET", "/bins/1a30k8", headers: ["Accept": "application/json", "Content-Type": "application/json"])
            let rows = try JSONDecoder().decode([Entry].self, from: data)

            let dates = DateFormatter.strict("yyyy-MM-dd'T'HH:mm:ss.SSSZ")
            #expect(rows.count == 15)
            #expect(rows.filter { dates.date(from: $0.date) == nil }.map(\.date) == [])
            #expect(Set(rows.map(\.id)).count == 15)
            #expect(rows.allSatisfy { !$0.description.isEmpty && $0.fee <= 0 })
            #expect(rows.reduce(0) { $0 + $1.amount + $1.fee } == Decimal(string: "257.47"))
        }
    }

    // MARK: snapshot

    private struct Document: Decodable {
        struct Account: Decodable {
            var accountName: String
            var accountNumber: String
            var available: Decimal
            var balance: Decimal
        }

        struct Transaction: Decodable {
            var id: String
            var effectiveDate: Date
            var description: String
            var amount: Decimal
            var atmId: String?
        }

        struct CashMachine: Decodable {
            struct Location: Decodable {
                var lat: Double
                var lng: Double
            }

            var id: String
            var name: String
            var address: String
            var location: Location
        }

        var account: Account
        var transactions: [Transaction]
        var pending: [Transaction]
        var atms: [CashMachine]
    }

    @Test(arguments: ["/s/tr4v1s9x0w/data.json?dl=1", "/s/another-link/data.json?dl=1", "/s/data.json?dl=1"])
    func `the document loads by any link of a file host, behind its redirect`(_ link: String) async throws {
        try await withStubBank(.snapshot) { bank in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .formatted(.strict("dd/MM/yyyy"))

            let document = try decoder.decode(Document.self, from: await StrictApp(baseURL: bank.url).send("GET", link))

            let machines = Set(document.atms.map(\.id))
            #expect(document.transactions.count == 13)
            #expect(document.pending.count == 2)
            #expect(machines.isSuperset(of: (document.transactions + document.pending).compactMap(\.atmId)))
        }
    }

    // MARK: feed

    private struct Feed: Decodable {
        struct Row: Decodable {
            enum Currency: String, Decodable { case GBP }

            struct Amount: Decodable {
                var value: Double
                var currency_iso: Currency
            }

            struct Product: Decodable {
                enum Title: String, Decodable { case lloyds = "Lloyds Bank" }

                var id: Int
                var title: Title
                var icon: URL
            }

            var id: String
            var date: Date
            var description: String
            var category_id: Int
            var currency: Currency
            var amount: Amount
            var product: Product
        }

        var data: [Row]
    }

    @Test(arguments: ["/v2/5b33bdb4320000000ad1e256/", "/v2/5b33bdb4320000000ad1e256"])
    func `the feed loads without a token, and its icons`(_ path: String) async throws {
        try await withStubBank(.feed) { bank in
            let app = StrictApp(baseURL: bank.url)
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .formatted(.strict("yyyy-MM-dd"))

            let feed = try decoder.decode(Feed.self, from: await app.send("GET", path, headers: ["Accept": "application/json"]))

            #expect(feed.data.count == 10)
            #expect(feed.data.allSatisfy { [0, 1, 5, 6, 7].contains($0.category_id) && $0.amount.value > 0 })
            let icon = try #require(feed.data.first?.product.icon)
            #expect(icon.absoluteString.hasPrefix(bank.url.absoluteString))
            #expect(try await StrictApp(baseURL: icon).send("GET", "").starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }
    }

    @Test func `with a token a customer has a feed of her own, and without one it is rejected`() async throws {
        try await withStubBank(.feed) { bank in
            let app = StrictApp(baseURL: bank.url)
            let token = try bank.tokens.issue(for: .ben).text

            let own = try await app.send("GET", "/v2/transactions", headers: ["Authorization": "Bearer \(token)"])

            #expect(String(decoding: own, as: UTF8.self).contains("Bicycle repair"))
            await #expect(throws: StrictApp.Rejected.self) { try await app.send("GET", "/v2/transactions") }
        }
    }

    // MARK: login

    private struct Grant: Decodable {
        var accessToken: String
        var tokenType: String
        var expiresIn: Int
    }

    private struct Profile: Decodable {
        struct Account: Decodable {
            enum Currency: String, Decodable { case GBP }

            var id: String
            var name: String
            var currency: Currency
            var balance: Decimal
        }

        var name: String
        var customerNumber: String
        var accounts: [Account]
    }

    @Test func `a sign-in and the profile behind it load`() async throws {
        struct Login: Encodable {
            var username = "ava"
            var password = "correct-horse"
        }

        try await withStubBank(.login) { bank in
            let app = StrictApp(baseURL: bank.url)
            let body = try JSONEncoder().encode(Login())

            let grant = try JSONDecoder().decode(
                Grant.self, from: await app.send("POST", "/login", headers: ["Content-Type": "application/json"], body: body))
            let profile = try JSONDecoder().decode(
                Profile.self, from: await app.send("GET", "/profile", headers: ["Authorization": "\(grant.tokenType) \(grant.accessToken)"])
            )

            #expect(grant.expiresIn > 0)
            #expect(profile.accounts.count == 2)
            #expect(profile.accounts.allSatisfy { !$0.name.isEmpty && $0.balance >= 0 })
        }
    }
}
