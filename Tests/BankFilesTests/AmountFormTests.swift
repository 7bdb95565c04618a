import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// A balance keeps the form of its number after a payment.
@Suite struct AmountFormTests {
    @Test(arguments: [
        ("3035.0", "number", "1035", "2000.0"), ("3035", "number", "1035", "2000"), ("3035", "number", "0.5", "3034.5"),
        ("3035.00", "number", "1035", "2000.00"), ("3035.0", "minor", "1035", "2000.0"), ("\"3035.0\"", "major", "\"1035\"", "\"2000.0\""),
        ("\"12.30\"", "major", "\"2.30\"", "\"10.00\""),
    ])
    func `the digits after the point stay`(_ before: String, _ unit: String, _ amount: String, _ after: String) throws {
        let files = TestFiles().replacing("till/bank.yaml", "unit: major", with: "unit: \(unit)")
            .replacing("till/accounts.json", "\"100.00\"", with: before).replacing(
                "till/accounts.json", "\"5.50\"", with: unit == "major" ? "\"5.50\"" : "5"
            )
            .replacing("till/accounts.json", "\"7.00\"", with: unit == "major" ? "\"7.00\"" : "7")
        var caller = try Caller(files.library.load("till").bank, login: "ann")

        let paid = caller.send(
            "POST", "/v1/payments", headers: [.init("Idempotency-Key", "k")], body: #"{"from": "a1", "to": "p1", "amount": \#(amount)}"#)
        #expect(paid.status == 201, "\(String(decoding: paid.body, as: UTF8.self))")
        let text = String(decoding: caller.send("GET", "/v1/accounts/a1").body, as: UTF8.self)
        #expect(text.contains("\"balance\":\(after)}"), "\(text)")
    }
}
