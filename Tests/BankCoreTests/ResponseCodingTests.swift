import BankCore
import BankModel
import Testing

/// The responses that a bank with codings compresses.
@Suite struct ResponseCodingTests {
    private static func response(
        _ type: String?, status: Int = 200, bytes: Int = 100, _ more: [JournalEntry.Header] = []
    ) -> BankResponse {
        let headers = (type.map { [JournalEntry.Header("Content-Type", $0)] } ?? []) + more
        return BankResponse(status: status, headers: headers, body: [UInt8](repeating: 0x20, count: bytes))
    }

    private let gzip = AcceptedCodings([.init("Accept-Encoding", "gzip")])

    @Test(arguments: ["application/json", "application/problem+json; charset=utf-8", "text/html", "Text/Plain", "application/xml"])
    func `text varies and is coded`(_ type: String) {
        let varied = Self.response(type, status: 503).varied(by: [.gzip])

        #expect(varied.headers.varyByCoding)
        #expect(varied.coding(among: [.gzip], for: gzip) == .gzip)
        #expect(varied.coding(among: [.gzip], for: AcceptedCodings([])) == nil)
        #expect(varied.varied(by: [.gzip]) == varied)
    }

    @Test(arguments: [
        response("image/png"), response(nil), response("application/json", bytes: 19),
        response("application/json", [.init("Content-Encoding", "br")]),
    ])
    func `images and small and coded responses are left alone`(_ response: BankResponse) {
        #expect(response.varied(by: [.gzip]) == response)
        #expect(response.coding(among: [.gzip], for: gzip) == nil)
    }

    @Test func `a bank without codings adds nothing`() {
        let response = Self.response("application/json")

        #expect(response.varied(by: []) == response)
    }

    @Test func `an unchanged response varies as the whole one`() throws {
        var whole = Self.response("application/json").varied(by: [.gzip])
        whole.tag = EntityTag(of: whole.body)
        let unchanged = try #require(whole.unmodified)

        #expect(unchanged.headers.varyByCoding)
        #expect(unchanged.coding(among: [.gzip], for: gzip) == .gzip)
    }
}
