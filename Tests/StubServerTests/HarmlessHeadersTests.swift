import BankCore
import BankModel
import Testing

@testable import BankEngine

/// The memory of headers without a secret: it never shows what redaction would hide.
@Suite struct HarmlessHeadersTests {
    private typealias Header = JournalEntry.Header

    private let plain = Redaction(tokens: TokenBook(), names: SecretNames())
    /// Redacts what `plain` shows, so that a header that stays as it is comes from the memory.
    private let strict = Redaction(tokens: TokenBook(), names: SecretNames(own: ["magic"]))
    private let token = "cf_till_0_" + String(repeating: "a", count: 26)

    /// A header that `plain` shows and `strict` does not.
    private func referer(_ value: String = "sesame") -> Header { Header("Referer", "https://app.test/?magic=\(value)") }

    private func isRemembered(_ header: Header, at place: Int, _ headers: HarmlessHeaders) -> Bool {
        var headers = headers
        let before = Array(repeating: Header("Accept", "*/*"), count: place)
        return headers.redacted(before + [header], strict).last == header
    }

    @Test func `the test's header is redacted by one bank and not by the other`() {
        #expect(plain.header(referer()) == referer())
        #expect(strict.header(referer()) == Header("Referer", "https://app.test/?magic=[redacted]"))
    }

    @Test func `a harmless header is remembered at its place, and at no other`() {
        var headers = HarmlessHeaders()
        let sent = [Header("Accept", "*/*"), referer()]

        #expect(headers.redacted(sent, plain) == sent)

        #expect(isRemembered(referer(), at: 1, headers))
        #expect(!isRemembered(referer(), at: 0, headers))
        #expect(!isRemembered(referer(), at: 2, headers))
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Note", "X-Auth-Token"])
    func `a secret at the place of a harmless header is redacted, each time`(_ name: String) {
        var headers = HarmlessHeaders()
        #expect(headers.redacted([referer()], plain) == [referer()])

        for _ in 1...2 {
            let shown = headers.redacted([Header(name, "Bearer \(token)")], plain)

            #expect(shown == [plain.header(Header(name, "Bearer \(token)"))])
            #expect(!shown.contains { $0.value.contains(token) })
        }
        // The harmless one is there still.
        #expect(isRemembered(referer(), at: 0, headers))
    }

    @Test func `another value takes the place of the one before`() {
        var headers = HarmlessHeaders()
        _ = headers.redacted([referer("one")], plain)

        #expect(headers.redacted([referer("two")], plain) == [referer("two")])

        #expect(isRemembered(referer("two"), at: 0, headers))
        #expect(!isRemembered(referer("one"), at: 0, headers))
    }

    @Test(arguments: [(256, true), (257, false)])
    func `a header of more than 256 bytes is shown and not remembered`(_ bytes: Int, _ isKept: Bool) {
        var headers = HarmlessHeaders()
        let around = referer("").name.utf8.count + referer("").value.utf8.count
        let long = referer(String(repeating: "x y ", count: 64).prefix(bytes - around).description)
        #expect(long.name.utf8.count + long.value.utf8.count == bytes)

        #expect(headers.redacted([long], plain) == [long])

        #expect(isRemembered(long, at: 0, headers) == isKept)
    }

    @Test func `32 places are remembered, and the header after them is redacted anew`() {
        var headers = HarmlessHeaders()
        let sent = Array(repeating: referer(), count: 40)

        #expect(headers.redacted(sent, plain) == sent)

        let shown = headers.redacted(sent, strict)
        #expect(shown.prefix(32).allSatisfy { $0 == referer() })
        #expect(shown.dropFirst(32).allSatisfy { $0 == strict.header(referer()) })
        #expect(shown.count == 40)
    }
}
