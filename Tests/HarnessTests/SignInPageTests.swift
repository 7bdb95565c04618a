import BankClient
import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Logging
import Platform
import StubServer
import TestBanks
import Testing

@testable import Harness

/// The harness as the customer's browser: the page's form, the bank's redirects, and how the browser's requests are recognised.
@Suite struct SignInPageTests {
    private static let form = """
        <!doctype html><html><body><form method="post" action="authorize?a=1&amp;b=2">
        <input type="hidden" name="csrf_token" value="a&lt;b"><input id=u name=username type=text value="">
        <input name='password' type='password' required><br/>
        <button type="submit" name="decision" value="approve">Allow</button>
        <button type="submit" name="decision" value="deny">Deny</button></form><input name="other" value="x"></body></html>
        """

    @Test func `a form is read and filled in as a browser does it`() throws {
        let form = try #require(PageForm(html: Self.form))

        #expect(form.action == "authorize?a=1&b=2")
        #expect(form.isPost)
        let filled = form.filled(user: "ava", password: "p&q", decision: "deny")
        #expect(formEncoded(filled) == "csrf_token=a%3Cb&username=ava&password=p%26q&decision=deny")
    }

    @Test(arguments: ["", "<p>Sorry", "<form", "<form action=", "<<>>", "<form action='x", "</form>", "<input name=a>"])
    func `a page of any kind is read to its end`(html: String) {
        let form = PageForm(html: html)

        #expect(form == nil || form?.fields == [])
    }

    @Test func `the words of an alert are found`() {
        #expect(PageForm.alert(in: "<p role=\"alert\">client_id is &quot;x&quot;.</p>") == "client_id is \"x\".")
        #expect(PageForm.alert(in: "<p>fine</p>") == nil)
    }

    // MARK: a visit

    private func visit(
        _ address: String = "http://127.0.0.1:1/authorize?client_id=app", _ decision: SignInDecision = .approve,
        _ answers: [HTTPResponse]
    ) async -> (end: PageVisitor.End, requests: [HTTPRequest]) {
        let transport = Scripted(answers)
        let visitor = PageVisitor(transport: transport, baseURL: "http://127.0.0.1:1", mark: "m-2")
        let end = await visitor.visit(address, decision, user: "ava", password: "secret")
        return (end, transport.requests)
    }

