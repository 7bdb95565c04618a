import BankModel
import Testing

@Suite struct JSONNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("0.000", 0), ("0e5", 0), ("0e-31", 0), ("100", 100), ("100.0", 100), ("1e2", 100), ("1E+2", 100),
            ("10000e-2", 100), ("0.01e4", 100), ("-12.00", -12), ("9223372036854775807", .max), ("9223372036854775807.0", .max),
            ("-9223372036854775808", .min), ("92233720368547758070e-1", .max), ("1.0000000000000000000000000000000000", 1),
        ] as [(String, Int64)])
    func `a whole number that fits is an integer however written`(_ digits: String, _ value: Int64) throws {
        let number = try #require(JSONNumber(digits))

        #expect(number.int64 == value)
    }

    @Test(arguments: [
        "0.5", "1.01", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e999999", "1e-999999", "1e1000000",
        "1e99999999999999999999", "1e-99999999999999999999", "1e9223372036854775807", "1e-9223372036854775808",
        "1000000000000000000000000000000000000000000000000",
    ])
    func `a number that is not whole or does not fit is no integer`(_ digits: String) throws {
        let number = try #require(JSONNumber(digits))

        #expect(number.int64 == nil)
    }

    @Test(arguments: ["", " ", "1 ", " 1", "+1", "01", "1.", ".5", "NaN", "0x1", "1,0", "١", "[1]", "\"1\"", "1 2", "true"])
    func `a text that is no JSON number makes none`(_ text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test(arguments: [
        ("12.0", "12.00"), ("12", "12.00"), ("1e2", "100"), ("100", "100.0"), ("-0", "0"), ("0.0", "0e9"), ("5e-1", "0.50"),
        ("123e400", "1230e399"), ("1e-400", "10e-401"), (String(repeating: "7", count: 60), String(repeating: "7", count: 60) + ".0"),
    ])
    func `numbers of equal value are equal and hash alike`(_ a: String, _ b: String) throws {
        let (a, b) = (try #require(JSONNumber(a)), try #require(JSONNumber(b)))

        #expect(a == b)
        #expect(Set([a, b]).count == 1)
    }

    @Test(arguments: [
        ("12.0", "12.01"), ("1", "-1"), ("1e2", "1e3"), ("0.1", "0.10000000000000001"), ("9007199254740993", "9007199254740992"),
        ("0", "1e-400"),
    ])
    func `numbers of other value are not equal, not even by a rounding`(_ a: String, _ b: String) throws {
        let (a, b) = (try #require(JSONNumber(a)), try #require(JSONNumber(b)))

        #expect(a != b)
    }

    @Test func `with an exponent of over six digits equal is what is written alike`() throws {
        let (a, b) = (try #require(JSONNumber("1e9999999")), try #require(JSONNumber("1e9999999")))
        let other = try #require(JSONNumber("10e9999998"))

        #expect(a == b)
        #expect(a != other)
        #expect(Set([a, b, other]).count == 2)
    }

    @Test(arguments: [
        ("-12.50", "-125", -1), ("1200", "12", 2), ("0.0", "0", 0), ("-0e7", "0", 0), ("0.0010", "1", -3), ("1.5E+3", "15", 2),
    ])
    func `the decimal form has the fewest digits`(_ digits: String, _ significand: String, _ exponent: Int) throws {
        let decimal = try #require(JSONNumber(digits)?.decimal)

        #expect(decimal.significand == significand)
        #expect(decimal.exponent == exponent)
    }

    @Test func `a number from an integer has its digits`() {
        #expect(JSONNumber(Int64.min).digits == "-9223372036854775808")
        #expect(JSONNumber(UInt64.max).digits == "18446744073709551615")
        #expect(JSON.int(0).text == "0")
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (1, "1.0"), (.leastNonzeroMagnitude, "5e-324"), (1e300, "1e+300"), (.nan, #""nan""#), (-.infinity, #""-inf""#),
        ] as [(Double, String)])
    func `a floating-point number is JSON, or else a text`(_ value: Double, _ text: String) {
        #expect(JSON.double(value).text == text)
    }

    @Test func `coordinates can be had in floating point`() throws {
        #expect(try JSON(parsing: "-0.1278").number?.double == -0.1278)
    }
}
