import BankModel
@testable import ProviderCheck
import Testing

@Suite struct ResponseComparisonTests {
    @Test func `equal responses are no drift`() {
        #expect(ResponseComparison(stub: [json(200, #"{"a": 1}"#)], provider: [json(200, #"{"a": 2}"#)]).drifts == [])
    }

    @Test func `another status is reported, of a redirect with its host and nothing more`() {
        let redirect = ObservedResponse(status: 302, headers: [.init("Location", "https://ann:secret@sso.bank.example/login?ticket=7")])

        let drifts = ResponseComparison(stub: [json(200, "{}")], provider: [redirect, json(410, "{}")]).drifts

        #expect(
            drifts == [
                Drift(.otherStatus, stub: "200", provider: "302, a redirect to https://sso.bank.example"),
                Drift(.otherStatus, stub: "200", provider: "410"),
            ])
    }

    @Test func `a page for people is not JSON, whatever it calls itself`() {
        let page = "<!DOCTYPE html><title>Sign in</title>"

        let asPage = ResponseComparison(stub: [json(200, "{}")], provider: [response(200, "text/html", page)]).drifts
        let asJSON = ResponseComparison(stub: [json(200, "{}")], provider: [json(200, page)]).drifts

        #expect(asPage == [Drift(.otherContentType, stub: "application/json", provider: "text/html")])
        #expect(asJSON == [Drift(.noJSON, stub: "JSON", provider: "an HTML page")])
    }

    @Test func `a body where there was none is drift, and none where there was one`() {
        let full = json(401, #"{"error": "x"}"#)
        let empty = ObservedResponse(status: 401)

        #expect(ResponseComparison(stub: [full], provider: [empty]).drifts == [Drift(.otherType, stub: "a body", provider: "no body")])
        #expect(ResponseComparison(stub: [empty], provider: [full]).drifts == [Drift(.otherType, stub: "no body", provider: "a body")])
    }

    @Test func `the words by which programs distinguish rejections are compared, sentences and ids are not`() {
        let stub = json(401, #"{"code": "AUTH-002", "errors": [{"message": "NO_TOKEN"}], "text": "Sign in again.", "n": "7"}"#)
        let provider = json(401, #"{"code": "E17", "errors": [{"message": "NOPE"}], "text": "Log in.", "n": "8"}"#)

        let drifts = ResponseComparison(stub: [stub], provider: [provider], .rejection).drifts

        #expect(
            drifts == [
                Drift(.otherErrorCode, at: "/code", stub: "`AUTH-002`", provider: "another text"),
                Drift(.otherErrorCode, at: "/errors/0/message", stub: "`NO_TOKEN`", provider: "another text"),
            ])
        #expect(ResponseComparison(stub: [stub], provider: [provider]).drifts == [])
    }

    @Test func `a rejection that must name how to sign in must name it`() {
        let stub = ObservedResponse(status: 401, headers: [.init("WWW-Authenticate", "Bearer")])

        let drifts = ResponseComparison(stub: [stub], provider: [ObservedResponse(status: 401)], .rejection).drifts

        #expect(drifts == [Drift(.missingHeader, stub: "the header WWW-Authenticate", provider: "nothing")])
    }

    @Test(.timeLimit(.minutes(1))) func `a response with very many new fields is compared in one pass`() throws {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        // Names without digits: those that look like data are reported as one.
        var names: [String] = []
        for a in letters { for b in letters { for c in letters { names += ["\(a)\(b)\(c)", "\(a)\(b)\(c)_x", "\(a)\(b)\(c)_y"] } } }
        let body = "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"

        let drifts = ResponseComparison(stub: [json(200, "{}")], provider: [json(200, body)]).drifts

        #expect(drifts.count == names.count)
        let first = try #require(drifts.first)
        #expect(first.kind == .newField && first.pointer == "/aaa")
    }

    private func json(_ status: Int, _ body: String) -> ObservedResponse { response(status, "application/json; charset=utf-8", body) }

    private func response(_ status: Int, _ type: String, _ body: String) -> ObservedResponse {
        ObservedResponse(status: status, headers: [.init("content-type", type)], body: Array(body.utf8))
    }
}
