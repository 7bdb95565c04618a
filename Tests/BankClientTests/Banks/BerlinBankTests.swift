import BankClient
import BankModel
import Testing

/// The bank with NextGenPSD2's shapes.
struct BerlinBankTests {
    private static func row(_ id: String, _ more: String) -> String {
        #"{"transactionId":"\#(id)","transactionAmount":{"currency":"EUR","amount":"-1.00"},\#(more)}"#
    }

    private static func lists(booked: [String] = [], pending: [String]? = nil, links: String = "{}") -> String {
        let waiting = pending.map { #""pending":[\#($0.joined(separator: ","))],"# } ?? ""
        return #"{"transactions":{"booked":[\#(booked.joined(separator: ","))],\#(waiting)"_links":\#(links)}}"#
    }

    @Test func `the credential is in Consent-ID, and each attempt has a request id of its own`() async throws {
        let bank = try await Bank("berlin") { _, count in count == 0 ? .lost : .json(200, #"{"accounts":[]}"#) }

        _ = try await bank.client.accounts()

        let sent = bank.transport.requests
        #expect(sent.map(\.url) == ["http://bank/v1/accounts", "http://bank/v1/accounts"])
        #expect(sent.map { $0.headers["Consent-ID"] } == ["token", "token"])
        #expect(sent.allSatisfy { $0.headers["Authorization"] == nil })
        let ids = sent.compactMap { $0.headers["X-Request-ID"] }
        #expect(ids.allSatisfy { $0.count == 36 })
        #expect(Set(ids).count == 2)
    }

    @Test func `rows: pending before booked within a day, the text of the remittance, else the other party`() async throws {
        let booked = [
            Self.row("1", #""bookingDate":"2026-01-12","valueDate":"2026-01-14","remittanceInformationUnstructured":"a<br/>b""#),
            Self.row("2", #""bookingDate":"2026-01-11","debtorName":"Laternenwerk""#),
            Self.row("3", #""bookingDate":"2026-02-30""#),
        ]
        let pending = [Self.row("4", #""valueDate":"2026-01-12","creditorName":"Kiosk""#), Self.row("5", #""creditorName":"Kiosk""#)]
        let bank = try await Bank("berlin", zone: "Pacific/Auckland") { _, _ in
            .json(200, Self.lists(booked: booked, pending: pending))
        }

        let listing = try await bank.client.transactions(of: "a/1")

        #expect(bank.transport.requests.map(\.url) == ["http://bank/v1/accounts/a%2F1/transactions?bookingStatus=both"])
        #expect(listing.rows.map(\.id) == ["4", "1", "2"])
        #expect(listing.rows.map(\.pending) == [true, false, false])
        #expect(listing.rows.map(\.date.description) == ["2026-01-12", "2026-01-12", "2026-01-11"])
        #expect(listing.rows.map(\.description) == ["Kiosk", "a\nb", "Laternenwerk"])
        #expect(listing.rows.first?.amount.description == "-1.00 EUR")
        #expect(listing.setAside == 2)
        #expect(listing.isComplete)
    }

    @Test func `a row that is booked by now is not pending, too; the list of pending rows may be missing`() async throws {
        let booked = [Self.row("1", #""bookingDate":"2026-01-12""#)]
        let both = try await Bank("berlin") { _, _ in
            .json(200, Self.lists(booked: booked, pending: [Self.row("1", #""valueDate":"2026-01-13""#)]))
        }
        let one = try await Bank("berlin") { _, _ in .json(200, Self.lists(booked: booked)) }

        let (first, second) = (try await both.client.transactions(of: "a"), try await one.client.transactions(of: "a"))

        #expect(first.rows.map(\.pending) == [false])
        #expect(second.rows.map(\.id) == ["1"])
    }

    @Test func `a period is asked for in days, and pending rows outside of it are left out`() async throws {
        let bank = try await Bank("berlin") { _, _ in
            .json(
                200,
                Self.lists(
                    booked: [Self.row("1", #""bookingDate":"2026-01-12""#)], pending: [Self.row("2", #""valueDate":"2026-01-14""#)]))
        }
        let period = Period(from: Instant(rfc3339: "2026-01-11T23:30:00Z"), to: Instant(rfc3339: "2026-01-13T01:00:00Z"))

        let listing = try await bank.client.transactions(of: "a", period)

        #expect(bank.transport.requests.first?.url.hasSuffix("?bookingStatus=both&dateFrom=2026-01-11&dateTo=2026-01-13") == true)
        #expect(listing.rows.map(\.id) == ["1"])
    }

    @Test func `a list with a next page is not shown as the whole`() async throws {
        let bank = try await Bank("berlin") { _, _ in
            .json(200, Self.lists(booked: [Self.row("1", #""bookingDate":"2026-01-12""#)], links: #"{"next":{"href":"/x"}}"#))
        }

        let listing = try await bank.client.transactions(of: "a")

        #expect(!listing.isComplete)
    }

    @Test(
        arguments: [
            (["interimAvailable"], "1.00 EUR", nil), (["interimAvailable", "closingBooked"], "2.00 EUR", "1.00 EUR"),
            (["expected"], "1.00 EUR", nil),
        ] as [([String], String, String?)])
    func `balance: the booked one and what can be spent, each by its type`(
        _ types: [String], _ balance: String, _ available: String?
    ) async throws {
        let rows = types.enumerated().map {
            #"{"balanceType":"\#($0.element)","balanceAmount":{"currency":"EUR","amount":"\#($0.offset + 1).00"}}"#
        }
        let bank = try await Bank("berlin") { _, _ in .json(200, #"{"balances":[\#(rows.joined(separator: ","))]}"#) }

        let found = try await bank.client.balance(of: "a")

        #expect(bank.transport.requests.map(\.url) == ["http://bank/v1/accounts/a/balances"])
        #expect(found.balance.description == balance)
        #expect(found.available?.description == available)
    }

    @Test(
        arguments: [
            (401, "CONSENT_UNKNOWN", ClientError.unauthorized, false), (401, "TOKEN_EXPIRED", .unauthorized, false),
            (401, "", .unauthorized, false), (401, "CONSENT_EXPIRED", .consentExpired, true),
            (401, "CONSENT_INVALID", .consentExpired, true),
            (403, "SCA_REQUIRED", .forbidden, true), (403, "RESOURCE_UNKNOWN", .notFound, true), (404, "RESOURCE_UNKNOWN", .notFound, true),
            (400, "FORMAT_ERROR", .rejected, true), (429, "ACCESS_EXCEEDED", .rateLimited, true),
        ])
    func `a 401 ends the sign-in, unless it asks for another consent`(
        _ status: Int, _ code: String, _ expected: ClientError, _ staysIn: Bool
    ) async throws {
        let bank = try await Bank("berlin") { _, _ in
            .json(
                status, #"{"tppMessages":[{"category":"ERROR","code":"\#(code)","text":"t"}]}"#,
                headers: ["Content-Type": "application/json"])
        }

        #expect(await bank.error { try await $0.accounts() } == expected)
        #expect(try await bank.client.status().signedIn == staysIn)
    }

    @Test func `an error counts, not a warning before it`() {
        let body = #"{"tppMessages":[{"category":"WARNING","code":"W"},{"category":"ERROR","code":"CONSENT_EXPIRED","text":"t"}]}"#
        let response = HTTPResponse(status: 401, headers: ["Content-Type": "application/json"], body: Array(body.utf8))

        #expect(NextGenPSD2Rules().judge(response).error == .consentExpired)
    }
}