    private static let page = HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array(form.utf8))
    private func redirect(_ address: String) -> HTTPResponse { HTTPResponse(status: 303, headers: ["Location": address]) }

    @Test func `a visit ends with the address of the app`() async {
        let (end, requests) = await visit(answers(["app:/callback?code=c"]))

        #expect(end == .redirected("app:/callback?code=c"))
        #expect(requests.map(\.method) == ["GET", "POST"])
        #expect(requests.map(\.url) == ["http://127.0.0.1:1/authorize?client_id=app", "http://127.0.0.1:1/authorize?a=1&b=2"])
        #expect(requests.allSatisfy { $0.headers[PageVisitor.header] == "m-2" })
    }

    @Test func `a sign-in in two pages is followed`() async {
        let (end, requests) = await visit([Self.page, redirect("/consent"), Self.page, redirect("http://127.0.0.1:9/callback?code=c")])

        #expect(end == .redirected("http://127.0.0.1:9/callback?code=c"))
        #expect(requests.map(\.method) == ["GET", "POST", "GET", "POST"])
        #expect(requests[2].url == "http://127.0.0.1:1/consent")
    }

    @Test func `a page that is closed leads nowhere`() async {
        let (end, requests) = await visit(abandoning: [Self.page])

        #expect(end == .left)
        #expect(requests.count == 1)
    }

    @Test(arguments: ["https://127.0.0.1:1/authorize", "http://127.0.0.1:2/a", "http://bank.example:1/a", "about:blank", "", "not a url"])
    func `an address that is not the bank's is not opened`(address: String) async {
        let (end, requests) = await visit(address, .approve, [Self.page])

        #expect(end == .failed(.foreign, address))
        #expect(requests.isEmpty)
    }

    @Test func `localhost is the bank's host, too`() async {
        let (end, _) = await visit("http://localhost:1/authorize", .approve, answers(["app:/x"]))

        #expect(end == .redirected("app:/x"))
    }

    @Test func `a page without a form, a page with an error, and a sign-in without an end are reported`() async {
        let error = HTTPResponse(status: 400, body: Array("<p role=\"alert\">client_id is missing.</p>".utf8))
        let again = HTTPResponse(status: 400, body: Array(("<p role=\"alert\">The password is wrong.</p>" + Self.form).utf8))

        #expect(await visit([error]).end == .failed(.page, "the bank shows a page with status 400: client_id is missing."))
        #expect(await visit([Self.page, again]).end == .failed(.page, "the bank's page shows: The password is wrong."))
        #expect(await visit(Array(repeating: Self.page, count: 20)).end == .failed(.page, "the sign-in did not end after 10 requests"))
        #expect(await visit([]).end == .failed(.page, "the sign-in page could not be loaded (offline)"))
    }

    private func answers(_ redirects: [String]) -> [HTTPResponse] { [Self.page] + redirects.map(redirect) }
    private func visit(_ answers: [HTTPResponse]) async -> (end: PageVisitor.End, requests: [HTTPRequest]) {
        await visit("http://127.0.0.1:1/authorize?client_id=app", .approve, answers)
    }
    private func visit(abandoning answers: [HTTPResponse]) async -> (end: PageVisitor.End, requests: [HTTPRequest]) {
        await visit("http://127.0.0.1:1/authorize?client_id=app", .abandon, answers)
    }

    @Test(
        arguments: [
            (.approve, "counterfoil-app:/callback?code=cf_"),
            (.deny, "counterfoil-app:/callback?error=access_denied"), (.cancel, "counterfoil-app:/callback?error=access_denied"),
            (.abandon, nil),
        ] as [(SignInDecision, String?)])
    func `the page of the bank counterfoil is gone through over HTTP`(decision: SignInDecision, answer: String?) async throws {
        let loaded = try Clone.library.load("counterfoil")
        let source = BankSource(bank: loaded.bank, files: [], reload: { throw CancellationError() })
        let server = try await StubServer([source], ServerConfiguration(seed: 1), logger: Logger(label: "test"))
        let bank = StubServerBank(server, [loaded])
        #expect(bank.banks.first?.publicClients == ["app"])
        let session = try await bank.openSession(SessionParameters(bank: "counterfoil", name: "s", seed: 1))
        let signIn = CaseSignIn()
        let transport = CurlTransport(limits: TransportLimits(connect: .seconds(300), total: .seconds(300), redirects: 0))
        let visitor = PageVisitor(transport: transport, baseURL: session.baseURL, mark: signIn.mark(of: 2))
        let query = formEncoded([
            (name: "response_type", value: "code"), (name: "client_id", value: "app"),
            (name: "redirect_uri", value: "counterfoil-app:/callback"), (name: "code_challenge_method", value: "S256"),
            (name: "code_challenge", value: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        ])
        let address = "\(session.baseURL)/oauth/authorize?\(query)"

        let end = await visitor.visit(address, decision, user: "ava", password: "correct-horse")
        let unknown = await visitor.visit(address.replacing("=app&", with: "=nobody&"), decision, user: "ava", password: "correct-horse")
        await session.waitForExchanges(within: Duration.seconds(300))
        let journal = session.journal().entries
        await session.close()
        await bank.shutdown()

        if case .redirected(let redirect) = end, let answer {
            #expect(redirect.hasPrefix(answer))
        } else {
            #expect(end == .left && answer == nil)
        }
        guard case .failed(.page, let reason) = unknown else {
            Issue.record("found \(unknown), expected the bank's words")
            return
        }
        #expect(reason.contains("client_id is not the id of a registered client"))
        // Nothing of the code is in the journal, and each request is known as the browser's.
        #expect(signIn.visits(in: journal).map(\.step) == [2])
        #expect(signIn.visits(in: journal).first?.exchanges.count == journal.count)
        #expect(!journal.contains { $0.responseHeaders.contains { $0.value.contains("code=cf_") } })
    }

    // MARK: the journal

    @Test func `the browser's requests are known by a mark that no client can guess`() {
        let signIn = CaseSignIn()
        func entry(_ seq: Int, _ mark: String?) -> JournalEntry {
            let headers = mark.map { [JournalEntry.Header("x-counterfoil-browser", $0)] } ?? []
            return JournalEntry(seq: seq, requestHeaders: headers)
        }
        let journal = [entry(3, signIn.mark(of: 5)), entry(2, signIn.mark(of: 2)), entry(1, nil), entry(4, "00000000-2")]
        let visits = signIn.visits(in: journal + [entry(5, signIn.mark(of: 2))])

        #expect(visits == [.init(step: 2, exchanges: [2, 5]), .init(step: 5, exchanges: [3])])
        #expect(CaseSignIn().mark(of: 2) != signIn.mark(of: 2))
    }

    @Test func `who has approved on the page is signed in once the client has finished`() {
        var signIn = CaseSignIn()
        signIn.note(1, .login, [:], ["user": "ava"])
        signIn.approver = "ben"
        #expect(signIn.customer == "ava")

        signIn.note(4, .authorizeFinish, [:], [:])

        #expect(signIn.customer == "ben")
        #expect(signIn.approvals == [4: "ben"])
    }

    @Test func `a code verifier is found by its digest, and under its own name`() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let page = JournalEntry(seq: 1, query: "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&state=s")
        func found(_ query: String) -> [String] {
            Verifiers(in: [page]).foundSecrets(in: JournalEntry(seq: 2, query: query)).map(\.encoding)
        }

        #expect(found("state=\(verifier)") == ["as the parameter `state`"])
        #expect(found("state=%7B%22v%22%3A%22\(verifier)%22%7D") == ["as the parameter `state`"])
        #expect(found("code_verifier=%5Bredacted%5D") == ["as the parameter `code_verifier`"])
        #expect(found("state=\(verifier)x&nonce=\(verifier.dropLast())").isEmpty)
        #expect(Verifiers(in: [page]).foundSecrets(in: page).isEmpty)
    }
}

/// Answers with these responses in turn, and then with none.
private final class Scripted: HTTPTransport {
    private let state: Locked<(left: [HTTPResponse], sent: [HTTPRequest])>

    init(_ answers: [HTTPResponse]) { state = Locked((answers, [])) }

    var requests: [HTTPRequest] { state.withLock { $0.sent } }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        let response = state.withLock { state in
            state.sent.append(request)
            return state.left.isEmpty ? nil : state.left.removeFirst()
        }
        guard let response else { throw TransportFailure(.offline, "no more", mayHaveLeft: false) }
        return response
    }
}
