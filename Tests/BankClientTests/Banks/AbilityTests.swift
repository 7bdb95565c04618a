@testable import BankClient
import BankModel
import DriverProtocol
import Testing

/// The operations of each bank, and the abilities that only some have.
struct AbilityTests {
    @Test(
        arguments: [
            (
                "counterfoil",
                "accounts atms authorize_begin authorize_finish balance challenge_answer consent_revoke consents goals image login logout pay payment_status quote resume round_up status transactions"
            ),
            ("roundup", "accounts balance goals login logout pay resume round_up status transactions"),
            ("bins", "balance status transactions"),
            ("snapshot", "accounts atms balance status transactions"), ("feed", "image login logout status transactions"),
            ("login", "accounts balance login logout status"),
            ("openbanking", "accounts authorize_begin authorize_finish balance login logout pay payment_status resume status transactions"),
            (
                "berlin",
                "accounts authorize_begin authorize_finish balance consent_revoke consents login logout pay payment_status resume status transactions"
            ),
        ])
    func `each bank offers its operations, and names the ones it does not support`(_ name: String, _ expected: String) async throws {
        let bank = try await Bank(name) { _, _ in .lost }
        let client = bank.client

        #expect(client.operations.map(\.rawValue).sorted().joined(separator: " ") == expected)
        if !client.operations.contains(.accounts) { #expect(await bank.error { try await $0.accounts() } == .nothingToDo) }
        if !client.operations.contains(.balance) { #expect(await bank.error { try await $0.balance() } == .nothingToDo) }
        if !client.operations.contains(.transactions) { #expect(await bank.error { try await $0.transactions() } == .nothingToDo) }
        if !client.operations.contains(.atms) { #expect(await bank.error { try await $0.atms() } == .nothingToDo) }
        if !client.operations.contains(.goals) { #expect(await bank.error { try await $0.goals() } == .nothingToDo) }
        if !client.operations.contains(.image) { #expect(await bank.error { try await $0.image("/x") } == .nothingToDo) }
    }

    @Test(arguments: ["bins", "feed"])
    func `banks without accounts find none of a name, and ask nothing`(_ name: String) async throws {
        let bank = try await Bank(name) { _, _ in .lost }

        #expect(await bank.error { try await $0.transactions(of: "a") } == .notFound)
        #expect(bank.transport.requests.isEmpty)
    }

    @Test func `consents: a state that is not known is set aside, and one is ended by its id`() async throws {
        let bank = try await Bank { request, _ in
            request.method == "DELETE"
                ? .success(HTTPResponse(status: 204, headers: HTTPHeaders(), body: []))
                : .json(
                    200,
                    #"{"consents":[{"id":"c","state":"expired","accounts":["a"],"expires_at":"2026-01-12T09:00:00Z"},{"id":"d","state":"gone","accounts":[]}]}"#
                )
        }

        let listing = try await bank.client.consents()
        try await bank.client.revokeConsent("c/1")

        #expect(
            bank.transport.requests.map { "\($0.method) \($0.url)" } == [
                "GET http://bank/v1/consents", "DELETE http://bank/v1/consents/c%2F1",
            ])
        #expect(
            listing.rows == [GivenConsent(id: "c", state: .expired, accounts: ["a"], expires: Instant(rfc3339: "2026-01-12T09:00:00Z"))])
        #expect(listing.setAside == 1)
    }

    @Test func `goals: counterfoil's of the first account if none is named; one without an amount is set aside`() async throws {
        let bank = try await Bank { request, _ in
            request.url.hasSuffix("/accounts")
                ? .json(200, #"{"accounts":[{"id":"a/1","name":"n","currency":"BHD"}]}"#)
                : .json(
                    200,
                    #"{"goals":[{"id":"g","name":"Bike","saved":{"amount":"12.005","currency":"BHD"},"target":{"amount":"90.000","currency":"BHD"}},{"id":"h","name":"x"},{"id":"i","name":"y","saved":{"amount":"0","currency":"BHD"}}]}"#
                )
        }

        let listing = try await bank.client.goals()

        #expect(bank.transport.requests.map(\.url) == ["http://bank/v1/accounts", "http://bank/v1/accounts/a%2F1/goals"])
        #expect(listing.rows.map(\.saved.major) == ["12.005", "0.000"])
        #expect(listing.rows.map(\.target?.major) == ["90.000", nil])
        #expect(listing.setAside == 1)
    }

    @Test func `goals: roundup's savings goals among the spaces, in minor units, of any state`() async throws {
        let bank = try await Bank("roundup") { _, _ in
            .json(
                200,
                #"{"savingsGoals":[{"savingsGoalUid":"g","name":"Pot","totalSaved":{"currency":"GBP","minorUnits":9007199254740993},"sortOrder":1,"state":"NEW_STATE"},{"savingsGoalUid":"h","totalSaved":{"currency":"JPY","minorUnits":5},"target":{"currency":"JPY","minorUnits":7}}],"spendingSpaces":[{"spaceUid":"s"}]}"#
            )
        }

        let listing = try await bank.client.goals(of: "a")

        #expect(bank.transport.requests.map(\.url) == ["http://bank/api/v2/account/a/spaces"])
        #expect(listing.rows.map(\.id) == ["g", "h"])
        #expect(listing.rows.map(\.saved.major) == ["90071992547409.93", "5"])
    }

    @Test(arguments: ["counterfoil", "feed"])
    func `an image is its bytes, identified by SHA-256, requested without a token`(_ name: String) async throws {
        let bank = try await Bank(name) { _, _ in
            .success(HTTPResponse(status: 200, headers: ["Content-Type": "Image/PNG; x=y"], body: Array("abc".utf8)))
        }

        let image = try await bank.client.image("/icons/harbour.png")

        #expect(image == Image(bytes: [0x61, 0x62, 0x63], mediaType: "image/png"))
        #expect(image.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")  // FIPS 180-4's example
        #expect(bank.transport.requests.map(\.url) == ["http://bank/icons/harbour.png"])
        #expect(bank.transport.requests.first?.headers["Authorization"] == nil)
    }

    @Test(
        arguments: [("text/html", "<html>"), ("", "abc"), ("image/png", ""), ("application/json", "{}"), ("imagery/png", "abc")])
    func `an answer that is not an image is not shown as one`(_ type: String, _ body: String) async throws {
        let bank = try await Bank("feed") { _, _ in
            .success(HTTPResponse(status: 200, headers: ["Content-Type": type], body: Array(body.utf8)))
        }

        #expect(await bank.error { try await $0.image("/icons/x.png") } == .decode)
    }

    @Test(
        arguments: ["", "icons/x.png", "@evil.example/x", ".evil/x", ":1/x", "/a b", "/é", "/a\r\nb"])
    func `a picture's path never leads to another host`(_ path: String) async throws {
        let bank = try await Bank("feed") { _, _ in .lost }

        #expect(await bank.error { try await $0.image(path) } == .rejected)
        #expect(bank.transport.requests.isEmpty)
    }

    @Test func `reading a picture is tried again as every read is`() async throws {
        let bank = try await Bank("feed") { _, count in
            count == 0 ? .lost : .success(HTTPResponse(status: 200, headers: ["Content-Type": "image/png"], body: [1]))
        }

        #expect(try await bank.client.image("/x").bytes == [1])
    }

    @Test(
        arguments: [
            (401, "unauthorized.bad_access_token", ClientError.unauthorized, false),
            (401, "unauthorized.bad_access_token.expired", .unauthorized, false),
            (403, "forbidden.verification_required", .forbidden, true), (403, "forbidden.insufficient_permissions", .forbidden, true),
            (403, "forbidden.consent_expired", .consentExpired, true), (400, "bad_request.bad_param", .rejected, true),
        ])
    func `feed: only 401 ends the sign-in; step-up, scope and consent preserve the token`(
        _ status: Int, _ code: String, _ expected: ClientError, _ staysIn: Bool
    ) async throws {
        let bank = try await Bank("feed") { _, _ in .json(status, #"{"code":"\#(code)","message":"m"}"#) }

        #expect(await bank.error { try await $0.transactions() } == expected)
        #expect(try await bank.client.status().signedIn == staysIn)
    }

    @Test func `feed: amounts as sent, with the row's own currency`() async throws {
        let rows = ["13,\"currency_iso\":\"GBP\"", "77.3,\"currency_iso\":\"EUR\"", "5,\"currency_iso\":\"JPY\"", "2"].enumerated().map {
            #"{"id":"\#($0)","date":"2026-01-12","description":"d","currency":"BHD","amount":{"value":\#($1)}}"#
        }

        let listing = try await Rows.client("feed", rows).client.transactions()

        #expect(listing.rows.map(\.amount.description) == ["13.00 GBP", "77.30 EUR", "5 JPY", "2.000 BHD"])
        #expect(listing.rows.allSatisfy { $0.statesCurrency && $0.pending == nil })
    }
}
