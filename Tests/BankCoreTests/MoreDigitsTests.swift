import BankCore
import BankModel
import TestBanks
import Testing

/// Amounts written with more digits than their currency has.
@Suite struct MoreDigitsTests {
    struct Written: Sendable, CustomTestStringConvertible {
        let amount: String
        let currency: String
        /// The results if such digits are rejected, and if superfluous zeros are accepted.
        let isTaken: (refused: Bool, zeros: Bool)

        init(_ amount: String, _ currency: String, refused: Bool, zeros: Bool) {
            self.amount = amount
            self.currency = currency
            isTaken = (refused, zeros)
        }

        var testDescription: String { "\(amount) \(currency)" }
    }

    static let written = [
        Written("1", "GBP", refused: true, zeros: true), Written("1.0", "GBP", refused: true, zeros: true),
        Written("1.00", "GBP", refused: true, zeros: true), Written("1.000", "GBP", refused: false, zeros: true),
        Written("1.00000000000000000000", "GBP", refused: false, zeros: true), Written("1.001", "GBP", refused: false, zeros: false),
        Written("1", "JPY", refused: true, zeros: true), Written("1.0", "JPY", refused: false, zeros: true),
        Written("1.00", "JPY", refused: false, zeros: true), Written("1.5", "JPY", refused: false, zeros: false),
        Written("1.000", "BHD", refused: true, zeros: true), Written("1.0000", "BHD", refused: false, zeros: true),
        Written("1.0001", "BHD", refused: false, zeros: false), Written("1.2345", "CLF", refused: true, zeros: true),
        Written("1.23450", "CLF", refused: false, zeros: true),
    ]

    private func pay(_ written: Written, _ rule: String?, asNumber: Bool) throws -> BankResponse {
        var files = TestFiles()
            .replacing("till/bank.yaml", "fixed_currency: GBP, unit: major", with: "fixed_currency: \(written.currency), unit: UNIT")
            .replacing(
                "till/bank.yaml", "unit: major, currency: {literal: GBP}", with: "unit: UNIT, currency: {literal: \(written.currency)}"
            )
            .replacing("till/accounts.json", "100.00", with: "100").replacing("till/accounts.json", "5.50", with: "5")
        if let rule { files = files.replacing("dialects/terse.yaml", "replies:", with: "more_digits: \(rule)\nreplies:") }
        files = files.replacing("till/bank.yaml", "UNIT", with: asNumber ? "number" : "major")
        if asNumber {
            for balance in ["100", "5", "7.00"] { files = files.replacing("till/accounts.json", "\"\(balance)\"", with: "70") }
        }
        var till = try Till(files)
        let ann = try till.token()
        let amount = asNumber ? written.amount : "\"\(written.amount)\""
        return till.send("POST", "/v1/payments", token: ann, key: "k1", body: #"{"from": "a1", "to": "p1", "amount": \#(amount)}"#)
    }

    @Test(arguments: written, [true, false])
    func `a dialect defines what becomes of them`(_ written: Written, asNumber: Bool) throws {
        let expected = [(nil, written.isTaken.refused), ("refused", written.isTaken.refused), ("zeros", written.isTaken.zeros)]
        for (rule, isTaken) in expected {
            let response = try pay(written, rule, asNumber: asNumber)

            #expect(response.status == (isTaken ? 201 : 400), "\(rule ?? "no rule"): \(response.text)")
        }
    }
}
