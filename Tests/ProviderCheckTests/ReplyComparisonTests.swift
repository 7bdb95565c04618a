import BankModel
import ProviderCheck
import Testing

@Suite struct ReplyComparisonTests {
    @Test func `equal responses are no drift`() {
        #expect(ReplyComparison(stub: [json(200, #"{"a": 1}"#)], provider: [json(200, #"{"a": 2}"#)]).drifts == [])
    }

    @Test func `another status is reported, of a redirect with its host and nothing more`() {
        let redirect = ObservedReply(status: 302, headers: [.init("Location", "https://ann:secret@sso.bank.example/login?ticket=7")])

        let drifts = ReplyComparison(stub: [json(200, "{}")], provider: [redirect, json(410, "{}")]).drifts

        #expect(
            drifts == [
                Drift(.otherStatus, stub: "200", provider: "302, a redirect to https://sso.bank.example"),
                Drift(.otherStatus, stub: "200", provider: "410"),
            ])
    }

    @Test func `a page for people is not JSON, whatever it calls itself`() {
        let page = "<!DOCTYPE html><title>Sign in</title>"

        let asPage = ReplyComparison(stub: [json(200, "{}")], provider: [reply(200, "text/html", page)]).drifts
        let asJSON = ReplyComparison(stub: [json(200, "{}")], provider: [json(200, page)]).drifts

        #expect(asPage == [Drift(.otherContentType, stub: "application/json", provider: "text/html")])
        #expect(asJSON == [Drift(.noJSON, stub: "JSON", provider: "an HTML page")])
    }

    @Test func `a body where there was none is drift, and none where there was one`() {
        let full = json(401, #"{"error": "x"}"#)
        let empty = ObservedReply(status: 401)

        #expect(ReplyComparison(stub: [full], provider: [empty]).drifts == [Drift(.otherType, stub: "a body", provider: "no body")])
        #expect(ReplyComparison(stub: [empty], provider: [full]).drifts == [Drift(.otherType, stub: "no body", provider: "a body")])
    }

    @Test func `the words by which programs distinguish rejections are compared, sentences and ids are not`() {
        let stub = json(401, #"{"code": "AUTH-002", "errors": [{"message": "NO_TOKEN"}], "text": "Sign in again.", "n": "7"}"#)
        let provider = json(401, #"{"code": "E17", "errors": [{"message": "NOPE"}], "text": "Log in.", "n": "8"}"#)

        let drifts = ReplyComparison(stub: [stub], provider: [provider], .rejection).drifts

        #expect(
            drifts == [
                Drift(.otherErrorCode, at: "/code", stub: "`AUTH-002`", provider: "another text"),
                Drift(.otherErrorCode, at: "/errors/0/message", stub: "`NO_TOKEN`", provider: "another text"),
            ])
        #expect(ReplyComparison(stub: [stub], provider: [provider]).drifts == [])
    }

    @Test func `a rejection that must name how to sign in must name it`() {
        let stub = ObservedReply(status: 401, headers: [.init("WWW-Authenticate", "Bearer")])

        let drifts = ReplyComparison(stub: [stub], provider: [ObservedReply(status: 401)], .rejection).drifts

        #expect(drifts == [Drift(.missingHeader, stub: "the header WWW-Authenticate", provider: "nothing")])
    }

    private func json(_ status: Int, _ body: String) -> ObservedReply { reply(status, "application/json; charset=utf-8", body) }

    private func reply(_ status: Int, _ type: String, _ body: String) -> ObservedReply {
        ObservedReply(status: status, headers: [.init("content-type", type)], body: Array(body.utf8))
    }
}
