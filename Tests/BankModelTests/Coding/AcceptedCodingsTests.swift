import BankModel
import Testing

@Suite struct AcceptedCodingsTests {
    @Test(
        arguments: [
            ("gzip", "gzip"), ("deflate", "deflate"), ("gzip, deflate, br", "gzip"), ("deflate, gzip", "gzip"), ("x-gzip", "gzip"),
            ("GZIP", "gzip"), ("*", "gzip"), ("gzip;q=0.5, deflate;q=0.8", "deflate"), ("gzip ; q = 0.5 , deflate", "deflate"),
            ("gzip;q=0, *", "deflate"), ("gzip;q=0.001", "gzip"), ("gzip;q=1.000", "gzip"), ("gzip, identity;q=0.5", "gzip"),
            ("*;q=0, gzip", "gzip"), ("identity;q=0, gzip;q=0.1", "gzip"),
            ("", nil), ("br", nil), ("identity", nil), ("gzip;q=0", nil), ("gzip;q=0.000", nil), ("*;q=0", nil),
            ("gzip;q=0.5, identity", nil), ("identity;q=1, gzip;q=0.9, *;q=0", nil),
            // A weight that is none accepts nothing.
            ("gzip;q=2", nil), ("gzip;q=1.001", nil), ("gzip;q=0.1234", nil), ("gzip;q=", nil), ("gzip;q=-1", nil), ("gzip;p=1", nil),
            ("gzip;q=0.5;q=1", nil), (",;,", nil),
        ] as [(String, String?)])
    func `the coding with the highest weight is chosen`(_ value: String, _ expected: String?) {
        let accepted = AcceptedCodings([.init("accept-encoding", value)])

        #expect(accepted.choice(among: [.gzip, .deflate])?.rawValue == expected)
    }

    @Test(
        arguments: [
            ("gzip, br;q=0.5", "gzip, br;q=0.5"), ("identity, gzip;q=0, *;q=0", "identity"), ("gzip ; Q=0.000,deflate", "deflate"),
            ("gzip;q=0", ""), ("gzip;q=2, br", " br"), ("", ""),
        ])
    func `a value is left without the codings that it rejects`(_ value: String, _ expected: String) {
        #expect(AcceptedCodings.accepted(in: value) == expected)
    }

    @Test func `of equals the bank's first is chosen, and none that it does not have`() {
        let accepted = AcceptedCodings([.init("Accept-Encoding", "gzip"), .init("Accept", "*/*"), .init("Accept-Encoding", "deflate")])

        #expect(accepted.choice(among: [.deflate, .gzip]) == .deflate)
        #expect(accepted.choice(among: [.gzip]) == .gzip)
        #expect(accepted.choice(among: []) == nil)
        #expect(AcceptedCodings([]).choice(among: ContentCoding.allCases) == nil)
    }

    @Test func `a coded response has Content-Encoding, and its tag is weak`() {
        let headers: [JournalEntry.Header] = [.init("ETag", "\"a\""), .init("Vary", "Origin, Accept-Encoding")]

        #expect(
            headers.announcing(.gzip, hasBody: true) == [
                .init("ETag", "W/\"a\""), .init("Vary", "Origin, Accept-Encoding"), .init("Content-Encoding", "gzip"),
            ])
        #expect(headers.announcing(.gzip, hasBody: false).map(\.name) == ["ETag", "Vary"])
        #expect([.init("etag", "W/\"a\"")].announcing(.gzip, hasBody: false) == [.init("etag", "W/\"a\"")])
        #expect(headers.varyByCoding)
        #expect(![JournalEntry.Header("Vary", "Origin")].varyByCoding)
    }
}
