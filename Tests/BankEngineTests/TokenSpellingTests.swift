import Foundation
import Testing

@testable import BankEngine

/// Tokens in Base64, wherever they begin in it.
@Suite struct TokenSpellingTests {
    private func shown(_ text: String) -> String? {
        TokenSpelling.replaced(in: Array(text.utf8)) { _ in "token#1" }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The Base64 of a text as long as a token, after another text.
    private func encoded(_ lead: String, after before: String) -> String {
        Data((before + lead + "till_0_" + String(repeating: "k", count: 26)).utf8).base64EncodedString()
    }

    @Test(arguments: ["cf_", "Cf_", "cF_", "CF_"], ["", ".", "..", "..."])
    func `a token is found at every alignment, in capitals or not`(_ lead: String, _ before: String) {
        #expect(shown("x: \(encoded(lead, after: before))") == "x: token#1")
    }

    @Test(arguments: ["cg_", "df_", "cf-", "_fc"], ["", ".", ".."])
    func `a text of another beginning is no token`(_ lead: String, _ before: String) {
        #expect(shown("x: \(encoded(lead, after: before))") == nil)
    }
}
