import BankModel
@testable import Contracts
import DriverProtocol
import Testing

/// Sign-ins on the bank's page: how their steps load, and what the judge makes of the requests.
@Suite struct SignInStepTests {
    private static let bank: BankFacts = {
        var bank = BankFacts(
            name: "toy", customers: [.init(login: "ava", password: "secret"), .init(login: "ben", password: "staple")],
            operations: [.login, .accounts, .authorizeBegin, .authorizeFinish])
        bank.publicClients = ["app"]
        return bank
    }()

    static let steps = "[authorize_begin, browser: approve, authorize_finish]"

    /// A case with these steps that expects this.
    func instance(_ expectation: String = "{step: 3, outcome: ok}", steps: String = steps) -> Instance? {
        Make.instances(
            "needs: [authorize_begin, authorize_finish, accounts]\nsteps: \(steps)\nexpect:\n- \(expectation)", on: Self.bank
        ).first
    }

    private func complaints(_ steps: String) -> [String] {
        Make.complaints(needs: "[authorize_begin, authorize_finish]", steps: steps, expect: "[{step: 1, outcome: ok}]")
    }

    /// Three steps that went well: the browser's requests are 2 and 3, the client's exchange is 4.
    func evidence(_ query: String = "client_id=app&code_challenge=c1", _ body: String = "code=code#1") -> Evidence {
        var evidence = Evidence(steps: Make.steps([1: .ok(view: ["url": "u"]), 2: .done, 3: .ok(view: ["signed_in": true])]))
        var exchange = Make.exchange(3, seq: 4, token: nil)
        exchange.method = "POST"
        exchange.requestBody = Array(body.utf8)
        exchange.bodyBytes = body.utf8.count
        evidence.journal = [
            Make.exchange(2, token: nil, path: "/authorize", query: query),
            Make.exchange(2, seq: 3, at: 220, token: nil, path: "/authorize"), exchange,
        ]
        evidence.visits = [Evidence.PageVisit(step: 2, exchanges: [2, 3])]
        return evidence
    }

