import BankModel
import Testing

/// Responses of banks of which nothing is agreed are read by the usual names of members, or not at all.
@Suite struct CommonMembersTests {
    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test(arguments: [
        (#"[{"id": "a"}]"#, 1), (#"{"accounts": [{"id": "a"}, {"id": "b"}]}"#, 2),
        (#"{"Data": {"Account": [{"id": "a"}]}, "Meta": {}}"#, 1),
        (#"{"accounts": [], "next": null}"#, 0), (#"{"transactions": {"booked": [{"id": "a"}], "pending": [{}, {}]}}"#, 1),
    ])
    func `rows are the response, or its only list of objects, or the booked ones`(response: String, count: Int) throws {
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
        #"{"id": "a", "type": "accounts", "attributes": {"displayName": "N", "balance": {"currencyCode": "GBP", "value": "12.30"}}}"#,
        #"{"account_id": "a", "name": "N", "balances": {"available": 1, "current": 12.30, "iso_currency_code": "GBP"}, "currency": "GBP"}"#,
        #"{"id": "a", "name": "N", "currency": {"code": "GBP"}, "balance": "12.30"}"#,
        #"{"id": "a", "name": "N", "balances": {"booked": {"amount": {"currencyCode": "GBP", "value": {"unscaledValue": "1230", "scale": "2"}}}}}"#,
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
        (
            #"{"transactionId": "t", "bookingDate": "2026-01-12", "creditDebitIndicator": "DEBIT", "amount": "2.40", "currency": "GBP"}"#,
            "-2.40"
        ),
        (#"{"id": "t", "date": "2026-01-12T00:00:00", "type": "DEBIT", "amount": -2.4, "currency": "GBP"}"#, "-2.40"),
        (
            #"{"id": "t", "dates": {"booked": "2026-01-12"}, "amount": {"currencyCode": "GBP", "value": {"unscaledValue": "-240", "scale": "2"}}}"#,
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

    /// Of open banking in Britain and the European Union, and of aggregators.
    @Test(arguments: [
        (
            #"{"balances": [{"balanceType": "expected", "balanceAmount": {"amount": "9.00", "currency": "EUR"}}, {"balanceType": "closingBooked", "balanceAmount": {"amount": "5.00", "currency": "EUR"}}]}"#,
            "5.00"
        ),
        (
            #"{"Data": {"Balance": [{"Type": "CLBD", "CreditDebitIndicator": "Debit", "Amount": {"Amount": "5.00", "Currency": "GBP"}, "CreditLine": [{"Type": "Available", "Amount": {"Amount": "9.00", "Currency": "GBP"}}]}]}}"#,
            "-5.00"
        ),
        (#"{"results": [{"currency": "GBP", "available": 9.0, "current": 5.0}]}"#, "5.00"),
        (#"{"data": {"currentBalance": "5.00", "currency": "AUD"}, "links": {}}"#, "5.00"),
    ])
    func `a list of balances has one that is booked`(response: String, balance: String) throws {
        #expect(CommonMembers.balance(try json(response))?.balance.major == balance)
    }

    @Test func `of two balances without a type none is the account's`() throws {
        let response = #"{"balances": [{"amount": "9.00", "currency": "EUR"}, {"amount": "5.00", "currency": "EUR"}]}"#

        #expect(CommonMembers.balance(try json(response)) == nil)
    }

    @Test func `an address is no cursor`() throws {
        #expect(CommonMembers.cursor(try json(#"{"next": "c2"}"#)) == "c2")
        #expect(CommonMembers.cursor(try json(#"{"next": "/accounts?page=2"}"#)) == nil)
        #expect(CommonMembers.cursor(try json(#"{"next": null}"#)) == nil)
    }
}
