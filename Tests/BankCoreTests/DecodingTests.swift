import BankCore
import BankModel
import TestBanks
import Testing

/// Escapes of addresses and forms, undone.
@Suite struct DecodingTests {
    @Test(
        arguments: [
            ("a%20b", "a b"), ("%C3%a9", "é"), ("%", nil), ("%2", nil), ("%zz", nil), ("%+5", nil), ("%-0", nil), ("%ff", nil),
            ("a+b", "a+b"),
        ] as [(String, String?)])
    func `an escape is two hexadecimal digits and nothing else`(_ text: String, _ expected: String?) {
        #expect(percentDecoded(text, plusIsSpace: false) == expected)
    }

    @Test(arguments: [false, true])
    func `an address is made of the request's parameters, each escaped and put in once`(asSent: Bool) throws {
        let files = TestFiles().replacing("till/bank.yaml", "bank: till", with: "bank: till\nas_sent: \(asSent)").replacing(
            "till/bank.yaml", "  clock: {",
            with: """
                  place: {request: "GET /places/{city}/{street}", open: true, reply: {self: {url: "/places/{street}/{city}"}}}
                  file: {request: "GET /files/{name...}", open: true, reply: {self: {url: "/files/{name...}"}}}
                  clock: {
                """)
        var till = try Till(files)

        let place = till.send("GET", "/v1/places/a%2F%7Bstreet%7D/b%20c%3F")
        #expect(place.json["self"]?.string == "http://bank/places/b%20c%3F/a%2F%7Bstreet%7D")
        let file = till.send("GET", "/v1/files/a%20b/c%23")
        #expect(file.json["self"]?.string == "http://bank/files/a%20b/c%23")
    }
}
