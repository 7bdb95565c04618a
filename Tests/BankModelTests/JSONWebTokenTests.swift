import BankModel
import Testing

/// Tokens in the compact form.
@Suite struct JSONWebTokenTests {
    private static func part(_ text: String) -> String { Base64.url(Array(text.utf8)) }

    @Test func `a token is taken apart`() throws {
        let text = "\(Self.part(#"{"alg": "ES256"}"#)).\(Self.part(#"{"sub": "ava"}"#))"

        let token = try #require(JSONWebToken("\(text).\(Self.part("sign"))"))

        #expect(token.header == ["alg": "ES256"])
        #expect(token.claims == ["sub": "ava"])
        #expect(token.signature == Array("sign".utf8))
        #expect(token.signed == Array(text.utf8))
    }

    @Test func `an unsigned token is one too, and for the verification to reject`() throws {
        #expect(try #require(JSONWebToken("\(Self.part("{}")).\(Self.part("{}")).")).signature.isEmpty)
    }

    @Test(arguments: [["{}", "{}"], ["{}", "{}", "x", "x"], ["[]", "{}", "x"], ["{}", "1", "x"], ["{", "{}", "x"], []])
    func `other texts are no tokens`(_ parts: [String]) {
        #expect(JSONWebToken(parts.map(Self.part).joined(separator: ".")) == nil)
    }

    @Test func `a part that is not base64url is none`() {
        #expect(JSONWebToken("\(Self.part("{}")).\(Self.part("{}")).?") == nil)
    }
}