    func verdict(_ expectation: String, _ evidence: Evidence, steps: String = steps) throws -> Verdict {
        judge(try #require(instance(expectation, steps: steps)), evidence).verdict
    }

    @Test func `a timeline distinguishes the requests of the harness's browser from the client's`() throws {
        let lines = Timeline(try #require(instance()), evidence()).lines

        #expect(lines.contains { $0.contains("#2 GET /authorize?client_id=app&code_challenge=c1 (the harness's browser) → ") })
        #expect(lines.contains { $0.contains("#3 GET /authorize (the harness's browser) → ") })
        #expect(lines.contains { $0.contains("#4 POST ") && !$0.contains("browser") })
    }

    // MARK: steps

    @Test(arguments: [
        ("approve", "browser approve"), ("deny", "browser deny"), ("cancel", "browser cancel"),
        ("{does: approve, user: ben}", "browser approve as ben"),
    ])
    func `a visit of the page is read`(yaml: String, text: String) throws {
        let action = try #require(instance(steps: "[authorize_begin, browser: \(yaml), authorize_finish]")?.allSteps[1].action)

        #expect("\(action)" == text)
    }

    @Test(arguments: [
        ("[browser: approve, authorize_begin, authorize_finish]", "found `browser`, expected a step `authorize_begin` before it"),
        ("[authorize_begin, authorize_finish]", "found `authorize_finish` without `url`, expected a step `browser` before it"),
        ("[authorize_begin, browser: abandon, authorize_finish]", "expected a step `browser` before it that does not abandon the page"),
        ("[authorize_begin, redirect: {drop: [code]}, browser: approve]", "found `redirect`, expected a step `browser` before it"),
        ("[authorize_begin, browser: approve, redirect: {}, authorize_finish]", "at least one of `set`, `drop` and `to`"),
        ("[authorize_begin, browser: approve, redirect: {drop: []}, authorize_finish]", "a list of at least 1"),
        ("[authorize_begin, browser: agree]", "found `agree`, expected approve, deny, cancel or abandon"),
    ])
    func `an impossible order is reported`(steps: String, expected: String) {
        let found = complaints(steps)

        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test func `a case may open the app with any address`() {
        #expect(complaints("[authorize_begin, authorize_finish: {url: \"app:/x\"}]").isEmpty)
    }

    @Test func `a bank without that customer has no such case`() {
        #expect(instance(steps: "[authorize_begin, browser: {does: approve, user: zoe}, authorize_finish]") == nil)
    }

    @Test func `a redirect keeps what is not changed`() {
        let address = "app:/callback?code=a%2Bb&state=s1&iss=http%3A%2F%2Fbank"
        let change = StepAction.RedirectChange(set: [.init("state", "s 2"), .init("more", "x")], drop: ["iss"], to: "other:/cb")

        #expect(change.applied(to: address) == "other:/cb?code=a%2Bb&state=s%202&more=x")
        #expect(StepAction.RedirectChange(drop: ["code", "state", "iss"]).applied(to: address) == "app:/callback")
        #expect(StepAction.RedirectChange(set: [.init("state", "")]).applied(to: address + "#f") == address.replacing("s1", with: ""))
    }

    // MARK: what the browser has sent

    @Test func `the browser's requests are not the client's`() throws {
        #expect(try verdict("{requests: {min: 1, max: 1}}", evidence()) == .pass)
        #expect(try verdict("{requests: {max: 0}}", evidence()) == .fail)
        // A success without a request of the client's own is none.
        var lone = evidence()
        lone.journal.removeLast()
        #expect(try verdict("{step: 3, outcome: ok}", lone) == .fail)
    }

    @Test func `a client need not ask the bank when its customer comes back from the page of a challenge`() throws {
        var lone = evidence("challenge=c1")
        lone.journal.removeLast()
        let yaml = "needs: [authorize_begin, authorize_finish, accounts]\ngiven: {challenges: redirect}\nsteps: \(Self.steps)\n"
        let confirming = try #require(Make.instances(yaml + "expect:\n- {step: 3, outcome: ok}", on: Self.bank).first)

        #expect(judge(confirming, lone).verdict == .pass)
        #expect(try verdict("{step: 3, outcome: ok}", lone) == .fail, "a sign-in takes a request")
    }

    @Test(arguments: [("expired", Verdict.pass), ("approved", .fail), ("denied", .fail)])
    func `a client knows by itself that a challenge has expired, and asks the bank for any other end`(
        _ state: String, _ expected: Verdict
    ) throws {
        var bank = Self.bank
        bank.operations.append(.challengeAnswer)
        let yaml =
            "needs: [login, accounts, challenge_answer]\nsteps: [login, accounts, challenge_answer]\nexpect:\n- {step: 2, outcome: ok}"
        let answered = try #require(Make.instances(yaml, on: bank).first)
        let steps: [Int: StepOutcome] = [1: .ok(view: [:]), 2: .ok(view: [:]), 3: .ok(view: ["challenge": .string(state)])]

        #expect(judge(answered, Evidence(steps: Make.steps(steps), journal: [Make.exchange(1), Make.exchange(2)])).verdict == expected)
    }

    @Test func `the customer who has approved is signed in`() throws {
        let steps = "[authorize_begin, browser: {does: approve, user: ben}, authorize_finish, accounts]"
        var shown = evidence()
        shown.steps[4] = StepReport(.ok(view: ["accounts": [["id": "ben-1"]]]), started: 400, ended: 450)
        shown.journal.append(Make.exchange(4, seq: 5, token: "token#2"))
        shown.owners = ["token#2": "ben"]
        shown.expected = [.accounts: ["accounts": [["id": "ava-1"]]]]
        shown.othersViews = ["ben": [.accounts: ["accounts": [["id": "ben-1"]]]]]

        shown.approvals = [3: "ben"]
        #expect(try verdict("{step: 4, view: expected}", shown, steps: steps) == .pass)
        shown.approvals = [3: "ava"]
        #expect(try verdict("{step: 4, view: expected}", shown, steps: steps) == .fail)
    }

    @Test func `a page that shows an error is inconclusive, and an address elsewhere is not`() throws {
        var failed = evidence()
        failed.steps[3] = nil
        failed.steps[2]?.outcome = .error(PageTrouble.page.rawValue, detail: "client_id is unknown")
        #expect(try verdict("{step: 3, outcome: ok}", failed) == .inconclusive)
        failed.steps[2]?.outcome = .error(PageTrouble.foreign.rawValue, detail: "https://elsewhere")
        #expect(try verdict("{step: 3, outcome: ok}", failed) == .fail)
        failed.steps[2]?.outcome = .skipped
        #expect(try verdict("{step: 3, outcome: ok}", failed) == .fail)
    }

    // MARK: what the client asks for

    @Test func `parameters of the page are compared`() throws {
        let expectation = "{authorization: {each: {code_challenge_method: S256}}}"

        #expect(try verdict(expectation, evidence("code_challenge_method=S256")) == .pass)
        #expect(try verdict(expectation, evidence("code_challenge_method=plain")) == .fail)
        #expect(try verdict(expectation, evidence("client_id=app")) == .fail)
    }

    @Test func `no two attempts share a parameter that each has for itself`() throws {
        let steps = "[authorize_begin, browser: deny, authorize_begin, browser: approve, authorize_finish]"
        func both(_ second: String) -> Evidence {
            var both = evidence("code_challenge=c1")
            both.journal.append(Make.exchange(4, seq: 5, token: nil, query: second))
            both.visits.append(Evidence.PageVisit(step: 4, exchanges: [5]))
            both.steps[4] = StepReport(.done, started: 400, ended: 450)
            return both
        }
        let expectation = "{authorization: {distinct: [code_challenge]}}"

        #expect(try verdict(expectation, both("code_challenge=c2"), steps: steps) == .pass)
        #expect(try verdict(expectation, both("code_challenge=c1"), steps: steps) == .fail)
        #expect(try verdict(expectation, both("state=s"), steps: steps) == .fail)
        // A client that need not send it is not tested if it sends it once only.
        let optional = "{authorization: {needs: {code_challenge: \"*\"}, distinct: [code_challenge]}}"
        #expect(try verdict(optional, both("code_challenge=c1"), steps: steps) == .fail)
        #expect(try verdict(optional, both("state=s"), steps: steps) == .notExercised)
    }

    @Test func `a client that need not send a parameter and does not is not tested`() throws {
        let expectation = "{authorization: {needs: {scope: \"*openid*\"}}}"

        #expect(try verdict(expectation, evidence("scope=openid+accounts")) == .pass)
        #expect(try verdict(expectation, evidence("scope=accounts")) == .notExercised)
        #expect(try verdict(expectation, evidence("client_id=app")) == .notExercised)
    }

    @Test(arguments: [
        ("approve", false, Verdict.fail), ("approve", true, .notExercised), ("deny", false, .notExercised),
        ("abandon", false, .notExercised),
    ])
    func `a second page without a parameter explains a failure unless the first has signed the customer in`(
        decision: String, isRejected: Bool, expected: Verdict
    ) throws {
        let next = decision == "abandon" ? "accounts" : "authorize_finish"
        let steps = "[authorize_begin, browser: \(decision), \(next), authorize_begin, browser: approve]"
        var both = evidence("scope=openid+accounts")
        both.steps.merge(Make.steps([4: .ok(view: ["url": "u"]), 5: .done])) { $1 }
        if decision == "deny" { both.steps[3]?.outcome = .error("cancelled", detail: nil) }
        if isRejected { both.journal.append(Make.exchange(3, seq: 6, at: 340, response: "token-rejected")) }
        both.journal.append(Make.exchange(5, token: nil, path: "/authorize", query: "scope=accounts"))
        both.visits.append(Evidence.PageVisit(step: 5, exchanges: [5]))
        let expectations = "{authorization: {needs: {scope: \"*openid*\"}}}\n- {step: 4, outcome: error}"

        #expect(try verdict(expectations, both, steps: steps) == expected)
    }

    @Test(arguments: ["openid-configuration", "oauth-authorization-server"])
    func `a client that knows where the bank's page is does not exercise a fault of the bank's metadata`(_ name: String) throws {
        let path = "/.well-known/\(name)"
        let fault = "{fault: {status: {status: 503}}, on: {path: \"/.well-known/o*\"}}"
        let steps = "[authorize_begin, browser: approve, authorize_finish, \(fault), authorize_begin]"
        let missed = try #require(Make.rule(fault, step: 4))
        var known = evidence()
        known.rules = [missed]
        known.steps.merge(Make.steps([4: .done, 5: .ok(view: ["url": "u"])])) { $1 }
        var asked = known
        asked.journal.append(Make.exchange(5, token: nil, path: path))

        #expect(try verdict("{fired: 1}", known, steps: steps) == .notExercised)
        #expect(try verdict("{fired: 1}", asked, steps: steps) == .inconclusive)
    }

    @Test func `the parameters of a pushed request count as the page's`() throws {
        var pushed = evidence("client_id=app&request_uri=urn%3Ax")
        var push = Make.exchange(1, token: nil, status: 201, path: "/par")
        push.method = "POST"
        push.requestBody = Array("response_type=code&code_challenge_method=S256".utf8)
        pushed.journal.insert(push, at: 0)

        #expect(try verdict("{authorization: {each: {code_challenge_method: S256}}}", pushed) == .pass)
    }

    @Test func `a code that is sent again is found`() throws {
        var again = evidence()
        #expect(try verdict("{never: {sends: used-code}}", again) == .pass)
        var second = Make.exchange(3, seq: 5, at: 330, token: nil)
        second.requestBody = Array("code=code#1".utf8)
        again.journal.append(second)
        #expect(try verdict("{never: {sends: used-code}}", again) == .fail)
        again.journal[3].requestBody = Array("code=code#12".utf8)
        #expect(try verdict("{never: {sends: used-code}}", again) == .pass)
    }

    /// As `golang.org/x/oauth2` does, which tries HTTP Basic before the form.
    @Test func `a library may try both ways to name the client`() throws {
        var probed = evidence()
        let exchanged = probed.journal[2]
        probed.journal[2].requestHeaders = [JournalEntry.Header("Authorization", "[redacted]")]
        probed.journal[2].status = 401
        probed.journal[2].receipt = Receipt(headBytes: 100, bodyBytes: 100, end: .kept)
        probed.journal[2].responseBody = Array(#"{"error":"invalid_client"}"#.utf8)
        var form = exchanged
        form.seq = 5
        form.monoNanoseconds += 10
        probed.journal.append(form)

        for sent in ["used-code", "client-secret"] { #expect(try verdict("{never: {sends: \(sent)}}", probed) == .pass) }
        probed.journal[2].responseBody = Array(#"{"error":"invalid_grant"}"#.utf8)
        for sent in ["used-code", "client-secret"] { #expect(try verdict("{never: {sends: \(sent)}}", probed) == .fail) }
    }

    @Test func `a public client has no secret, and one with a secret is not tested`() throws {
        let expectation = "{never: {sends: client-secret}}"

        #expect(try verdict(expectation, evidence()) == .pass)
        #expect(try verdict(expectation, evidence("client_id=app", "code=code#1&client_secret=[redacted]")) == .fail)
        #expect(try verdict(expectation, evidence("client_id=web", "code=code#1&client_secret=[redacted]")) == .notExercised)
        var basic = evidence()
        basic.journal[2].requestHeaders = [JournalEntry.Header("Authorization", "[redacted]")]
        #expect(try verdict(expectation, basic) == .fail)
        basic.journal[2].requestHeaders = [JournalEntry.Header("Authorization", "Bearer token#1")]
        #expect(try verdict(expectation, basic) == .pass)
    }

    @Test func `a code verifier in an address is found, and is looked for nowhere else`() throws {
        var leaked = evidence()
        #expect(try verdict("{url: {lacks: $verifier}}", leaked) == .pass)
        leaked.foundSecrets = [
            Evidence.FoundSecret(
                token: "the code verifier", kind: .verifier, location: .address, path: "exchange 2", encoding: "as the parameter `state`",
                after: Evidence.FoundSecret.atEnd)
        ]
        #expect(try verdict("{url: {lacks: $verifier}}", leaked) == .fail)
        #expect(try verdict("{url: {lacks: $tokens}}", leaked) == .pass)
        #expect(instance("{disk: {lacks: $verifier}}") == nil)
        #expect(instance("{log: {lacks: $verifier}}") == nil)
    }

    @Test func `a token in the page's address is found`() throws {
        #expect(try verdict("{url: {lacks: $tokens}}", evidence("client_id=app&id_token_hint=token#1")) == .fail)
    }
}
