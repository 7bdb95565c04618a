import BankClient
import BankModel
import Testing

/// The bank with Open Banking UK's shapes.
struct OpenBankingBankTests {
    private static func row(_ id: String, _ more: String) -> String {
        #"{"TransactionId":"\#(id)","AccountId":"a","BookingDateTime":"2026-01-12T12:30:00Z",\#(more)}"#
    }

    private static let pound = #""Amount":{"Amount":"1.00","Currency":"GBP"}"#

    private static func page(_ rows: [String], next: String? = nil) -> String {
        let links = next.map { #"{"Next":"\#($0)"}"# } ?? "{}"
        return #"{"Data":{"Transaction":[\#(rows.joined(separator: ","))]},"Links":\#(links),"Meta":{}}"#
    }

    @Test func `rows: sign by the indicator, day in the user's time zone, unknown states neither pending nor booked`() async throws {
        let rows = [
            Self.row("1", #""CreditDebitIndicator":"Debit","Status":"PDNG",\#(Self.pound),"TransactionInformation":"a<br/>b""#),
            Self.row("2", #""CreditDebitIndicator":"Credit","Status":"BOOK",\#(Self.pound)"#),
            Self.row("3", #""CreditDebitIndicator":"Credit","Status":"INFO",\#(Self.pound)"#),
            Self.row("4", #""CreditDebitIndicator":"Other","Status":"BOOK",\#(Self.pound)"#),
            Self.row("5", #""CreditDebitIndicator":"Debit","Status":"BOOK","Amount":{"Amount":"0.001","Currency":"GBP"}"#),
        ]
        let bank = try await Bank("openbanking", zone: "Pacific/Auckland") { _, _ in .json(200, Self.page(rows)) }

        let listing = try await bank.client.transactions(of: "a/1")

        #expect(bank.transport.requests.map(\.url) == ["http://bank/open-banking/v4.0/aisp/accounts/a%2F1/transactions"])
        #expect(bank.transport.requests.first?.headers["Authorization"] == "Bearer token")
        #expect(listing.rows.map(\.id) == ["1", "2", "3"])
        #expect(listing.setAside == 2)
        #expect(listing.rows.map(\.amount.description) == ["-1.00 GBP", "1.00 GBP", "1.00 GBP"])
        #expect(listing.rows.map(\.pending) == [true, false, nil])
        #expect(listing.rows.map(\.date.description) == ["2026-01-13", "2026-01-13", "2026-01-13"])
        #expect(listing.rows.first?.description == "a\nb")
    }

    @Test func `pages: the next one by the address in Links, until there is none`() async throws {
        let credit = #""CreditDebitIndicator":"Credit",\#(Self.pound)"#
        let bank = try await Bank("openbanking") { request, _ in
            request.url.hasSuffix("?page=2")
                ? .json(200, Self.page([Self.row("2", credit)]))
                : .json(
                    200,
                    Self.page([Self.row("1", credit)], next: "http://bank/open-banking/v4.0/aisp/accounts/a/transactions?page=2"))
        }

        let listing = try await bank.client.transactions(of: "a")

        #expect(listing.rows.map(\.id) == ["1", "2"])
        #expect(listing.isComplete)
        #expect(bank.transport.requests.count == 2)
    }

    @Test(arguments: ["http://bank.evil/x?page=2", "http://other/x", "https://bank/x", "/x?page=2"])
    func `a next page at another address is not asked for: the token belongs to the bank`(_ next: String) async throws {
        let bank = try await Bank("openbanking") { _, _ in .json(200, Self.page([], next: next)) }

        #expect(await bank.error { try await $0.transactions(of: "a") } == .decode)
        #expect(bank.transport.requests.count == 1)
    }

    @Test func `accounts: the customer's own name, else the kind of account`() async throws {
        let bank = try await Bank("openbanking") { _, _ in
            .json(
                200,
                #"{"Data":{"Account":[{"AccountId":"1","Currency":"GBP","Nickname":"Bills"},{"AccountId":"2","Currency":"EUR","AccountTypeCode":"SVGS"},{"AccountId":"3"}]}}"#
            )
        }

        let listing = try await bank.client.accounts()

        #expect(listing.rows.map(\.name) == ["Bills", "SVGS"])
        #expect(listing.rows.map(\.currency.code) == ["GBP", "EUR"])
        #expect(listing.setAside == 1)
    }

    @Test(
        arguments: [
            (["ITAV"], "1.00 GBP", nil), (["ITAV", "ITBD"], "2.00 GBP", "1.00 GBP"), (["OPBD"], "1.00 GBP", nil),
            (["CLAV", "CLBD", "ITAV"], "2.00 GBP", "3.00 GBP"),
        ] as [([String], String, String?)])
    func `balance: the booked one and what can be spent, each by its type`(
        _ types: [String], _ balance: String, _ available: String?
    ) async throws {
        let rows = types.enumerated().map {
            #"{"Type":"\#($0.element)","CreditDebitIndicator":"Credit","Amount":{"Amount":"\#($0.offset + 1).00","Currency":"GBP"}}"#
        }
        let bank = try await Bank("openbanking") { _, _ in .json(200, #"{"Data":{"Balance":[\#(rows.joined(separator: ","))]}}"#) }

        let found = try await bank.client.balance(of: "a")

        #expect(found.balance.description == balance)
        #expect(found.available?.description == available)
    }

    @Test(
        arguments: [
            (400, "X400R", ClientError.notFound, true), (400, "U004", .rejected, true), (403, "X403C", .consentExpired, true),
            (403, "X403", .forbidden, true), (403, "X403A", .forbidden, true), (401, "X401", .unauthorized, false),
            (429, "X429", .rateLimited, true), (409, "X409", .conflict, true),
        ])
    func `only 401 ends the sign-in; an unknown resource is 400, and an ended consent is named`(
        _ status: Int, _ code: String, _ expected: ClientError, _ staysIn: Bool
    ) async throws {
        let bank = try await Bank("openbanking") { _, _ in
            .json(
                status, #"{"Id":"i","Errors":[{"ErrorCode":"\#(code)","Message":"m"}]}"#, headers: ["Content-Type": "application/json"])
        }

        #expect(await bank.error { try await $0.accounts() } == expected)
        #expect(try await bank.client.status().signedIn == staysIn)
    }
}
