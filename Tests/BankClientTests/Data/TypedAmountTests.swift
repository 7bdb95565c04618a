import BankClient
import BankModel
import Testing

/// Amounts as people type them, read without the locale data of the machine.
struct TypedAmountTests {
    @Test(
        arguments: [
            ("de_DE", "EUR", "19,99", "19.99"), ("de_DE", "EUR", "1,5", "1.50"), ("de_DE", "EUR", "1.500", "1500.00"),
            ("tr_TR", "TRY", "1.234.567,89", "1234567.89"), ("de_DE", "JPY", "1.280", "1280"), ("de_DE", "BHD", "3,250", "3.250"),
            ("de_DE", "CLF", "1,2345", "1.2345"), ("de_DE", "EUR", "70.368.744.177.664,01", "70368744177664.01"),
            ("fr_FR", "EUR", "29\u{202F}000", "29000.00"), ("fr_FR", "EUR", "1\u{A0}234,56", "1234.56"),
            ("fr_FR", "EUR", " 4 350,10 ", "4350.10"), ("ar_EG", "EGP", "\u{661}\u{669}\u{66B}\u{669}\u{669}", "19.99"),
            ("ar_EG", "EGP", "\u{661}\u{66C}\u{662}\u{663}\u{664}\u{66B}\u{665}\u{666}", "1234.56"),
            ("ar_EG", "EGP", "\u{200F}\u{664}\u{66B}\u{663}\u{665}", "4.35"), ("ar_MA", "MAD", "1.234,50", "1234.50"),
            ("fa_IR", "IRR", "\u{6F1}\u{6F9}\u{66B}\u{6F9}\u{6F9}", "19.99"), ("hi_IN", "INR", "12,34,567.89", "1234567.89"),
            ("hi_IN", "INR", "\u{967}\u{96F}.\u{96F}\u{96F}", "19.99"), ("en_GB", "GBP", "1,500", "1500.00"),
            ("en_ZA", "ZAR", "1,50", "1.50"), ("de_CH", "CHF", "1\u{2019}234.50", "1234.50"), ("es_MX", "MXN", "1,234.50", "1234.50"),
            ("de-DE", "EUR", "0,29", "0.29"), ("xx_XX", "GBP", "0.01", "0.01"), ("no_NO", "NOK", "1,50", "1.50"),
        ])
    func `an amount is read by the signs and digits of its locale`(
        _ locale: String, _ code: String, _ text: String, _ amount: String
    ) throws {
        let currency = try #require(Currency(code))

        #expect(TypedAmounts(locale: locale).money(typed: text, currency)?.major == amount)
    }

    @Test(
        arguments: [
            ("en_GB", "15,00"), ("en_GB", "1,234567"), ("en_GB", "1.234"), ("de_DE", "1,500"), ("de_DE", "1.5"), ("de_DE", "1,2,3"),
            ("de_DE", "1,"), ("de_DE", ",50"), ("en_GB", ""), ("en_GB", "  "), ("en_GB", "."), ("en_GB", "-1"), ("en_GB", "+1"),
            ("en_GB", "1e3"), ("en_GB", "ten"), ("en_GB", "\u{BD}"), ("en_GB", "92233720368547758.08"), ("en_GB", "1,,000"),
        ])
    func `a text that has two readings, or none, is rejected`(_ locale: String, _ text: String) throws {
        let pound = try #require(Currency("GBP"))

        #expect(TypedAmounts(locale: locale).money(typed: text, pound) == nil)
    }

    @Test func `every decimal digit of Unicode is read as its value`() throws {
        let yen = try #require(Currency("JPY"))
        let digits = (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap { Unicode.Scalar($0) }.filter {
            $0.properties.generalCategory == .decimalNumber
        }

        var count = 0
        for digit in digits {
            let amount = TypedAmounts().money(typed: "1\(digit)", yen)?.minorUnits
            #expect(amount == digit.properties.numericValue.map { 10 + Int64($0) }, "U+\(String(digit.value, radix: 16))")
            count += 1
        }
        #expect(count > 600)
    }
}
