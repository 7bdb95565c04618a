import BankClient
import BankModel
import Testing

/// RFC 9111: the time for which an answer may be shown without revalidation.
struct FreshnessTests {
    private let now = Instant(seconds: 1_800_000_000)

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60, false), (["cache-control": "Public , MAX-AGE = \"60\""], 60, false),
            (["Cache-Control": "max-age=60", "Age": "20"], 40, false), (["Cache-Control": "max-age=60, max-age=5"], 5, false),
            (["Cache-Control": "max-age=60, must-revalidate"], 60, true),
            (["Cache-Control": "no-cache, max-age=60", "ETag": "\"a\""], 0, true),
            (["Cache-Control": "max-age=99999999999999999999"], 31_536_000, false), (["ETag": "\"a\""], 0, false),
            (["Cache-Control": "max-age=-5", "ETag": "\"a\""], 0, false), (["Cache-Control": "max-age=x", "ETag": "\"a\""], 0, false),
            (["Cache-Control": "max-age=5", "Age": "9", "ETag": "\"a\""], 0, false),
            (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], 60, false),
            (
                ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Cache-Control": "max-age=7"], 7,
                false
            ),
        ] as [([String: String], Int64, Bool)])
    func `the bank's words are followed`(_ headers: [String: String], _ seconds: Int64, _ mustAsk: Bool) {
        let freshness = Freshness(HTTPHeaders(headers), now: now)

        #expect(freshness == Freshness(until: now + .seconds(seconds), mustAsk: mustAsk))
    }

    @Test(
        arguments: [
            [:], ["Cache-Control": "no-store, max-age=60", "ETag": "\"a\""], ["Cache-Control": "No-Store"], ["Cache-Control": "max-age=0"],
            ["Cache-Control": "max-age=60", "Vary": "*"], ["Cache-Control": "no-cache"], ["Expires": "0"],
            ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"],
        ] as [[String: String]])
    func `an answer that may not be cached is not`(_ headers: [String: String]) {
        #expect(Freshness(HTTPHeaders(headers), now: now) == nil)
    }

    @Test func `a word on any line counts`() {
        var headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
        headers.append("Cache-Control", "no-store")
        #expect(Freshness(headers, now: now) == nil)
    }
}

extension HTTPHeaders {
    fileprivate init(_ lines: [String: String]) {
        self.init()
        for (name, value) in lines { append(name, value) }
    }
}
