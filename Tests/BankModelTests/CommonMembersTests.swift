import BankModel
import Testing

/// Responses of banks of which nothing is agreed are read by the usual names of members, or not at all.
@Suite struct CommonMembersTests {
    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test(arguments: [
        (#"[{"id": "a"}]"#, 1), (#"{"accounts": [{"id": "a"}, {"id": "b"}]}"#, 2),
        (#"{"Data": {"Account": [{"id": "a"}]}, "Meta": {}}"#, 1),
        (#"{"accounts": [], "next": null}"#, 0),
    ])
    func `rows are the response, or its only list of objects`(response: String, count: Int) throws {
        #expect(CommonMembers.rows(try json(response))?.count == count)
    }

    @Test(arguments: [#"{"a": [{"id": 1}], "b": [{"id": 2}]}"#, #"{"balance": "1.00"}"#, #""text""#])
    func `a response with several lists or none has no rows`(response: String) throws {
        #expect(CommonMembers.rows(try json(response)) == nil)
    }

    @Test(arguments: [
        #"{"id": "a", "name": "N", "balance": {"amount": "12.30", "currency": "GBP"}}"#,
        #"{"name": "N", "accountUid": "a", "currency": "GBP", "balance": {"minorUnits": 1230, "currency": "GBP"}}"#,
        #"{"id": "a", "accountName": "N", "currency": "GBP", "balance": 12.30}"#,
    ])
    func `an account is read however its balance is written`(row: String) throws {
        let account = try #require(CommonMembers.account(try json(row)))

        #expect(account.id == "a")
        #expect(account.name == "N")
        #expect(account.balance?.major == "12.30")
        #expect(account.currency.code == "GBP")
    }

    @Test func `a row without a name or a currency is no account`() throws {
        #expect(CommonMembers.account(try json(#"{"id": "a", "currency": "GBP"}"#)) == nil)
        #expect(CommonMembers.account(try json(#"{"id": "a", "name": "N", "balance": "1.00"}"#)) == nil)
    }

    @Test(arguments: [
        (#"{"id": "t", "date": "2026-01-12", "amount": "-2.40", "currency": "GBP"}"#, "-2.40"),
        (#"{"id": "t", "booked_at": "2026-01-12T09:15:00Z", "amount": "2.40", "currency": "GBP"}"#, "2.40"),
        (
            #"{"feedItemUid": "t", "transactionTime": "2026-01-12T09:15:00Z", "direction": "OUT", "amount": {"minorUnits": 240, "currency": "GBP"}}"#,
            "-2.40"
        ),
    ])
    func `a transaction's amount is negative for money out`(row: String, amount: String) throws {
        #expect(CommonMembers.transaction(try json(row))?.amount.major == amount)
    }

    @Test func `a balance keeps what can be spent apart`() throws {
        let response =
            #"{"clearedBalance": {"minorUnits": 5, "currency": "GBP"}, "effectiveBalance": {"minorUnits": 3, "currency": "GBP"}}"#

        let balance = try #require(CommonMembers.balance(try json(response)))

        #expect(balance.balance.major == "0.05")
        #expect(balance.available?.major == "0.03")
    }

    @Test func `an address is no cursor`() throws {
        #expect(CommonMembers.cursor(try json(#"{"next": "c2"}"#)) == "c2")
        #expect(CommonMembers.cursor(try json(#"{"next": "/accounts?page=2"}"#)) == nil)
        #expect(CommonMembers.cursor(try json(#"{"next": null}"#)) == nil)
    }
}
