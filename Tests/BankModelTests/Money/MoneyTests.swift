import BankModel
import Testing

@Suite struct MoneyTests {
    @Test(
        arguments: [
            ("12.30", "GBP", 1230), ("12.3", "GBP", 1230), ("12", "GBP", 1200), ("0", "GBP", 0), ("-0.05", "GBP", -5), ("-0", "GBP", 0),
            ("0.000", "GBP", 0), ("12.3000", "GBP", 1230), ("1200", "JPY", 1200), ("1200.0", "JPY", 1200), ("1.234", "BHD", 1234),
            ("1.2345", "CLF", 12345), ("92233720368547758.07", "GBP", .max), ("-92233720368547758.08", "GBP", .min),
            ("9223372036854775807", "JPY", .max),
        ] as [(String, String, Int64)])
    func `a decimal has a number of minor units in its currency`(_ text: String, _ code: String, _ minorUnits: Int64) throws {
        let currency = try #require(Currency(code))

        #expect(try Money(major: text, currency: currency).minorUnits == minorUnits)
    }

    @Test(arguments: [("12.345", "GBP"), ("0.001", "EUR"), ("-0.005", "GBP"), ("1.5", "JPY"), ("1.2345", "BHD"), ("1.23456", "CLF")])
    func `more digits than the currency has are rejected, never rounded`(_ text: String, _ code: String) throws {
        let currency = try #require(Currency(code))
        let error = try #require(throws: MoneyError.self) { try Money(major: text, currency: currency) }

        #expect(error == .tooManyDigits(text, currency))
    }

    @Test(arguments: [
        ("92233720368547758.08", "GBP"), ("-92233720368547758.09", "GBP"), ("9223372036854775808", "JPY"), ("922337203685477580.7", "CLF"),
        ("100000000000000000000000000000000000000", "GBP"), ("100000000000000000000000000000000000000000000", "JPY"),
    ])
    func `an amount beyond 64 bits is rejected`(_ text: String, _ code: String) throws {
        let currency = try #require(Currency(code))
        let error = try #require(throws: MoneyError.self) { try Money(major: text, currency: currency) }

        #expect(error == .tooLarge(text))
    }

    @Test(arguments: ["", " ", "12,30", "1 000", "£12", "12.30 GBP", "1e2", "1E2", "+1", "01.00", ".50", "1.", "NaN", "--1", "0x10", "१२"])
    func `a text that is no plain decimal is rejected`(_ text: String) throws {
        let currency = try #require(Currency("GBP"))
        let error = try #require(throws: MoneyError.self) { try Money(major: text, currency: currency) }

        #expect(error == .notDecimal(text))
    }

    @Test(arguments: ["1e-9223372036854775808", "1e9223372036854775807", "1e999999", "1e99999999999999999999"])
    func `a JSON number with an absurd exponent is rejected`(_ digits: String) throws {
        let number = try #require(JSONNumber(digits))
        let currency = try #require(Currency("GBP"))

        #expect(throws: MoneyError.tooLarge(digits)) { try Money(major: number, currency: currency) }
    }

    @Test(
        arguments: [
            (1230, "GBP", "12.30"), (5, "GBP", "0.05"), (-5, "GBP", "-0.05"), (0, "GBP", "0.00"), (-100, "GBP", "-1.00"),
            (1200, "JPY", "1200"),
            (-1, "JPY", "-1"), (1, "BHD", "0.001"), (-1234, "BHD", "-1.234"), (12345, "CLF", "1.2345"),
            (.min, "GBP", "-92233720368547758.08"),
            (.max, "GBP", "92233720368547758.07"), (.min, "JPY", "-9223372036854775808"),
        ] as [(Int64, String, String)])
    func `is written with all the currency's digits, and reads back`(_ minorUnits: Int64, _ code: String, _ text: String) throws {
        let money = Money(minorUnits: minorUnits, currency: try #require(Currency(code)))

        #expect(money.major == text)
        #expect(try Money(major: text, currency: money.currency) == money)
    }

    @Test func `adding keeps to one currency and to 64 bits`() throws {
        let (pounds, yen) = (try #require(Currency("GBP")), try #require(Currency("JPY")))
        let amount = Money(minorUnits: 250, currency: pounds)

        #expect(amount.adding(Money(minorUnits: -300, currency: pounds)) == Money(minorUnits: -50, currency: pounds))
        #expect(amount.adding(Money(minorUnits: 1, currency: yen)) == nil)
        #expect(amount.adding(Money(minorUnits: .max, currency: pounds)) == nil)
        #expect(Money(minorUnits: -1, currency: pounds).adding(Money(minorUnits: .min, currency: pounds)) == nil)
    }

    @Test func `a description has amount and currency, and an error the reason`() throws {
        let pounds = try #require(Currency("GBP"))

        #expect(Money(minorUnits: -5, currency: pounds).description == "-0.05 GBP")
        #expect(
            MoneyError.tooManyDigits("0.001", pounds).description
                == "found 0.001, expected at most 2 digits after the point, as GBP has")
        #expect(MoneyError.notDecimal("x").description == "found \"x\", expected a decimal such as 12.30")
    }
}

@Suite struct CurrencyTests {
    @Test(
        arguments: [("GBP", 2, 100), ("JPY", 0, 1), ("BHD", 3, 1000), ("CLF", 4, 10_000), ("ISK", 0, 1), ("HUF", 2, 100)]
            as [(String, Int, Int64)])
    func `has the digits of ISO 4217`(_ code: String, _ digits: Int, _ minorPerMajor: Int64) throws {
        let currency = try #require(Currency(code))

        #expect(currency.digits == digits)
        #expect(currency.minorPerMajor == minorPerMajor)
    }

    @Test(arguments: ["", "GB", "GBPP", "gbp", "Gbp", "G1P", "£££", "ＧＢＰ", "GB "])
    func `a code that is not three capital letters makes none`(_ code: String) {
        #expect(Currency(code) == nil)
    }
}
